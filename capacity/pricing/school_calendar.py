"""How much of a month and of a school year is lessons."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SchoolCalendar(BaseModel):
    """Lessons of one scenario's population: how long, how many a day, on how many days, in how many months.

    The defaults are a Japanese elementary school that uses the system in two lessons of every school day.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    lesson_minutes: float = Field(45, gt=0, le=24 * 60)
    lessons_per_day: float = Field(2, gt=0, le=24)
    days_per_month: float = Field(20, gt=0, le=31)
    months_per_year: float = Field(11, gt=0, le=12)

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
