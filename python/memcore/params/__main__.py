"""Writes every default to standard output: `python -m memcore.params > retrieval_params.json`."""

import sys

from memcore.params.document import default_document

sys.stdout.write(default_document())
