"""The command `demo`: the main job on the sample conversation, from text to the block for a prompt."""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memcore.surfaces.cli import session
from memcore.surfaces.cli.options import Json
from memcore.surfaces.cli.output import emit, emit_json, visible
from memcore.surfaces.cli.progress import working
from memcore.surfaces.cli.reading import emit_hits
from memcore.surfaces.cli.writing import embed_waiting, import_items

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from memcore.memory import Memory
    from memcore.searching.result import SearchResult

__all__ = ["register", "sample"]

HITS = 3
EVERY = 3  # of the sample's questions, unless all are wanted


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the memory brought up for one question, and whether a turn that answers it is among that."""

    query: str
    result: "SearchResult"
    context: str
    answered: bool

    def to_dict(self) -> dict[str, Any]:
        return {"query": self.query, "hits": list(self.result), "answered": self.answered, "context": self.context}


def sample(name: str) -> "Traversable":
    """A file of the sample conversation that comes with the package; `examples` holds the same files."""
    return files("memcore.surfaces.cli") / "sample" / name


def demo(
    every_question: Annotated[bool, typer.Option("--all", help="Ask all of the sample's questions.")] = False,
    as_json: Json = False,
) -> None:
    """Show the main job on a sample conversation.

    It is stored in a temporary database and asked some questions; each answer says why it is there.
    """
    from memcore.surfaces.importing import read_turns

    with sample("conversation.jsonl").open(encoding="utf-8") as lines:
        items = list(read_turns(lines))
    with sample("questions.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines][:: 1 if every_question else EVERY]
    with TemporaryDirectory() as folder:
        memory = session.open_memory(str(Path(folder) / "demo.db"), agent_id="demo", create=True)
        try:
            ids = [added.id for added in import_items(memory, items)]
            jobs = embed_waiting(memory)
            answers = _answers(memory, questions, ids)
        finally:
            memory.close()
    if as_json:
        emit_json({"turns": len(ids), "jobs": jobs, "questions": answers})
    else:
        _show(len(ids), answers)


def _answers(memory: "Memory", questions: list[dict[str, Any]], ids: list[int | None]) -> list[_Answer]:
    """An answer for each question; its `evidence` are the lines of the conversation that hold what it asks for."""
    answers = []
    with working("Asking") as advance:
        for done, question in enumerate(questions, 1):
            query, user = question["text"], question["user_id"]
            result = memory.search(query, user_id=user, limit=HITS)
            block = memory.context(query, user_id=user, mark_used=False)
            evidence = {ids[line - 1] for line in question["evidence"]}
            answers.append(_Answer(query, result, block, any(hit.id in evidence for hit in result)))
            advance(done, len(questions))
    return answers


def _show(turns: int, answers: list[_Answer]) -> None:
    emit(f"{turns} turns of a conversation are stored. It is asked {len(answers)} questions:\n")
    for answer in answers:
        emit(f"? {visible(answer.query)}")
        emit_hits(answer.result)
        emit("")
    answered = sum(answer.answered for answer in answers)
    emit(f"For {answered} of {len(answers)} a turn that answers it is among the first {HITS}.\n")
    emit(f"The block for a prompt, for: {visible(answers[-1].query)}\n")
    emit(visible(answers[-1].context, lines=True))


def register(app: typer.Typer) -> None:
    """Give `app` this command."""
    app.command()(demo)
