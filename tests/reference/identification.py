"""Identification strings: which crawler does a `User-Agent` header name?

In: a header. Out: its product token, and the names by which a registry may know the sender.
RFC 9309 section 2.2.1; RFC 9110 sections 5.6.5 (comments), 10.1.5 (products in decreasing order of
significance, comments about them). A header is read as a list of characters, from left to right.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

BROWSERS = """
    applewebkit bonecho camino cfnetwork chrome chromeframe chromium crios crmo edg edga edge edgios
    epiphany firebird firefox fxios galeon gecko goanna icecat iceweasel iemobile k-meleon khtml
    konqueror like minefield mobile mobilesafari mozilla mozzila msie netscape netscape6 netscape7
    opera opios opr palemoon presto safari samsungbrowser seamonkey shiretoko trident ucbrowser
    ibrowser mqqbrowser qqbrowser netfront webtv
    version vivaldi webkit yabrowser
"""
SYSTEMS = """
    aarch64 amd64 android arm arm64 armv7l bada beos cros darwin debian fedora freebsd gentoo gnu
    harmonyos i386 i486 i586 i686 intel ipad iphone ipod j2me kaios linux mac mac_powerpc macintosh
    microsoft netbsd nintendo office openbsd playstation ppc smart-tv smarttv sunos suse symbian
    symbianos tizen tv ubuntu wayland web0s webos win win16 win32 win64 win95 win98 windows winnt
    wow64 x11 x64 x86 x86_64 xbox
"""
FEATURES = """
    .net .net4.0c .net4.0e bri build compatible configuration cpu digext embedded for gzip i
    infopath.1 infopath.2 infopath.3 k media midp mmp ms-office msoffice n os profile slcc1 slcc2
    sv1 tablet touch u unknown up.browser up.link vendorid via wv
"""
BESIDE = """
    1password 2345explorer 360ee 360se abb acheetahi adg adobeair agency aliapp alipayclient
    amazonshopping amazonwebappplatform aol aolshield app_version appname appversion atcontent avast
    avg avira baiduboxapp barcelona basilisk bingsapphire bingweb blackboard bluesky brave browserng
    bytedancewebview bytefulllocale bytelocale ccleaner channel cmac code config covc creativecloud
    cursor daum ddg dingtalk discord duckduckgo ecosia electron falcontag falkon fban feedly firephp
    flipboard fluid flutterwebview focus fvc genieo gls googleapp grammarly gsa herring hola
    honorlock iab instabridge instagram instapaper iridium iron isdarkmode jssdk kakaotalk kindle
    kinza klar klarna ladybird language liebaofast lightning likewise line linkedinapp maxthon
    metasr micromessenger midori minimo mms mnenhy multizilla mypal naver navigator netnewswire
    nettype newsarticle norton nv obs obsidian oktamobile omi omniweb onefootball opencode openwave
    opt opx osmeta otter outlook pandora phantom phoenix phx pia pinterest postbox puffin qihu
    qtwebengine quark quarkpc reddit region revealtype roblox robloxapp shiira silk skyfire slack
    slack_ssb slbchan slbvpv sleipnir snapchat sp-engine spark sparrow stumbleupon sznprohlizec t7
    talon teams telegram-android tesla thunderbird topbuzz touchpad trae tumblr twitter
    twitterandroid unique upday viber viewer waterfox webappmanager webwasher wechat weibo weixin
    whale whatsapp windowswechat wkwebview wolvic wp-android wp-iphone wxwork xiaomi xweb
    yandexsearch zalo
