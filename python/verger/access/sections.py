"""The section that explains each access reason, for people to look up; it affects no decision."""

RFC = "RFC 9309"
REP_00 = "draft-koster-rep-00"
KOSTER = "Koster, A Method for Robots Exclusion, draft 1, section 3.1"
GOOGLE = (
    "Google, How Google interprets the robots.txt specification, handling of errors and HTTP "
    "status codes"
)
YANDEX = "Yandex Webmaster help, Using robots.txt"
TOO_MANY = "RFC 6585 section 4"
"""Why a server answers 429; RFC 9309 and its draft permit everything after any 4xx."""

_SUBSECTIONS = {
    "SUCCESSFUL": "2.3.1.1",
    "TOO_MANY_REDIRECTS": "2.3.1.2",
    "REDIRECT_DISALLOWED": "2.3.1.2",
    "UNAVAILABLE": "2.3.1.3",
    "FORBIDDEN": "2.3.1.3",
    "TOO_MANY_REQUESTS": "2.3.1.3",
    "COPY": "2.4",
}
_DOCUMENTS = {
    "A Standard": KOSTER,
    "Koster": KOSTER,
    "Google": GOOGLE,
    "google": GOOGLE,
    "Yandex": YANDEX,
}


def section_of(reason: str, title: str, *, is_open: bool) -> str:
    """Return the section of a document that explains a reason, and whether it opens the site.

    `COPY` is the use of an old copy instead of an unreachable file. The page of 1994 does not
    mention failures, so Koster's draft of 1996 is used; RFC 9309 covers what Bing leaves out.
    """
    for beginning, document in _DOCUMENTS.items():
        if title.startswith(beginning):
            return document
    if reason == "TOO_MANY_REQUESTS" and not is_open:
        return TOO_MANY
    draft = REP_00 if title.startswith(REP_00) else RFC
    return f"{draft} section {_SUBSECTIONS.get(reason, '2.3.1.4')}"
