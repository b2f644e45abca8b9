"""`python -m verger` is the command `verger`."""

import sys

from verger.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