"""
LISTS = {"browser": BROWSERS, "system": SYSTEMS, "feature": FEATURES, "beside": BESIDE}
KINDS = {word: said for said, words in LISTS.items() for word in words.split()}
PHONE = re.compile(
    r"applecoremedia|dillo|docomo|elinks|hbbtv|j-phone|links|lynx|netsurf|roku|softbank|ucweb|vodafone"
    r"|w3m|(?:blackberry|kddi-|nokia|samsung-|sonyericsson)(?=.*[0-9]).*",
    re.IGNORECASE,
)
ADDED = re.compile(r"(?:gtb|musical_ly|trill_|weibointl|weibolite).*", re.IGNORECASE)

BLANK = " \t\r\n\v\f\xa0\ufeff"
MARKS = "!$%&'+-.^_`~"
URL = re.compile(r"[+]*www[.]|.*://", re.IGNORECASE | re.DOTALL)
MAIL = re.compile(r"[^@]+@(?:.*@)?[^@]*[.][A-Za-z]", re.DOTALL)
COMPATIBLE = re.compile(f"[{BLANK}]*compatible[{BLANK}]*(?:$|:)", re.IGNORECASE)
OF_CRAWLERS = re.compile(
    "archiv|bot|check|crawl|fetch|index|monitor|preview|scan|scrap|slurp|spider", re.IGNORECASE
)
VERSION = re.compile(r"[vV]?[0-9]+[.]")
LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2})?")


class Named(NamedTuple):
    name: str
    role: str


class Product(NamedTuple):
    name: str
    has_version: bool


class Outside(NamedTuple):
    """A word outside of comments; how many stand before it, and whether it follows `like`."""

    text: str
    comments_before: int
    is_likeness: bool

    @property
    def is_before(self) -> bool:
        return self.comments_before == 0


def product_token(header: str) -> str | None:
    """Return the first name of the sender; None for people."""
    senders = [name for name, role in names_in(header) if role == "sender"]
    return senders[0] if senders else None


def names_in(header: str) -> list[Named]:
    """Return every name with its role, those of the sender first."""
    outside, comments = split(header)
    own = list(own_products(outside))
    posed = [] if own else [*posing(outside, comments), *otherwise(outside, comments)]
    beside = [
        name_of(word.text) for word in outside if not word.is_likeness and not is_contact(word.text)
    ]
    mentioned = [] if own else list(words_in(comments))
    return [
        *(Named(name, "sender") for name in own or posed),
        *(Named(name, "beside") for name in beside if name and kind(name) is None),
        *(Named(name, "mentioned") for name in mentioned if name and kind(name) is None),
    ]


# The header's parts


def split(header: str) -> tuple[list[Outside], list[str]]:
    """Return the words outside of comments, and the comments."""
    header = header.strip(BLANK + "\"'")
    parts: list[str] = [""]  # outside, comment, outside, comment, ...
    depth, at = 0, 0
    while at < len(header):
        character = header[at]
        if depth and character == "\\":
            parts[-1] += header[at : at + 2]
            at += 2
            continue
        if not depth and character == "[":
            end = header.find("]", at)
            inner = header[at + 1 : end if end >= 0 else None]
            at = len(header) if end < 0 else end + 1
            parts[-1] = parts[-1].rstrip("+")
            if any(item.lower() == "compatible" for item in items_of(inner)):
                parts += [inner, ""]
            else:
                parts[-1] += "["
            continue
        at += 1
        if character == "(":
            depth += 1
            if depth == 1:
                parts[-1] = parts[-1].rstrip("+")
                parts.append("")
                continue
        elif character == ")" and depth:
            depth -= 1
            if depth == 0:
                parts.append("")
                continue
        parts[-1] += character
    words = []
    for number, text in enumerate(parts[::2]):
        for piece in text.split("["):  # what is in brackets is gone
            before = ""
            for joined in re.split(f"[{BLANK};,)<>]+", piece):
                for word in parted(joined) if joined else ():
                    words.append(Outside(word, number, before.lower() == "like"))
                    before = word
    return words, parts[1::2]


def parted(word: str) -> list[str]:
    """Return the products of a word that joins one to that of a browser."""
    match = re.fullmatch(r"([^/+][^/]*)/([^/]*)/([^/]+/[^/]*)", word, re.DOTALL)
    if not match or not match[3][0].isalpha() or name_of(match[1]) != match[1]:
        return [word]
    is_browsers = kind(match[1]) == "browser" and not PHONE.fullmatch(match[1])
    return [f"{match[1]}/{match[2]}", match[3]] if is_browsers else [word]


def items_of(comment: str) -> list[str]:
    parts = []
    for part in re.split("[;,()]", comment):
        if match := COMPATIBLE.match(part):
            parts += [part[: match.end()].rstrip(":"), part[match.end() :]]
        else:
            parts.append(part)
    return [item for item in (part.strip(BLANK) for part in parts) if item]


def words_of(text: str) -> list[str]:
    return [word for word in re.split(f"[{BLANK}]+", text) if word]


# The three steps


def own_products(outside: list[Outside]) -> Iterator[str]:
    """Yield the products before any comment that no browser sends, and no telephone."""
    before = [
        product
        for place, word in enumerate(outside)
        if word.is_before
        and not word.is_likeness
        and (product := product_of(word.text, is_first=place == 0))
    ]
    if before and PHONE.fullmatch(before[0].name):
        return
    for product in before:
        said = kind(product.name)
        if said in (None, "beside") or (said == "feature" and product.has_version):
            yield product.name


def posing(outside: list[Outside], comments: list[str]) -> Iterator[str]:
    """Yield the name behind the first `compatible;`, in comments or else outside of them."""
    if any(item.lower() == "compatible" for comment in comments for item in items_of(comment)):
        yield from behind_compatible(comments)
        return
    places = [at for at, word in enumerate(outside) if word.text.lower() == "compatible"]
    for at in range(places[0], len(outside)) if places else ():
        word = outside[at]
        product = product_of(word.text, is_first=at == 0 and word.is_before)
        if product and not word.is_likeness and kind(product.name) in (None, "beside"):
            yield product.name
            return


def behind_compatible(comments: list[str]) -> Iterator[str]:
    """Yield the name in the first comment that holds `compatible;`."""
    for comment in comments:
        items = items_of(comment)
        lower = [item.lower() for item in items]
        if "compatible" not in lower:
            continue
        is_behind_browser = False
        for place in range(lower.index("compatible") + 1, len(items)):
            product = product_of(words_of(items[place])[0])
            if product is None:
                continue
            said = kind(product.name)
            if said == "browser":
                is_behind_browser = True
            if said in ("browser", "system", "feature"):
                continue
            if LANGUAGE.fullmatch(items[place]):
                continue
            if is_behind_browser and not product.has_version and not has_contact(items, place):
                continue
            yield product.name
            return
        return


def is_of_application(outside: list[Outside], comments: list[str]) -> bool:
    """Whether several names stand behind the browser's, and nothing tells of a crawler."""
    products = [
        None if word.is_likeness else product_of(word.text, is_first=place == 0 and word.is_before)
        for place, word in enumerate(outside)
    ]
    browsers = [
        at
        for at, each in enumerate(products)
        if each and kind(each.name) == "browser" and not PHONE.fullmatch(each.name)
    ]
    names = [
        each
        for each in (products[browsers[-1] :] if browsers else ())
        if each and (kind(each.name) in (None, "beside") or PHONE.fullmatch(each.name))
    ]
    texts = [word.text for word in outside]
    texts += [word for comment in comments for item in items_of(comment) for word in words_of(item)]
    return (
        len(names) > 1
        and any(each.has_version for each in names)
        and not any(OF_CRAWLERS.search(each.name) for each in names)
        and not any(map(is_contact, texts))
    )


