"""The only door to WeasyPrint: a frozen Appendix and its attachment in, HTML and PDF bytes out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.template.loader import render_to_string

from gpucontract.contracts.body import PACK_NAME
from gpucontract.documents.context import Appendix

TEMPLATE_VERSION = 6
FOLDER = Path(__file__).resolve().parent
ASSETS = {
    "asset:regular.otf": (FOLDER / "fonts/GPUCSansSC-Regular.otf", "font/otf"),
    "asset:bold.otf": (FOLDER / "fonts/GPUCSansSC-Bold.otf", "font/otf"),
}


class RenderError(RuntimeError):
    """The document tried to load something from outside; nothing is printed."""


def render(appendix: Appendix, attachment: bytes) -> tuple[str, bytes]:
    """(html, pdf): the same facts give the same bytes. Raises RenderError when the HTML asks for a URL."""
    html = render_to_string("documents/appendix.html", {"appendix": appendix})
    return html, press(html, attachment, appendix)


def press(html: str, attachment: bytes, appendix: Appendix) -> bytes:
    """The PDF/A-3b of a finished HTML text with the data embedded; dates and identifier come from the revision."""
    from weasyprint import CSS, HTML, Attachment
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import FatalURLFetchingError, URLFetcher, URLFetcherResponse

    refused: list[str] = []

    class Shelf(URLFetcher):
        """Serves the two fonts from disk and nothing else: user text can never reach a file or the network."""

        def fetch(self, url: str, headers: object = None) -> URLFetcherResponse:  # noqa: ARG002
            if url not in ASSETS:
                refused.append(url)
                raise FatalURLFetchingError(f"the document may not load {url}")
            path, kind = ASSETS[url]
            return URLFetcherResponse(url, path.read_bytes(), {"Content-Type": kind})

    fetcher, fonts = Shelf(), FontConfiguration()
    created = datetime.fromisoformat(appendix.created)
    data = Attachment(
        string=attachment, name=PACK_NAME, description=f"{appendix.contract} r{appendix.revision}",
        created=created, modified=created, relationship="Source", url_fetcher=fetcher,
    )  # fmt: skip
    sheet = CSS(string=(FOLDER / "print.css").read_text(encoding="utf-8"), font_config=fonts, url_fetcher=fetcher)
    try:
        pdf = HTML(string=html, url_fetcher=fetcher, base_url=None).write_pdf(
            stylesheets=[sheet], attachments=[data], font_config=fonts, pdf_variant="pdf/a-3b",
            pdf_identifier=bytes.fromhex(appendix.sha256[:32]),
        )  # fmt: skip
    except FatalURLFetchingError as fault:
        raise RenderError(str(fault)) from fault
    # Inside inline SVG WeasyPrint swallows the refusal, so what was refused is asked once more.
    if refused:
        raise RenderError(f"the document may not load {', '.join(refused)}")
    return bytes(pdf)
