"""Crawlers that follow other groups than RFC 9309 section 2.2.1 says, or no groups.

By token in lower case: the kind, what binds it, whom it follows, whether it obeys robots.txt, and
the page that says so. Written by tools/crawlers.py from tools/crawlers.toml. A module, because
every command asks it.
"""

# fmt: off

Binding = tuple[str, str, tuple[str, ...], str, str]

_TOKENS: dict[Binding, str] = {
    (
        "policy-token", "groups", (), "unknown",
        "draft-kelley-aipref-training-preference-signal-00, quoted by Seo-Promt-Master v2.2.0",
    ): (
        "__usage_ai-training "
    ),
    (
        "crawler", "named-groups", (), "partial",
        "Google, List of Google's special-case crawlers",
    ): (
        "adsbot-google adsbot-google-mobile apis-google mediapartners-google "
    ),
    (
        "crawler", "nothing", (), "partial",
        "Amazon, About Amazonbot",
    ): (
        "amzn-user "
    ),
    (
        "crawler", "groups", ("Googlebot",), "yes",
        "Apple Support, About Applebot",
    ): (
        "applebot "
    ),
    (
        "policy-token", "groups", (), "yes",
        "Apple Support, About Applebot",
    ): (
        "applebot-extended "
    ),
    (
        "crawler", "groups", ("msnbot",), "yes",
        "Microsoft Bing, Overview of Bing crawlers (user agents)",
    ): (
        "bingbot "
    ),
    (
        "crawler", "groups", ("Googlebot",), "partial",
        "Botify blog, Customize Robots.txt Rules for the Botify Crawler",
    ): (
        "botify "
    ),
    (
        "crawler", "nothing", (), "partial",
        "OpenAI, Overview of OpenAI Crawlers",
    ): (
        "chatgpt-user "
    ),
    (
        "crawler", "groups", ("coccocbot",), "yes",
        "Cốc Cốc, Robots of Cốc Cốc",
    ): (
        "coccocbot-ads coccocbot-fast coccocbot-image coccocbot-shopping coccocbot-web "
    ),
    (
        "crawler", "nothing", (), "no",
        "Google, List of Google user-triggered fetchers",
    ): (
        "feedfetcher-google google-agent google-cws google-gemininotebook google-notebooklm "
        "google-pinpoint google-read-aloud google-site-verification googlemessages googleproducer "
    ),
    (
        "crawler", "nothing", (), "no",
        "Feedly, Feedly Fetcher",
    ): (
        "feedly "
    ),
    (
        "policy-token", "groups", (), "yes",
        "Google, List of Google's common crawlers",
    ): (
        "google-extended "
    ),
    (
        "crawler", "groups", ("Googlebot",), "yes",
        "Google, List of Google's common crawlers",
    ): (
        "google-inspectiontool googlebot-image googlebot-news googlebot-video "
    ),
    (
        "crawler", "nothing", (), "no",
        "Google, List of Google's special-case crawlers",
    ): (
        "google-safety "
    ),
    (
        "crawler", "groups", ("GoogleOther",), "yes",
        "Google, List of Google's common crawlers",
    ): (
        "googleother-image googleother-video "
    ),
    (
        "crawler", "nothing", (), "no",
        "Apple Support, About Applebot",
    ): (
        "itms "
    ),
    (
        "crawler", "groups", ("Googlebot",), "yes",
        "Kagi Search, KagiBot",
    ): (
        "kagibot "
    ),
    (
        "crawler", "nothing", (), "partial",
        "Kimi, Kimi Crawlers",
    ): (
        "kimi-user "
    ),
    (
        "crawler", "nothing", (), "partial",
        "Meta for Developers, Meta Web Crawlers",
    ): (
        "meta-externalfetcher "
    ),
    (
        "crawler", "nothing", (), "no",
        "Perplexity, Perplexity Crawlers",
    ): (
        "perplexity-user "
    ),
    (
        "crawler", "groups", ("Qwantbot",), "yes",
        "Qwant help, Qwantbot",
    ): (
        "qwantbot-news "
    ),
    (
        "crawler", "groups", ("Googlebot",), "partial",
        "Screaming Frog, SEO Spider guide: Robots.txt",
    ): (
        "screaming "
    ),
    (
        "crawler", "groups", ("SiteimproveBot",), "yes",
        "Siteimprove help, Update to the robots.txt parser",
    ): (
        "siteimprovebot-crawler "
    ),
    (
        "crawler", "nothing", (), "no",
        "Yandex Webmaster help, Yandex robots in server logs",
    ): (
        "yadirectfetcher yandexmetrika "
    ),
    (
        "crawler", "named-groups", (), "partial",
        "Yandex Webmaster help, Yandex robots in server logs",
    ): (
        "yandexaccessibilitybot yandexcalendar yandexdirectdyn yandexfavicons yandexmobilebot "
        "yandexmobilescreenshotbot yandexontodbapi yandexpartner yandexrca yandexscreenshotbot "
        "yandexsearchshop yandextracker yandexvideoparser "
    ),
    (
        "crawler", "groups", ("Yandex",), "yes",
        "Yandex Webmaster help, Yandex robots in server logs",
    ): (
        "yandexadnet yandexblogs yandexbot yandexfordomain yandeximageresizer yandeximages "
        "yandexmedia yandexnews yandexontodb yandexpagechecker yandexsitelinks yandexspravbot "
        "yandexturbo yandexverticals yandexvertis yandexvideo yandexwebmaster "
    ),
    (
        "crawler", "named-groups", ("Yandex",), "partial",
        "Yandex Webmaster help, Yandex robots in server logs",
    ): (
        "yandexdirect "
    ),
    (
        "crawler", "groups", ("Yandex",), "partial",
        "Yandex Webmaster help, Yandex robots in server logs",
    ): (
        "yandexmarket "
    ),
}

BINDINGS: dict[str, Binding] = dict(
    sorted((token, binding) for binding, tokens in _TOKENS.items() for token in tokens.split())
)
