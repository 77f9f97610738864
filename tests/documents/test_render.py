"""The appendix: every printed fact, the same bytes each time, nothing loaded from outside, the data inside."""

import io

import pikepdf
import pytest
from weasyprint.text.ffi import harfbuzz_subset

from gpucontract.contracts.body import BodyError, unpack
from gpucontract.documents.context import SignOffLine, appendix, read
from gpucontract.documents.render import RenderError, press, render
from gpucontract.documents.rendering import print_in_child
from tests.documents.bodies import body, packed

CREATED = "2026-11-30T04:00:00+00:00"
HOSTILE = '<img src="file:///etc/passwd"><link rel=attachment href="file:///etc/passwd"><style>*{display:none}</style>'


@pytest.fixture(scope="module")
def printed():
    html, pdf = render(appendix(body(), CREATED), packed())
    return html, pdf


def test_every_clause_is_printed_with_its_number_key_and_value(printed):
    html, _ = printed
    for clause in body().clauses:
        assert clause.text.zh in html and clause.key in html
    assert "≥ 455 GB/s" in html and "测 3 次，取中位数" in html


def test_the_hash_of_the_revision_stands_on_the_page(printed):
    assert f"sha256 {body().sha256}" in printed[0]


def test_the_same_revision_gives_the_same_bytes(printed):
    assert render(read(appendix(body(), CREATED).stored()), packed())[1] == printed[1]


def test_a_child_process_prints_the_same_bytes(printed):
    assert print_in_child(appendix(body(), CREATED).stored(), packed()) == printed[1]


def test_the_data_inside_is_the_frozen_revision(printed):
    with pikepdf.open(io.BytesIO(printed[1])) as pdf:
        data = pdf.attachments["contract.json"].get_file().read_bytes()
    assert unpack(data) == body()


def test_each_weight_is_one_embedded_font(printed):
    with pikepdf.open(io.BytesIO(printed[1])) as pdf:
        fonts = {
            str(font.BaseFont).partition("+")[2]
            for page in pdf.pages
            for font in page.Resources.get("/Font", {}).values()
        }
    assert fonts == {"GPUC-Sans-SC", "GPUC-Sans-SC-Bold"}


def test_markup_in_a_name_is_printed_as_text():
    html, pdf = render(appendix(body(buyer=HOSTILE), CREATED), packed(buyer=HOSTILE))
    assert "&lt;img src=" in html and "<img" not in html
    with pikepdf.open(io.BytesIO(pdf)) as opened:
        assert list(opened.attachments) == ["contract.json"]


@pytest.mark.parametrize(
    "markup",
    (
        '<img src="file:///etc/passwd">',
        '<img src="http://169.254.169.254/latest">',
        '<link rel="stylesheet" href="file:///etc/passwd">',
        '<link rel="attachment" href="file:///etc/passwd">',
        '<p style="background:url(file:///etc/passwd)">x</p>',
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd" width="1" height="1"/></svg>',
        '<object data="file:///etc/passwd"></object>',
    ),
)
def test_nothing_is_loaded_from_outside_even_if_markup_got_through(markup):
    with pytest.raises(RenderError, match="may not load"):
        press(f"<html><body>{markup}</body></html>", b"{}", appendix(body(), CREATED))


def test_sign_offs_are_printed_in_their_box():
    line = SignOffLine("vendor", "湖北江北算力服务有限公司", "孙签", "sun@vendor.example", "2026-11-30T05:00:00Z")
    html, _ = render(appendix(body(), CREATED, (line,)), packed())
    assert "孙签 (sun@vendor.example)" in html


def test_an_altered_attachment_is_refused():
    altered = packed().replace(b"455", b"400", 1)
    with pytest.raises(BodyError):
        unpack(altered)


def test_the_fast_font_subsetter_is_there():
    assert harfbuzz_subset is not None, "install libharfbuzz-subset0, or PDFs take five times longer"
