"""The command `demo`: the main job on the sample conversation, from text to the block for a prompt."""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

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

__all__ = ["register", "sample"]

USER = "demo"
HITS = 3


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the memory brought up for one question."""

    query: str
    hits: list[Any]
    context: str

    def to_dict(self) -> dict[str, Any]:
        return {"query": self.query, "hits": self.hits, "context": self.context}


def sample(name: str) -> "Traversable":
    """A file of the sample conversation that comes with the package; `examples` holds the same files."""
    return files("memcore.surfaces.cli") / "sample" / name


def demo(as_json: Json = False) -> None:
    """Show the main job on a sample conversation.

    It is stored in a temporary database and asked some questions; each answer says why it is there.
    """
    from memcore.surfaces.importing import read_turns

    with sample("conversation.jsonl").open(encoding="utf-8") as lines:
        items = list(read_turns(lines, user_id=USER))
    with sample("questions.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line)["query"] for line in lines if line.strip()]
    with TemporaryDirectory() as folder:
        memory = session.open_memory(str(Path(folder) / "demo.db"), agent_id="demo")
        try:
            import_items(memory, items)
            jobs = embed_waiting(memory)
            answers = _answers(memory, questions)
        finally:
            memory.close()
    if as_json:
        emit_json({"turns": len(items), "jobs": jobs, "questions": answers})
    else:
        _show(len(items), answers)


def _answers(memory: "Memory", questions: list[str]) -> list[_Answer]:
    answers = []
    with working("Asking") as advance:
        for done, query in enumerate(questions, 1):
            hits = list(memory.search(query, user_id=USER, limit=HITS))
            block = memory.context(query, user_id=USER, mark_used=False)
            answers.append(_Answer(query, hits, block))
            advance(done, len(questions))
    return answers


def _show(turns: int, answers: list[_Answer]) -> None:
    emit(f"{turns} turns of a conversation are stored. What comes back for {len(answers)} questions:\n")
    for answer in answers:
        emit(f"? {visible(answer.query)}")
        emit_hits(answer.hits)
        emit("")
    emit(f"The block for a prompt, for: {visible(answers[-1].query)}\n")
    emit(visible(answers[-1].context, lines=True))


def register(app: typer.Typer) -> None:
    """Give `app` this command."""
    app.command()(demo)
