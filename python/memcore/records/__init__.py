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
from memcore.records.operations import Operation, RowChanged
from memcore.records.plain import LARGEST_ID, Plain, checked_id
from memcore.records.review import Conflict
from memcore.records.work import TaskEvent, TaskPage, TaskRecord, WorkingItem, WorkingSet

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
    "Operation",
    "Page",
    "Plain",
    "PurgeReport",
    "Remains",
    "RowChanged",
    "TaskEvent",
    "TaskPage",
    "TaskRecord",
    "WorkingItem",
    "WorkingSet",
    "checked_id",
]
