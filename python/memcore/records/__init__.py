"""What the public calls give back: frozen values, all JSON-ready through `to_dict`."""

from memcore.records.memories import (
    Added,
    AddResult,
    DeleteReport,
    Edge,
    GraphView,
    JobReport,
    MemoryRecord,
    Page,
)
from memcore.records.plain import LARGEST_ID, Plain, checked_id
from memcore.records.review import Conflict

__all__ = [
    "LARGEST_ID",
    "AddResult",
    "Added",
    "Conflict",
    "DeleteReport",
    "Edge",
    "GraphView",
    "JobReport",
    "MemoryRecord",
    "Page",
    "Plain",
    "checked_id",
]
