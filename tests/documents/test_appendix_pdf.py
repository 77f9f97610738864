"""The offline judge reads the revision out of the printed appendix."""

import io

import pikepdf
import pytest

from gpucontract.contracts.body import BodyError, unpack
from gpucontract.documents.context import appendix
from gpucontract.documents.render import render
from gpucontract.verdicts.appendix_pdf import packed_in_pdf
from tests.documents.bodies import body, packed


def empty_pdf():
    stream = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(stream)
    return stream.getvalue()


def test_the_revision_comes_back_whole():
    _, pdf = render(appendix(body(), "2026-11-30T04:00:00+00:00"), packed())
    assert unpack(packed_in_pdf(pdf)) == body()


@pytest.mark.parametrize(
    ("pdf", "said"),
    ((empty_pdf(), "carries no contract.json"), (b"%PDF-1.7 nothing", "cannot be read")),
    ids=("another", "broken"),
)
def test_another_pdf_is_refused_in_a_sentence(pdf, said):
    with pytest.raises(BodyError, match=said):
        packed_in_pdf(pdf)
