"""The log of changes does not grow for ever, and whoever is behind what is left of it finds everything all the same."""

from memcore import Memory
from memcore.maintenance import trim


def lines(memory):
    with memory._database.read() as connection:
        return connection.exec_driver_sql("SELECT count(*) FROM revision_log").scalar_one()


def test_the_log_keeps_its_last_lines_and_a_reader_that_is_behind_loads_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(trim, "KEPT", 5)
    with Memory(tmp_path / "a.db", embedder="none") as memory, Memory(tmp_path / "a.db", embedder="none") as reader:
        memory.add("Ana lives in Lisbon.", user_id="ana")
        assert len(reader.search("Lisbon", user_id="ana")) == 1
        for number in range(20):
            memory.add(f"Lisbon has a tram number {number}.", user_id="ana")
        before = lines(memory)
        [report] = memory.maintain(["trim"])
        assert (report.job, report.done, lines(memory)) == ("trim", before - 5, 5)
        assert len(reader.search("Lisbon", user_id="ana", limit=100)) == 21
        assert memory.maintain(["trim"])[0].done == 0
