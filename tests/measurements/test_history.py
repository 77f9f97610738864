"""Run records for the judge: only parsed runs, the newest reading, names as they were, findings where they belong."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gpucontract.measurements import parsing
from gpucontract.measurements.history import records_of
from gpucontract.measurements.models import Node
from gpucontract.measurements.parsers import registry
from gpucontract.measurements.parsers.capture import Parsed, Reading
from gpucontract.measurements.records import Origin
from gpucontract.measurements.tasks import parse_due
from tests.measurements import making
from tests.measurements.fake_agent import output

pytestmark = pytest.mark.django_db
GPU = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-aaaa1111-2222-3333-4444-555566667777)\n"


@pytest.fixture
def made():
    return making.contract()


def measured(made, ordinal=1, *outputs, **changes):
    run = making.run(made, making.node(made, ordinal), **changes)
    making.delivered(run, *(outputs or [output("nvidia-smi -L", GPU)]), hostname=f"gpu-node-0{ordinal}")
    return run


def test_a_record_says_all_the_judge_needs(made):
    run = measured(
        made, 1, output("nvidia-smi -L", GPU, exit_status=0, env={"A": "1"}), repeat=2, round=3, params={"x": 1}
    )
    parse_due()
    (record,) = records_of(made)
    assert (record.id, record.job, record.group, record.nodes) == (str(run.uuid), "inventory", "g1", ("g1-001",))
    assert (record.repeat, record.round, record.origin, record.params) == (2, 3, Origin.AGENT, {"x": 1})
    assert record.hostnames == {"g1-001": "gpu-node-01"}
    assert record.received_at == run.delivery.received_at and record.error == ""
    (one,) = record.outputs
    assert (one.name, one.tool, one.exit_status, one.error) == ("nvidia-smi-L", "nvidia-smi -L", 0, "")
    assert one.env == {"A": "1"}
    assert ("gpu_uuid", "gpu0") in [(reading.name, reading.scope) for reading in one.readings]


def test_a_run_that_was_not_parsed_is_not_shown_yet(made):
    measured(made)
    assert records_of(made) == []


def test_only_the_newest_reading_counts(made, monkeypatch):
    measured(made)
    parse_due()
    monkeypatch.setattr(parsing, "PARSER_VERSION", parsing.PARSER_VERSION + 1)
    monkeypatch.setattr(registry, "read", lambda capture: Parsed((Reading("new", True),)))
    parse_due()
    (record,) = records_of(made)
    assert [reading.name for reading in record.outputs[0].readings] == ["new"]
    assert record.outputs[0].readings[0].value is True


def test_names_of_a_joint_run_are_those_it_was_ordered_with(made):
    one, two = making.node(made, 1), making.node(made, 2, hostname="gpu-node-02")
    run = making.run(made, one, two, job="nccl_inter", params={"hosts": ["gpu-node-01", "gpu-node-02"]})
    making.delivered(run, output("uname", "x"))
    Node.objects.update(hostname="replaced")
    parse_due()
    (record,) = records_of(made)
    assert record.nodes == ("g1-001", "g1-002") and record.lead == "g1-001"
    assert record.hostnames == {"g1-001": "gpu-node-01", "g1-002": "gpu-node-02"}


def test_findings_ride_on_their_output_and_those_of_the_run_on_the_first(made):
    runs = [
        measured(made, ordinal, output("uname", f"{ordinal}", truncated=True), output("nvidia-smi -L", GPU))
        for ordinal in (1, 2)
    ]
    Node.objects.update(hostname="gpu-node-01")
    parse_due()
    record = next(one for one in records_of(made) if one.id == str(runs[0].uuid))
    found = {one.name: {finding.code for finding in one.findings} for one in record.outputs}
    assert found == {"uname": {"hostname_twice", "truncated_output"}, "nvidia-smi-L": {"copied_output"}}


def test_lost_evidence_is_the_records_error(made):
    run = measured(made)
    parsing.evidence.path_of(run.delivery.evidence_id).unlink()
    parse_due()
    (record,) = records_of(made)
    assert record.error.startswith("evidence_lost") and record.outputs[0].error == "not_parsed"


def test_records_of_some_slots_only_and_never_of_another_contract(made):
    other = making.contract("C-2026-2")
    measured(other)
    measured(made, 1)
    measured(made, 2, output("uname", "two"))
    parse_due()
    assert len(records_of(made)) == 2
    assert [record.nodes for record in records_of(made, nodes=["g1-002"])] == [("g1-002",)]
    assert records_of(made, nodes=[]) == []


def test_it_asks_the_database_equally_often_for_any_number_of_runs(made):
    measured(made)
    parse_due()
    with CaptureQueriesContext(
        connection,
    ) as few:
        records_of(made)
    for repeat in range(2, 8):
        measured(made, repeat=repeat)
    parse_due()
    with CaptureQueriesContext(connection) as many:
        assert len(records_of(made)) == 7
    assert len(many) == len(few)
