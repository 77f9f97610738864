"""The paste page: the tool told by itself, readings and findings at once, nothing stored."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from gpucontract.measurements.models import Delivery, Evidence, Output
from gpucontract.measurements.parsers.capture import Capture
from gpucontract.measurements.parsers.registry import tool_of
from gpucontract.web.forms.paste import NAMES
from tests.parsers.host_outputs import sample

pytestmark = pytest.mark.django_db
LIST = sample("nvidia_smi/550-list-8xh200.txt")
PASTE = reverse("paste")


@pytest.fixture
def engineer(client, eng):
    client.force_login(eng)
    return client


def post(client, **given):
    return client.post(PASTE, {"text": "", "tool": "", "command": "", "exit_status": "", **given})


def read(client, **given):
    answer = post(client, **given)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_first_visit_shows_what_to_do(engineer):
    page = engineer.get(PASTE).content.decode()
    assert "粘贴工具在 GPU 机器上打印的内容" in page and 'enctype="multipart/form-data"' in page
    assert "整份输出" not in page


def test_readings_stand_by_place_with_units_and_the_deciding_line(engineer):
    page = read(engineer, text=sample("nvidia_smi/550-csv-8xh200.csv"))
    assert "nvidia-smi" in page and "<summary>gpu7</summary>" in page
    assert re.search(r"gpu_memory_total</code></span></th><td[^>]*>143,771 MiB</td>", page)


def test_not_measured_is_said_and_never_zero(engineer):
    page = read(engineer, text="NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    assert re.search(r"gpu_count</code>.*?</th><td[^>]*>未测得：NVIDIA 驱动没有加载。", page)


@pytest.mark.parametrize(
    ("language", "said"), [("zh-hans", "未测得：输出里没有 NCCL 的日志"), ("en", "not measured: NCCL&#x27;s own lines")]
)
def test_a_reading_without_a_value_says_in_words_what_to_do(engineer, language, said):
    engineer.cookies["django_language"] = language
    page = read(engineer, text=sample("nccl_tests/2.13-all-reduce-8.txt"))
    assert said in page and "NCCL_DEBUG=INFO" in page and "nccl_said_nothing" not in page


def test_a_reason_that_many_readings_share_is_said_once(engineer):
    page = read(engineer, text=sample("nccl_tests/2.13-failure-glued-to-row.txt"))
    assert page.count("未测得：NCCL 报错") == 1
    for name in ("busbw_max", "avg_busbw", "wrong_results"):
        assert f">{name}</code>" in page


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_list_has_a_parser(name):
    assert tool_of(Capture(name, "", "")) != ""


def test_single_message_sizes_stand_apart_beside_the_chart(engineer):
    page = read(engineer, text=sample("nccl_tests/2.13-all-reduce-8.txt"))
    assert page.index("按消息大小") > page.index("busbw_at_largest_size<")
    assert '<figure class="chart">' in page


def test_a_failed_run_says_what_to_do(engineer):
    page = read(engineer, text="NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    assert "NVIDIA 驱动没有加载。请厂商装好驱动后复测。" in page


def test_findings_say_what_to_do(engineer):
    page = read(engineer, text=sample("nvlink/550-s-4xh100-two-down.txt"))
    assert "NVLink" in page and 'class="note warn"' in page


def test_a_text_of_no_tool_asks_for_the_tool(engineer):
    page = read(engineer, text="hello\n")
    assert "未认出的工具" in page and "在下面选定工具再读一次" in page


def test_the_tool_can_be_corrected_with_the_text_still_there(engineer):
    first = read(engineer, text=LIST, tool="nvcc --version")
    assert "GPU-" in first and '<option value="nvcc --version" selected>' in first
    assert "整份输出" in read(engineer, text=LIST, tool="nvidia-smi")


def test_the_exit_status_counts(engineer):
    assert "工具以非零状态结束" in read(engineer, text=LIST, exit_status="9")


def test_a_terminal_with_two_commands_gives_two_outputs(engineer):
    page = read(engineer, text=f"root@gpu-01:~# nvidia-smi -L\n{LIST}root@gpu-01:~# id -u\n0\n")
    assert page.count('<section class="card block"') == 2


def test_secrets_never_come_back(engineer):
    page = read(engineer, text=f"HF_TOKEN=hf_verysecret\n{LIST}", command="API_KEY=alsosecret nvidia-smi")
    assert "verysecret" not in page and "alsosecret" not in page
    assert "读取前已抹去密钥等内容" in page


def test_a_reading_is_called_in_words_with_its_name_small_and_its_exact_value_beside(engineer):
    text = sample("fio/3.28-two-jobs-apart.json")
    page = read(engineer, text=text)
    assert re.search(r'读带宽 <code class="small muted">read_bw</code>', page)
    english = re.search(r"Read bandwidth <code", page)
    assert english is None


def test_the_readings_are_counted_once(engineer):
    page = read(engineer, text=sample("nccl_tests/2.13-all-reduce-8.txt"))
    assert len(re.findall(r"[0-9]+ 个读数", page)) == 1 and re.search(r"个读数，[0-9]+ 项未测得", page)
    assert "<summary>整份输出</summary>" in page


def test_the_column_that_contracts_use_stands_before_the_other(engineer):
    page = read(engineer, text=sample("nccl_tests/2.13-all-reduce-8.txt"))
    places = [page.index(f">busbw_at_largest_size{half}<") for half in ("_out_of_place", "_in_place", "")]
    assert places == sorted(places) and "合同默认取这一列" in page


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("zh-hans", "没有找到命令 nvidia-smi：没有安装，或不在 PATH 里"),
        ("en", "The command nvidia-smi was not found"),
    ],
)
def test_a_missing_tool_is_named_with_what_to_do(engineer, language, said):
    engineer.cookies["django_language"] = language
    page = read(engineer, text="bash: nvidia-smi: command not found\n")
    assert said in page and "no parser knows" not in page and "未认出的工具" not in page


def test_a_tools_text_is_never_markup(engineer):
    assert "<script>x" not in read(engineer, text="<script>x</script>\n")


def test_nothing_is_stored(engineer):
    read(engineer, text=LIST)
    assert not (Delivery.objects.exists() or Evidence.objects.exists() or Output.objects.exists())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_is_read_like_a_text(engineer, encoding):
    page = read(engineer, file=SimpleUploadedFile("smi.txt", LIST.encode(encoding)))
    assert "nvidia-smi -L" in page and "整份输出" in page


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "请粘贴工具打印的内容，或选择文件。"),
        ({"text": " \n"}, "请粘贴工具打印的内容，或选择文件。"),
        ({"text": LIST, "file": SimpleUploadedFile("a.txt", LIST.encode())}, "文本和文件只能给一个"),
        ({"file": SimpleUploadedFile("big.txt", b"x" * 5_400_000)}, "内容有 5.4 MB，上限是 5 MB。请只保留"),
        ({"text": "x" * 5_100_000}, "内容有 5.1 MB，上限是 5 MB。"),
        ({"text": LIST, "tool": "nonsense"}, "nonsense"),
        ({"text": LIST, "exit_status": "zero"}, "整数"),
    ],
    ids=["nothing", "blank", "both", "big-file", "big-text", "other-tool", "no-number"],
)
def test_it_refuses_with_what_is_wrong(engineer, given, said):
    answer = post(engineer, **given)
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_a_text_beyond_any_request_is_refused_with_the_limit(engineer):
    answer = post(engineer, text="x" * 6_000_000)
    assert answer.status_code == 413 and "5 MiB" in answer.content.decode()


def test_it_is_complete_in_english(engineer):
    engineer.cookies["django_language"] = "en"
    page = read(engineer, text=LIST)
    assert "The whole output" in page and "no clause is decided by it" in page


def test_a_number_that_breaks_a_parser_costs_no_page(engineer):
    endless = "9" * 5000
    page = read(
        engineer,
        text=f"# nThread 1 nGpus 8 minBytes {endless} maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n",
        tool="nccl-tests",
    )
    assert "parser_broke" not in page and "nccl-tests" in page
