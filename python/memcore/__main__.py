"""`python -m memcore`: the command line, whatever the name of the installed script."""

import sys

from memcore.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