def behind_browser(outside: list[Outside]) -> Iterator[str]:
    """Yield the products behind the last of the browser's own, and of what stands beside it."""
    products = [
        None if word.is_likeness else product_of(word.text, is_first=place == 0 and word.is_before)
        for place, word in enumerate(outside)
    ]
    start = 0
    for place, product in enumerate(products):
        if product and kind(product.name) in ("browser", "beside"):
            start = place + 1
    before = sum(word.is_before for word in outside)
    first = next(filter(None, products[:before]), None)
    if first and PHONE.fullmatch(first.name):
        start = max(start, before)
    yield from (each.name for each in products[start:] if each and kind(each.name) is None)


def otherwise(outside: list[Outside], comments: list[str]) -> Iterator[str]:
    """Yield the names behind the browser's, then those in comments."""
    if not is_of_application(outside, comments):
        yield from behind_browser(outside)
        yield from told(outside, comments)


def told(outside: list[Outside], comments: list[str]) -> Iterator[str]:
    """Yield the items of comments that are products with a version or a contact.

    Behind an application's name, a version alone is data of the application.
    """
    applications = [
        word.comments_before
        for place, word in enumerate(outside)
        if not word.is_likeness
        and (product := product_of(word.text, is_first=place == 0 and word.is_before))
        and (kind(product.name) == "beside" or PHONE.fullmatch(product.name))
    ]
    for number, items in enumerate(map(items_of, comments)):
        is_of_application = any(before <= number for before in applications)
        for place, item in enumerate(items):
            words = words_of(item)
            product = product_of(words[0])
            if product is None or not any(map(str.isalpha, product.name)):
                continue
            if LANGUAGE.fullmatch(item):
                continue
            said = kind(product.name)
            is_versioned = product.has_version and len(words) == 1 and said is None
            if (is_versioned and not is_of_application) or (
                said in (None, "beside") and has_contact(items, place)
            ):
                yield product.name


def words_in(comments: list[str]) -> Iterator[str]:
    for items in map(items_of, comments):
        for words in map(words_of, items):
            if any(word.startswith("Build/") for word in words):
                continue  # Android names its device
            for before, word in pairwise(["", *words]):
                if before.lower() != "like" and not is_contact(word):
                    yield from map(name_of, word.split("/"))


# Words


def product_of(word: str, *, is_first: bool = False) -> Product | None:
    """Return the product that a word is: a name, and perhaps a slash and a version."""
    name = name_of(word)
    rest = word.lstrip("+")[len(name) :]
    if is_contact(word) or rest[:1] not in ("", "/"):
        return None
    if rest or is_first:
        is_product = any(map(str.isalnum, name))
    else:
        is_product = any(map(str.isalpha, name)) and not VERSION.match(name)
    return Product(name, bool(rest)) if is_product else None


def name_of(word: str) -> str:
    word = word.lstrip("+")
    end = next((at for at, each in enumerate(word) if not is_name_character(each)), len(word))
    return word[:end]


def is_name_character(each: str) -> bool:
    if each.isascii():
        return each.isalnum() or each in MARKS
    is_diacritic = "\u0300" <= each <= "\u036f" or "\u1dc0" <= each <= "\u1dff"
    return each.isalpha() and not is_diacritic


def is_contact(word: str) -> bool:
    return bool(URL.match(word) or MAIL.match(word))


def has_contact(items: list[str], place: int) -> bool:
    """Whether an item says where to turn to, in itself or, if it is one word, in the next one."""
    words = words_of(items[place])
    if len(words) > 1:
        return any(map(is_contact, words[1:]))
    return place + 1 < len(items) and is_contact(words_of(items[place + 1])[0])


def kind(name: str) -> str | None:
    """Return what browsers say with a word."""
    if name.isascii() and name.lower() in KINDS:
        return KINDS[name.lower()]
    if PHONE.fullmatch(name):
        return "browser"
    if name.lower().startswith("asktb"):
        return "feature"
    if name.isascii() and name.lower().endswith("browser"):
        return "beside"
    return "beside" if ADDED.fullmatch(name) else None
