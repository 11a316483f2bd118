"""Runs each line as SQL with the interpreter's own sqlite3, as any other program would; answers with the rows."""

import json
import sqlite3
import sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
for line in sys.stdin:
    sys.stdout.write(json.dumps(connection.execute(json.loads(line)).fetchall()) + "\n")
    sys.stdout.flush()
connection.close()
