"""docker run that starts no container: why it did not. What a container printed is read by its own tool's parser."""

from __future__ import annotations

import re

from gpucontract.measurements.parsers.capture import Capture, Parsed
from gpucontract.measurements.parsers.outcomes import known_error, printed, run_error

ERRORS = (
    ("docker_no_command", re.compile(r'exec: \\?".{1,200}?": (?:executable file not found|stat )')),
    ("docker_permission", re.compile(r"permission denied while trying to connect|connect: permission denied", re.I)),
    ("docker_no_daemon", re.compile(r"Cannot connect to the Docker daemon|failed to connect to the docker API", re.I)),
    (
        "docker_no_gpu_support",
        re.compile(
            r"could not select device driver|unknown or invalid runtime name:? ?\"?nvidia"
            r"|Unknown runtime specified nvidia"
            r"|unresolvable CDI devices",
            re.I,
        ),
    ),
    ("docker_gpu_hook", re.compile(r"nvidia-container-cli: ", re.I)),
    (
        "docker_no_image",
        re.compile(
            r"pull access denied|manifest (?:unknown|for \S{1,200} not found)|repository does not exist"
            r"|error pulling image|TLS handshake timeout|no such host|i/o timeout|toomanyrequests",
            re.I,
        ),
    ),
)
SAID = re.compile(r"^docker: (?!command not found).{1,2000}", re.MULTILINE)


def parse(capture: Capture) -> Parsed:
    """No reading, only the reason why the container did not start."""
    text = printed(capture)
    said = SAID.search(text)
    error = known_error(text, ERRORS) or run_error(capture)
    failed = f"docker_run_failed: {said[0][:200]}" if said else "docker_run_unknown: docker said nothing either"
    return Parsed(error=error or failed)
