"""The catalogue's pages: every GPU, every value with its source, and blanks said as not known."""

import html
import re

import pytest
from django.urls import reverse

from gpucontract.catalogue.gpus import GPUS
from gpucontract.catalogue.tables import rows
from gpucontract.catalogue.xid import XIDS
from gpucontract.web.catalogue_page import KINDS, LINKS, SEVERITIES, entries, entry, figures, sources

pytestmark = pytest.mark.django_db


def listing(client, **query):
    return client.get(reverse("catalogue"), query).content.decode()


def of_gpu(client, slug):
    return client.get(reverse("catalogue-gpu", args=[slug]))


def test_it_lists_every_gpu_and_every_xid_code(drafter):
    page = listing(drafter)
    assert page.count("/catalogue/") >= len(GPUS)
    assert all(f"Xid {code}<" in page for code in XIDS)
    assert page.count("未知") > 10


def test_every_gpu_has_an_address_of_its_own_that_opens(drafter):
    slugs = [each.slug for each in entries()]
    assert len(set(slugs)) == len(slugs) == len(GPUS)
    assert all(of_gpu(drafter, slug).status_code == 200 for slug in slugs)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("h100 sxm", ["H100 SXM5 80GB"]),
        ("NVIDIA A100-SXM4-40GB", ["A100 40GB SXM4"]),
        ("no such card", []),
        ("", list(GPUS)),
    ],
    ids=["words", "printed-name", "nothing", "all"],
)
def test_the_search_finds_names_and_printed_names(words, found):
    assert [each.gpu.name for each in entries(words)] == found


def test_a_search_without_result_says_how_to_search(drafter):
    page = listing(drafter, q="<b>tpu")
    assert "目录中没有匹配的 GPU" in page and "<b>tpu" not in page


@pytest.mark.parametrize("table", ["gpus", "bandwidth", "cuda", "limits", "cpus", "xid"])
def test_every_cell_of_every_table_is_on_a_page(drafter, table):
    pages = [listing(drafter), *(of_gpu(drafter, each.slug).content.decode() for each in entries())]
    text = html.unescape("".join(pages))
    coded = {"vendor", "subject", "key", "severity", "nvlink", "kind", "is_healthy", "is_china_variant", "unit", "en"}
    for row in rows(table):
        cells = [part for name, cell in row.items() if name not in coded for part in re.split(r"[|, ]+", cell) if part]
        assert [cell for cell in cells if cell.rstrip("0").rstrip(".") not in text.replace(",", "")] == []


def test_a_gpu_shows_values_units_and_where_they_were_published(drafter):
    page = of_gpu(drafter, "h100-sxm5-80gb").content.decode()
    assert all(shown in page for shown in ("450 GB/s", "900 GB/s", "81,559 MiB", "11.8", "450"))
    assert re.search(r'href="https://docs.nvidia.com/cuda/[^"]+" rel="noreferrer noopener"', page)
    assert "实测" in page and "供方的合格线" in page and "设置有误" in page


def test_every_known_fact_has_a_source_and_every_unknown_one_none():
    for each in entries():
        assert all(fact.sources for fact in each.facts if fact.shown)
        assert not any(fact.sources for fact in each.facts if not fact.shown)


def test_words_exist_for_every_kind_link_and_severity():
    assert {figure.row.kind for figure in figures()} <= set(KINDS)
    assert {xid.severity for xid in XIDS.values()} == set(SEVERITIES)
    assert {gpu.nvlink for gpu in GPUS.values()} - set(LINKS) == {"unknown"}


def test_only_web_addresses_become_links():
    assert [source.address for source in sources("public-listing javascript:x https://a.example/b")] == [
        "",
        "",
        "https://a.example/b",
    ]


def test_a_project_on_a_shared_host_is_named_with_it():
    named = [
        source.name for source in sources("https://github.com/NVIDIA/nccl/issues/1048 https://docs.nvidia.com/a/b")
    ]
    assert named == ["github.com/NVIDIA/nccl", "docs.nvidia.com"]


def test_sources_that_facts_share_are_listed_once(drafter):
    page = of_gpu(drafter, "h100-sxm5-80gb").content.decode()
    assert page.count("open-gpu-kernel-modules/blob") == 1 and "以上各项的来源" in page


def test_an_unknown_gpu_is_not_found(drafter):
    assert entry("tpu-v9") is None
    assert of_gpu(drafter, "tpu-v9").status_code == 404


def test_it_is_complete_in_english(drafter):
    drafter.cookies["django_language"] = "en"
    assert "not known" in listing(drafter) and "Xid codes of the kernel log" in listing(drafter)


def test_a_generation_of_processors_is_named_in_the_readers_language(drafter):
    page = drafter.get(reverse("catalogue")).content.decode()
    assert ">第 4 代 Intel Xeon Scalable<" in page
    drafter.cookies["django_language"] = "en"
    assert ">Intel Xeon Scalable of generation 3 (H)<" in drafter.get(reverse("catalogue")).content.decode()
