"""`python -m benchmarks.languages`."""

import sys

from benchmarks.languages.run import main

if __name__ == "__main__":
    sys.exit(main())
