"""A draft in which every term of every row is given, made from the terms' own table."""

from datetime import date
from decimal import Decimal
from typing import Any

from gpucontract.contracts.sections.steps import terms_of
from gpucontract.contracts.sections.term import Kind, TermInfo

SHAPES = {"uscc": "91420100MADEMB02XH", "path": "/data/a", "version": "12.4", "email": "notice@buyer.example"}


def value_of(info: TermInfo, group_codes: tuple[str, ...] = ("g1", "g2")) -> Any:
    """A value that is not the term's default and shows whether anything is lost: fine, long, several."""
    match info.kind:
        case Kind.TEXT:
            return SHAPES.get(info.shape, "“值”=1, <b>")[: info.length]
        case Kind.CHOICE:
            return next(choice for choice in reversed(info.choices) if choice != info.default)
        case Kind.MULTI:
            return tuple(choice for choice in info.choices if choice != "none") or group_codes
        case Kind.YES_NO:
            return not info.default
        case Kind.WHOLE:
            return max(info.choices) if info.choices else int(info.maximum)
        case Kind.DECIMAL:
            return Decimal(info.maximum) - Decimal(1).scaleb(-info.decimals)
        case Kind.DATE:
            return date(2027, 2, 28)
        case Kind.ROWS:
            return tuple({column.id: value_of(column) for column in info.columns} for _ in range(2))


def every_term() -> dict[str, dict[str, Any]]:
    """Two groups and two mounts with every term given, and the contract's own."""
    return {code: {info.id: value_of(info) for info in terms_of(code)} for code in ("c", "g1", "g2", "m1", "m2")}
