"""The packed revision out of an appendix PDF."""

import io

import pikepdf

from gpucontract.contracts.body import PACK_NAME, BodyError


def packed_in_pdf(pdf: bytes) -> bytes:
    """The file that the appendix carries; its hashes are checked when it is unpacked. Raises BodyError."""
    try:
        with pikepdf.open(io.BytesIO(pdf)) as opened:
            if PACK_NAME not in opened.attachments:
                raise BodyError(f"this PDF carries no {PACK_NAME}: it is no appendix made here")
            return bytes(opened.attachments[PACK_NAME].get_file().read_bytes())
    except pikepdf.PdfError as fault:
        raise BodyError(f"this PDF cannot be read: {fault}") from fault
