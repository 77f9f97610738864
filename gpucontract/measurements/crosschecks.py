"""What one output alone cannot show: copied bytes, one host name twice, wrong clocks, what changed since."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.db.models import QuerySet

from gpucontract.contracts.succession import amended_by
from gpucontract.measurements import comparisons, identities, limits
from gpucontract.measurements.models import Delivery, Node, Output, Parse, Run
from gpucontract.measurements.parsers.capture import Finding, Reading, restore
from gpucontract.measurements.raw import RawResult
from gpucontract.measurements.records import Origin
from gpucontract.measurements.replacing import agreed_names
from gpucontract.wording import Text

NOTES_SHOWN = 5
CLOCK_GAP = timedelta(minutes=5)
TIMINGS = (
    "load_together",
    "train_step_time",
    "bw_average",
    "time_at_",
    "busbw_at_",
    "read_bw",
    "write_bw",
    "read_iops",
    "write_iops",
)

COPIED = Text(
    "这份输出与{other}的一份输出逐字节相同：两台机器不可能给出同样的序列号或计时，请在本机复测并核对来源",
    "This output is byte for byte the same as one of {other}: two machines cannot give the same serials or timings; "
    "measure again on this machine and find out where it came from",
)
REUSED = Text(
    "这份计时输出与同一机器另一次运行的逐字节相同：两次运行不可能计时完全一样，请复测",
    "This timing output is byte for byte the same as another run's on this machine: two runs never time alike; "
    "measure again",
)
STRANGER = Text("另一份合同的机器", "a machine of another contract")
TWICE = Text(
    "主机名 {hostname} 同时出现在 {node}：可能是同一台机器占了两个位置，或镜像克隆后未改名",
    "Host name {hostname} also answers for {node}: one machine in two slots, or a cloned image that was not renamed",
)
CLOCK = Text(
    "机器的时钟与服务器相差 {gap}：机器上的时间只作参考，请校准",
    "The machine's clock is {gap} away from the server's: its times are claims only; set it right",
)
OLDER = Text(
    "输出“{output}”的开始时间早于下达时间：可能不是为这次测试运行的",
    'Output "{output}" says it began before the job was ordered: it may not have been run for this order',
)
SECRETS = Text(
    "采集时从输出“{output}”里抹去了密钥等内容（{what}），读数不受影响。请供应方更换这些密钥，并把它们移出机器的环境变量与命令行。",
    'Secrets were taken out of output "{output}" when it was collected ({what}); the readings are not touched. Have '
    "the vendor change them and keep them out of the machine's environment and commands.",
)
CUT = Text(
    "输出“{output}”超过采集程序的上限，被截断",
    'Output "{output}" was longer than the agent keeps and was cut',
)


def of_delivery(delivery: Delivery, result: RawResult) -> Iterator[tuple[str, Finding]]:
    """Findings about a delivery as a whole, each with the output it is about ("" = the run)."""
    gap = abs(delivery.received_at - delivery.sent_at) if delivery.sent_at else timedelta(0)
    if gap > CLOCK_GAP:
        yield "", Finding("clock_gap", CLOCK.fill(gap=timedelta(seconds=int(gap.total_seconds()))))
    earliest = delivery.run.ordered_at - CLOCK_GAP
    for output in result.outputs:
        if output.redacted:
            what = SECRETS.fill(output=output.name, what=output.redacted[:NOTES_SHOWN])
            yield output.name, Finding("secrets_removed", what)
        if output.is_truncated:
            yield output.name, Finding("truncated_output", CUT.fill(output=output.name))
        if delivery.origin != Origin.REPLAY and output.started_at and output.started_at < earliest:
            yield output.name, Finding("older_than_order", OLDER.fill(output=output.name))
    if delivery.run.job == "inventory":
        yield from _host_names(delivery)


def _host_names(delivery: Delivery) -> Iterator[tuple[str, Finding]]:
    others = Node.objects.filter(group__contract=delivery.run.contract_id, hostname=delivery.hostname)
    for node in others.exclude(pk=delivery.run.lead_id).order_by("pk")[:1]:
        yield "", Finding("hostname_twice", TWICE.fill(hostname=delivery.hostname, node=node.code))


def of_readings(run: Run, readings: Sequence[Reading]) -> Iterator[Finding]:
    """Findings from a run's readings against each other and against the same machine's round before."""
    yield from comparisons.within(readings)
    yield from limits.beyond(readings)
    if run.job in comparisons.COMPARED_JOBS and (earlier := _rounds_before(run)):
        told = [_readings_of(one) for one in earlier]
        stood = comparisons.standing(map(comparisons.parts_in, told))
        yield from comparisons.since(told[-1], readings, _round_of(earlier[-1], run), agreed_names(_slots(run)), stood)


def _round_of(earlier: Run, run: Run) -> Text:
    is_own = earlier.contract_id == run.contract_id
    return comparisons.named(earlier.round, "" if is_own else earlier.contract.number)


def _rounds_before(run: Run) -> list[Run]:
    """The last run of each earlier round, also of the contracts that this one amends, the oldest first.

    What changed is told once, in the round that first shows it.
    """
    known = Run.objects.filter(lead__in=_slots(run), job=run.job, parsed_version__gt=0)
    earlier = known.exclude(contract=run.contract_id, round__gte=run.round)
    return list({(one.contract_id, one.round): one for one in earlier.order_by("contract_id", "round", "pk")}.values())


def _slots(run: Run) -> list[int]:
    """The slot of a run, and the same one under the contracts that this one amends."""
    before = Node.objects.filter(group__contract__in=list(amended_by(run.contract)), code=run.lead.code)
    return [run.lead_id, *before.values_list("pk", flat=True)]


def _readings_of(run: Run) -> list[Reading]:
    parse = Parse.objects.filter(run=run, parser_version=run.parsed_version).first()
    return [restore(reading) for output in (parse.outputs if parse else ()) for reading in output["readings"]]


def is_identifying(readings: tuple[Reading, ...]) -> bool:
    """Whether no second machine could print the same: serials, UUIDs and GUIDs of the world's only one, or times."""
    told: dict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        told[reading.name].append(reading)
    return is_timed(readings) or identities.any_unique(told)


def is_timed(readings: tuple[Reading, ...]) -> bool:
    """Whether no second run could print the same: measured times and rates."""
    return any(reading.name.startswith(TIMINGS) and reading.value is not None for reading in readings)


def twins(output: Output, *, timed: bool) -> list[Output]:
    """Outputs with the same bytes that must not be: of another slot, machine or timing."""
    mine = output.delivery
    return [other for other in _same_bytes(output) if _is_copy(mine, other.delivery, timed=timed)]


def copied(run: Run, other: Run) -> Finding:
    """The finding for run about other; another tenant's machine stays unnamed."""
    if run.lead_id == other.lead_id:
        return Finding("copied_output", REUSED)
    name: Text | str = other.lead.code if run.contract_id == other.contract_id else STRANGER
    return Finding("copied_output", COPIED.fill(other=name))


def _same_bytes(output: Output) -> QuerySet[Output]:
    others = Output.objects.filter(sha256=output.sha256).exclude(delivery=output.delivery_id)
    return others.select_related("delivery__run__lead").order_by("pk")[:20]


def _is_copy(mine: Delivery, other: Delivery, *, timed: bool) -> bool:
    if mine.run.lead_id != other.run.lead_id:
        is_other_machine = mine.run.contract_id == other.run.contract_id or mine.hostname != other.hostname
        if is_other_machine:
            return True
    return timed and Origin.REPLAY not in (mine.origin, other.origin)
