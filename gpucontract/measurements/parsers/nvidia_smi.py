"""nvidia-smi in all its inventory forms: the form is told by what was printed, then by the command."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers import (
    nvidia_smi_apps,
    nvidia_smi_csv,
    nvidia_smi_list,
    nvidia_smi_log,
    nvidia_smi_table,
    nvidia_smi_version,
    nvidia_smi_xml,
)
from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.cleaning import cleaned

LIST_OPTION = re.compile(r"\s(?:-L|--list-gpus)\b")
QUERY_OPTION = re.compile(r"\s(?:-q|--query)(?![\w-])")
XML_OPTION = re.compile(r"\s(?:-x|--xml-format)(?![\w-])")


def parse(capture: Capture) -> Parsed:
    """Read by the module of the form that was printed."""
    text = cleaned(capture.stdout)
    asked = f" {capture.tool} {capture.command}"
    if "<nvidia_smi_log" in text or "<!DOCTYPE nvidia_smi_log" in text or XML_OPTION.search(asked):
        return nvidia_smi_xml.parse(capture)
    if nvidia_smi_log.BANNER.search(text):
        return nvidia_smi_log.parse(capture)
    if nvidia_smi_version.SIGN.search(text):
        return nvidia_smi_version.parse(capture)
    if nvidia_smi_table.HEADER.search(text):
        return nvidia_smi_table.parse(capture)
    if "--query-compute-apps" in asked or nvidia_smi_apps.HEADER.search(text):
        return nvidia_smi_apps.parse(capture)
    if "--query-" in asked:
        return nvidia_smi_csv.parse(capture)
    if nvidia_smi_list.GPU.search(text) or LIST_OPTION.search(asked):
        return nvidia_smi_list.parse(capture)
    if QUERY_OPTION.search(asked):
        return nvidia_smi_log.parse(capture)
    return nvidia_smi_csv.parse(capture) if nvidia_smi_csv.has_header(text) else nvidia_smi_table.parse(capture)
