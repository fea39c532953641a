"""How much of a month and of a school year is lessons, and how many hours a month has."""

from __future__ import annotations

from calendar import monthrange

from pydantic import BaseModel, ConfigDict, Field, model_validator

from capacity.pricing.prices import HOURS_PER_MONTH


class SchoolCalendar(BaseModel):
    """Lessons of one scenario's population: how long, how many a day, on how many days, in how many months.

    The defaults are a Japanese elementary school that uses the system in two lessons of every school day. A month is
    AWS's 730 hours, the mean of a year's twelve, unless `month` names one, such as 2027-02 with its 672.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    lesson_minutes: float = Field(45, gt=0, le=24 * 60)
    lessons_per_day: float = Field(2, gt=0, le=24)
    days_per_month: float = Field(20, gt=0, le=31)
    months_per_year: float = Field(11, gt=0, le=12)
    month: str | None = Field(None, pattern=r"^[1-9]\d{3}-(0[1-9]|1[0-2])$")

    @model_validator(mode="after")
    def _school_days_fit(self) -> SchoolCalendar:
        if self.month is not None and self.days_per_month > self.hours_per_month / 24:
            raise ValueError(
                f"{self.days_per_month:g} school days do not fit {self.month}, which has "
                f"{self.hours_per_month / 24:g} days"
            )
        return self

    @property
    def hours_per_month(self) -> float:
        """Hours of the month: 730, or 24 for each day of the named one."""
        if self.month is None:
            return HOURS_PER_MONTH
        year, number = self.month.split("-")
        return 24.0 * monthrange(int(year), int(number))[1]

    @property
    def lesson_s(self) -> float:
        """Seconds of one lesson."""
        return self.lesson_minutes * 60

    @property
    def lessons_per_month(self) -> float:
        """Lessons in a month of school."""
        return self.lessons_per_day * self.days_per_month

    @property
    def lesson_hours_per_month(self) -> float:
        """Hours of lessons in a month of school."""
        return self.lessons_per_month * self.lesson_minutes / 60
