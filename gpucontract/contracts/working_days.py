"""Calendar days and Chinese working days: public holidays left out, made-up days counted; the one place that counts."""

from __future__ import annotations

from datetime import date, timedelta

from chinese_calendar import is_workday

from gpucontract.wording import Text

_SATURDAY = 5

OFFICIAL = Text(
    "工作日按国务院办公厅公布的放假安排计：扣除法定节假日，计入调休上班日。",
    "Working days follow the official Chinese calendar: public holidays are left out, make-up days count.",
)
_UNPUBLISHED = Text(
    "本系统还没有 {years} 年的放假安排，这部分暂按周一至周五计，日期可能变化，请自行核对。",
    "The public holidays of {years} are not known here yet: Monday to Friday are counted there, and the date may "
    "change. Check it.",
)


def last_day(start: date, days: int, basis: str) -> date:
    """The last of so many days after one that is not counted itself. basis: calendar or working.

    In a year whose holidays are not published every Monday to Friday counts; see uncertainty. Never beyond the
    calendar's own last day: one that was stored before dates had a range may lie there.
    """
    if basis != "working":
        return start + timedelta(days=min(days, (date.max - start).days))
    day, left = start, days
    while left and day < date.max:
        day += timedelta(days=1)
        left -= _is_working_day(day)
    return day


def uncertainty(start: date, end: date, basis: str) -> Text | None:
    """What to say beside a day counted from start to end through a year whose holidays are not known; else None."""
    years = [year for year in range(start.year, end.year + 1) if not _is_known(year)] if basis == "working" else []
    named = [str(year) for year in years]
    return _UNPUBLISHED.fill(years=Text("、".join(named), ", ".join(named))) if named else None


def _is_known(year: int) -> bool:
    """Whether the calendar holds the year: it refuses one that it has no data for."""
    try:
        is_workday(date(year, 1, 1))
    except NotImplementedError:
        return False
    return True


def _is_working_day(day: date) -> bool:
    try:
        return bool(is_workday(day))
    except NotImplementedError:
        return day.weekday() < _SATURDAY
