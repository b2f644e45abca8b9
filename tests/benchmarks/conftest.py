"""Makes the programs beside the package importable: they are run from the checkout."""

import sys

from support import CHECKOUT

if str(CHECKOUT) not in sys.path:
    sys.path.append(str(CHECKOUT))
