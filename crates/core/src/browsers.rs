//! Browsers: the words of people's identification strings that name no crawler.
//!
//! In: a name. Out: what browsers say with it, if they do. Facts from the strings that people's
//! browsers sent, in the packages `user-agents` 2.1.198 and `top-user-agents` 2.1.138 (npm) and
//! `fake-useragent` 2.2.0 (PyPI); from the families of ua-parser/uap-core, `regexes.yaml`, read on
//! 2026-11-28; from the tests of matomo-org/device-detector 3856a28 for applications, televisions
//! and consoles; from WordPress for iOS (`wp-iphone`); for televisions of LG, from its "Web API and
//! Web Engine"; for what programs put behind `Safari/537.36`, from strings in logs of web servers; and,
//! for Internet Explorer, from Microsoft, "Understanding user-agent strings".

use std::sync::LazyLock;

/// What browsers say with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Their own product, or that of their engine.
    Browser,
    /// The telephone or television, which sends its name first of all, and perhaps more of its model
    /// behind it; or a browser that does so.
    Phone,
    /// The system or the device.
    System,
    /// A feature, or a word of the text: one with a version before any comment may be a crawler's.
    Feature,
    /// A program that shows pages to people, or adds to a browser. Some of them fetch, too: their
    /// names count where no browser's product stands before them.
    Beside,
}

/// `Mozzila` is what some crawlers write that pose as a browser.
const BROWSERS: &str = "
    applewebkit bonecho camino cfnetwork chrome chromeframe chromium crios crmo edg edga edge edgios
    epiphany firebird firefox fxios galeon gecko goanna ibrowser icecat iceweasel iemobile k-meleon
    khtml konqueror like minefield mobile mobilesafari mozilla mozzila mqqbrowser msie netfront
    netscape netscape6 netscape7 opera opios opr palemoon presto qqbrowser safari samsungbrowser
    seamonkey shiretoko trident ucbrowser version vivaldi webkit webtv yabrowser";

const SYSTEMS: &str = "
    aarch64 amd64 android arm arm64 armv7l bada beos cros darwin debian fedora freebsd gentoo gnu
    harmonyos i386 i486 i586 i686 intel ipad iphone ipod j2me kaios linux mac mac_powerpc macintosh
    microsoft netbsd nintendo office openbsd playstation ppc smart-tv smarttv sunos suse symbian
    symbianos tizen tv ubuntu wayland web0s webos win win16 win32 win64 win95 win98 windows winnt
    wow64 x11 x64 x86 x86_64 xbox";

const FEATURES: &str = "
    .net .net4.0c .net4.0e bri build compatible configuration cpu digext embedded for gzip i
    infopath.1 infopath.2 infopath.3 k media midp mmp ms-office msoffice n os profile slcc1 slcc2
    sv1 tablet touch u unknown up.browser up.link vendorid via wv";

const BESIDE: &str = "
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
    yandexsearch zalo";

const PHONES: &str = "
    applecoremedia dillo docomo elinks hbbtv j-phone links lynx netsurf roku softbank ucweb vodafone
    w3m";

/// How the names of telephones begin, whose number goes on.
const NUMBERED: &str = "blackberry kddi- nokia samsung- sonyericsson";

/// How names of programs begin that go on with a version.
const VERSIONED: &str = "gtb musical_ly trill_ weibointl weibolite";

/// What crawlers call themselves, within their names.
const OF_CRAWLERS: [&str; 12] = [
    "archiv", "bot", "check", "crawl", "fetch", "index", "monitor", "preview", "scan", "scrap",
    "slurp", "spider",
];

/// Whether a name holds a word that crawlers call themselves.
pub fn is_as_crawlers(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OF_CRAWLERS.iter().any(|word| name.contains(word))
}

/// How the names of toolbars begin that write their versions, too.
const TOOLBARS: &str = "asktb";

/// How much of a name a word of the lists is.
#[derive(Clone, Copy, Debug)]
enum Part {
    Whole,
    Beginning,
    /// The beginning of one with a digit.
    BeforeNumber,
}

/// A word of the lists.
#[derive(Clone, Copy, Debug)]
struct Known {
    text: &'static str,
    part: Part,
    said: Said,
}

/// The words by their first byte.
static WORDS: LazyLock<[Vec<Known>; 128]> = LazyLock::new(|| {
    let lists = [
        (BROWSERS, Part::Whole, Said::Browser),
        (PHONES, Part::Whole, Said::Phone),
        (SYSTEMS, Part::Whole, Said::System),
        (FEATURES, Part::Whole, Said::Feature),
        (BESIDE, Part::Whole, Said::Beside),
        (NUMBERED, Part::BeforeNumber, Said::Phone),
        (VERSIONED, Part::Beginning, Said::Beside),
        (TOOLBARS, Part::Beginning, Said::Feature),
    ];
    let mut words = [const { Vec::new() }; 128];
    for (list, part, said) in lists {
        for text in list.split_ascii_whitespace() {
            words[usize::from(text.as_bytes()[0])].push(Known { text, part, said });
        }
    }
    words
});

/// What browsers say with a word, in any case; none if it is none of theirs.
pub fn said(word: &str) -> Option<Said> {
    listed(word).or_else(|| is_browsers_by_its_end(word).then_some(Said::Beside))
}

/// `HuaweiBrowser`, `QQBrowser`, `Mint Browser`.
fn is_browsers_by_its_end(word: &str) -> bool {
    let end = word.len().checked_sub("browser".len()).and_then(|at| word.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case("browser"))
}

fn listed(word: &str) -> Option<Said> {
    let bytes = word.as_bytes();
    let first = usize::from(bytes.first()?.to_ascii_lowercase());
    let is_it = |Known { text, part, .. }: &&Known| match part {
        Part::Whole => text.eq_ignore_ascii_case(word),
        Part::Beginning => begins_with(bytes, text),
        Part::BeforeNumber => begins_with(bytes, text) && bytes.iter().any(u8::is_ascii_digit),
    };
    WORDS.get(first)?.iter().find(is_it).map(|known| known.said)
}

fn begins_with(text: &[u8], beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|head| head.eq_ignore_ascii_case(beginning.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_any_case() {
        assert_eq!(said("MOZILLA"), Some(Said::Browser));
        assert_eq!(said("Windows"), Some(Said::System));
        assert_eq!(said("GTB7.1"), Some(Said::Beside));
        assert_eq!(said("Nokia6820"), Some(Said::Phone));
        for word in ["", "NokiaBot", "SafariBot", "ExampleBot", "é"] {
            assert_eq!(said(word), None, "{word}");
        }
    }

    #[test]
    fn each_word_stands_in_one_list_and_is_found() {
        let known = || WORDS.iter().flatten();
        let mut words: Vec<&str> = known().map(|known| known.text).collect();
        words.sort_unstable();

        assert!(known().all(|known| {
            matches!(known.part, Part::BeforeNumber) || said(known.text) == Some(known.said)
        }));
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
