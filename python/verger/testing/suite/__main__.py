"""`python -m verger.testing.suite COMMAND`: a parser through the suite."""

import signal
import sys

from verger.testing.suite.command import main

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the parser ends first
    sys.exit(main())
