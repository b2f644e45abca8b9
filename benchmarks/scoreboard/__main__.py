"""`python -m benchmarks.scoreboard`."""

import sys

from benchmarks.scoreboard.run import main

if __name__ == "__main__":
    sys.exit(main())
