"""Probe: run one small kernel on each GPU through the driver's own library and compare every value it wrote.

A card that the driver lists may still refuse a program. One JSON object a line on stdout: the head, one for each GPU,
the end. Exit status 1 with the reason on stderr when the driver cannot be asked at all.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import uuid
from typing import Any, Dict

LIBRARY = "libcuda.so.1"
COUNT = 65536
THREADS = 256
FACTOR = 2654435761
# out[i] = i * FACTOR + i, in 32 bits. sm_50 is the oldest that current drivers still translate for newer cards.
PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry probe(.param .u64 out, .param .u32 count, .param .u32 factor)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [count];
    ld.param.u32 %r2, [factor];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r6, %r1;
    @%p1 bra DONE;
    mad.lo.s32 %r7, %r6, %r2, %r6;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r6, 4;
    add.s64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r7;
DONE:
    ret;
}
\0"""


class Failed(Exception):
    """A driver call that did not succeed: its name and the driver's own code."""


class Driver:
    """The few calls of the CUDA driver API that the probe needs; each raises Failed unless it returns 0."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(LIBRARY)

    def call(self, name: str, *arguments: Any) -> None:
        """Call one function."""
        code = getattr(self._library, name)(*arguments)
        if code:
            raise Failed(f"{name} {code} {self._name(code)}")

    def number(self, name: str, *arguments: Any) -> int:
        """What a function writes into the int that its first argument points to."""
        value = ctypes.c_int()
        self.call(name, ctypes.byref(value), *arguments)
        return value.value

    def _name(self, code: int) -> str:
        text = ctypes.c_char_p()
        if self._library.cuGetErrorName(code, ctypes.byref(text)) or not text.value:
            return "unknown"
        return text.value.decode("ascii", "replace")


def main() -> int:
    """Probe every GPU; what was narrowed for other programs does not narrow this one."""
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    try:
        driver = Driver()
        driver.call("cuInit", 0)
        version, count = driver.number("cuDriverGetVersion"), driver.number("cuDeviceGetCount")
    except (Failed, OSError) as error:
        print(f"gpucontract-probe: {error}", file=sys.stderr)
        return 1
    _say({"probe": "usable", "version": 1, "cuda": f"{version // 1000}.{version % 1000 // 10}", "gpus": count})
    for index in range(count):
        _say({"gpu": index, **_probed(driver, index)})
    _say({"end": True})
    return 0


def _probed(driver: Driver, index: int) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    try:
        device = driver.number("cuDeviceGet", index)
        found = {"name": _name(driver, device), "uuid": _uuid(driver, device)}
        return {**found, "ok": True, "wrong": _wrong(driver, device)}
    except Failed as error:
        return {**found, "ok": False, "error": str(error)}


def _name(driver: Driver, device: int) -> str:
    text = ctypes.create_string_buffer(256)
    driver.call("cuDeviceGetName", text, len(text), device)
    return text.value.decode("utf-8", "replace")


def _uuid(driver: Driver, device: int) -> str:
    raw = ctypes.create_string_buffer(16)
    driver.call("cuDeviceGetUuid", raw, device)
    return f"GPU-{uuid.UUID(bytes=raw.raw)}"


def _wrong(driver: Driver, device: int) -> int:
    """How many of COUNT values the kernel got wrong."""
    context = ctypes.c_void_p()
    driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    try:
        driver.call("cuCtxSetCurrent", context)
        return sum(value != (index * (FACTOR + 1)) % 2**32 for index, value in enumerate(_written(driver)))
    finally:
        driver.call("cuDevicePrimaryCtxRelease_v2", device)


def _written(driver: Driver) -> Any:
    module, function, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    driver.call("cuModuleLoadData", ctypes.byref(module), PTX)
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"probe")
    driver.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4 * COUNT))
    values = (ctypes.c_uint32 * COUNT)()
    given = (memory, ctypes.c_uint32(COUNT), ctypes.c_uint32(FACTOR))
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(each) for each in given))
    driver.call("cuLaunchKernel", function, COUNT // THREADS, 1, 1, THREADS, 1, 1, 0, None, pointers, None)
    driver.call("cuCtxSynchronize")
    driver.call("cuMemcpyDtoH_v2", values, memory, ctypes.c_size_t(4 * COUNT))
    driver.call("cuMemFree_v2", memory)
    return values


def _say(line: Dict[str, Any]) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)
