"""`python -m verger.testing.suite COMMAND`: a parser through the suite."""

import sys

from verger.testing.suite.command import main

if __name__ == "__main__":
    sys.exit(main())
