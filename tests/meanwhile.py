"""Whether other threads of Python run within a call, on a busy machine too. No test is here."""

import sys
import threading
import time
from collections.abc import Callable

from patience import LONG


def others_run_within(call: Callable[[], object]) -> bool:
    """Whether another thread gets its turn within a call, which is repeated until one does.

    The interpreter is told to take the GIL from nobody meanwhile, so that whatever the other thread
    does during the call it owes to the call.
    """
    steps, done = [0], threading.Event()

    def step() -> None:
        while not done.is_set():
            steps[0] += 1
            time.sleep(0)

    other, before = threading.Thread(target=step, daemon=True), sys.getswitchinterval()
    ends = time.monotonic() + LONG
    sys.setswitchinterval(2 * LONG)
    try:
        other.start()
        while time.monotonic() < ends:
            steps_before = steps[0]
            call()
            if steps[0] > steps_before:
                return True
    finally:
        sys.setswitchinterval(before)
        done.set()
        other.join()
    return False
