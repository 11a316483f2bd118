"""Dates in what people write, in English and Chinese: in queries, in indexed text, in imported conversations."""

from memcore.dates.moments import parse_moment
from memcore.dates.query import DateSpan, query_dates
from memcore.dates.questions import asks_when, ends_in_question
from memcore.dates.sayings import means_other_days
from memcore.dates.terms import date_terms, dated_query_terms, is_spoken, subject_terms

__all__ = [
    "DateSpan",
    "asks_when",
    "date_terms",
    "dated_query_terms",
    "ends_in_question",
    "is_spoken",
    "means_other_days",
    "parse_moment",
    "query_dates",
    "subject_terms",
]
