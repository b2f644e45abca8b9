"""The named dialects as Python names; `verger.DIALECTS` looks them up by name.

Derive your own from the closest one: `RFC9309.replace(tie="disallow")`.
"""

from verger._core import DIALECTS

__all__ = [
    "BING",
    "GOOGLE",
    "GOOGLEBOT_CPP",
    "KOSTER_1996",
    "KOSTER_REP_00",
    "ORIGINAL_1994",
    "RFC9309",
    "YANDEX",
]

ORIGINAL_1994 = DIALECTS["original-1994"]
KOSTER_1996 = DIALECTS["koster-1996"]
KOSTER_REP_00 = DIALECTS["koster-rep-00"]
RFC9309 = DIALECTS["rfc9309"]
GOOGLE = DIALECTS["google"]
GOOGLEBOT_CPP = DIALECTS["googlebot-cpp"]
YANDEX = DIALECTS["yandex"]
BING = DIALECTS["bing"]
