"""What the public calls give back: frozen values, all JSON-ready through `to_dict`."""

from memcore.records.forgetting import DeleteReport, PurgeReport, Remains
from memcore.records.memories import (
    Added,
    AddResult,
    Edge,
    GraphView,
    JobReport,
    MemoryRecord,
    Page,
)
from memcore.records.plain import LARGEST_ID, Plain, checked_id

__all__ = [
    "LARGEST_ID",
    "AddResult",
    "Added",
    "DeleteReport",
    "Edge",
    "GraphView",
    "JobReport",
    "MemoryRecord",
    "Page",
    "Plain",
    "PurgeReport",
    "Remains",
    "checked_id",
]
