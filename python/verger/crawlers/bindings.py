"""Crawlers that follow other groups than RFC 9309 section 2.2.1 says, or no groups.

By token in lower case: the kind, what binds it, whom it follows, and the page that says so. Written
by tools/crawlers.py from tools/crawlers.toml. A module, because every command asks it.
"""

# fmt: off

Binding = tuple[str, str, tuple[str, ...], str]

_TOKENS: dict[Binding, str] = {
    ("crawler", "named-groups", (), "Google, List of Google's special-case crawlers"): (
        "adsbot-google adsbot-google-mobile apis-google mediapartners-google "
    ),
    ("crawler", "groups", ("Googlebot",), "Apple Support, About Applebot"): (
        "applebot "
    ),
    ("policy-token", "groups", (), "Apple Support, About Applebot"): (
        "applebot-extended "
    ),
    ("crawler", "nothing", (), "OpenAI, Overview of OpenAI Crawlers"): (
        "chatgpt-user "
    ),
    ("crawler", "nothing", (), "Google, List of Google user-triggered fetchers"): (
        "feedfetcher-google google-agent google-cws google-gemininotebook google-notebooklm "
        "google-pinpoint google-read-aloud google-site-verification googlemessages googleproducer "
    ),
    ("policy-token", "groups", (), "Google, List of Google's common crawlers"): (
        "google-extended "
    ),
    ("crawler", "groups", ("Googlebot",), "Google, List of Google's common crawlers"): (
        "google-inspectiontool googlebot-image googlebot-news googlebot-video "
    ),
    ("crawler", "nothing", (), "Google, List of Google's special-case crawlers"): (
        "google-safety "
    ),
    ("crawler", "groups", ("GoogleOther",), "Google, List of Google's common crawlers"): (
        "googleother-image googleother-video "
    ),
    ("crawler", "nothing", (), "Apple Support, About Applebot"): (
        "itms "
    ),
    ("crawler", "nothing", (), "Meta for Developers, Meta Web Crawlers"): (
        "meta-externalfetcher "
    ),
    ("crawler", "nothing", (), "Perplexity, Perplexity Crawlers"): (
        "perplexity-user "
    ),
    ("crawler", "nothing", (), "Yandex Webmaster help, Yandex robots in server logs"): (
        "yadirectfetcher yandexmetrika "
    ),
    ("crawler", "named-groups", (), "Yandex Webmaster help, Yandex robots in server logs"): (
        "yandexaccessibilitybot yandexcalendar yandexdirect yandexdirectdyn yandexfavicons "
        "yandexmobilebot yandexmobilescreenshotbot yandexontodbapi yandexpartner yandexrca "
        "yandexscreenshotbot yandexsearchshop yandextracker yandexvideoparser "
    ),
    ("crawler", "groups", ("Yandex",), "Yandex Webmaster help, Yandex robots in server logs"): (
        "yandexadnet yandexblogs yandexbot yandexfordomain yandeximageresizer yandeximages "
        "yandexmarket yandexmedia yandexnews yandexontodb yandexpagechecker yandexsitelinks "
        "yandexspravbot yandexturbo yandexverticals yandexvertis yandexvideo yandexwebmaster "
    ),
}

BINDINGS: dict[str, Binding] = dict(
    sorted((token, binding) for binding, tokens in _TOKENS.items() for token in tokens.split())
)
