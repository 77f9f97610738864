"""The render process: facts on standard input, PDF on standard output. Run as python -m gpucontract.documents.child."""

import json
import resource
import sys

import django

from gpucontract.documents.context import read
from gpucontract.documents.render import render

CPU_SECONDS = 600
MEMORY_BYTES = 6 * 2**30


def main() -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    django.setup()
    order = json.load(sys.stdin)
    _html, pdf = render(read(order["appendix"]), order["attachment"].encode())
    sys.stdout.buffer.write(pdf)
    return 0


if __name__ == "__main__":
    sys.exit(main())
