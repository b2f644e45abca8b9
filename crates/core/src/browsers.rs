//! Browsers: the words of people's identification strings that name no crawler.
//!
//! In: a name. Out: what browsers say with it, if they do. Facts from the strings that people's
//! browsers sent, in the packages `user-agents` 2.1.198 and `top-user-agents` 2.1.138 (npm) and
//! `fake-useragent` 2.2.0 (PyPI); from the families of ua-parser/uap-core, `regexes.yaml`, read on
//! 2026-11-28; and, for Internet Explorer, from Microsoft, "Understanding user-agent strings".

use std::collections::HashMap;
use std::sync::LazyLock;

/// What browsers say with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Their own product, or that of their engine.
    Browser,
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
    applewebkit bonecho camino chrome chromeframe chromium crios crmo edg edga edge edgios epiphany
    firebird firefox fxios galeon gecko goanna icecat iceweasel iemobile k-meleon khtml konqueror
    like minefield mobile mozilla mozzila msie netscape netscape6 netscape7 opera opios opr palemoon
    presto safari samsungbrowser seamonkey shiretoko trident ucbrowser version vivaldi webkit
    yabrowser";

const SYSTEMS: &str = "
    aarch64 amd64 android arm arm64 armv7l bada beos cros darwin debian fedora freebsd gentoo
    harmonyos i386 i486 i586 i686 intel ipad iphone ipod j2me linux mac mac_powerpc macintosh netbsd
    nintendo openbsd playstation ppc smart-tv smarttv sunos suse symbian symbianos tizen ubuntu
    wayland web0s webos win win16 win32 win64 win95 win98 windows winnt wow64 x11 x64 x86 x86_64
    xbox";

const FEATURES: &str = "
    .net .net4.0c .net4.0e bri build compatible configuration cpu digext embedded for gzip i
    infopath.1 infopath.2 infopath.3 k media midp mmp n os profile slcc1 slcc2 sv1 tablet touch u
    unknown up.browser up.link vendorid via wv";

const BESIDE: &str = "
    115browser 1password 360se abb adg adobeair alipayclient alohabrowser aol aolshield app_version
    appname appversion avast avg avira baiduboxapp baidubrowser barcelona basilisk bingsapphire
    blackboard brave browserng bytedancewebview bytefulllocale bytelocale ccleaner channel cmac code
    creativecloud cursor daum ddg dingtalk discord duckduckgo ecosia electron falcontag falkon fban
    feedly firephp flipboard fluid focus genieo grammarly gsa heytapbrowser hibrowser hola
    honorbrowser honorlock huaweibrowser iab instabridge instagram instapaper iron isdarkmode jssdk
    kakaotalk kindle klar ladybird language lightning likewise line linkedinapp managedbrowser
    maxthon metasr micromessenger midori minimo miuibrowser mms mnenhy mqqbrowser mullvadbrowser
    multizilla mxbrowser mypal naver navigator netfront nettype newsarticle nokiabrowser norton nv
    obs obsidian oculusbrowser oktamobile omi omniweb onefootball opencode openwave opt opx otter
    outlook pandora phantom phoenix phx pia pinterest postbox puffin qaxbrowser qihu qqbrowser
    qtwebengine quark quarkpc region revealtype roblox robloxapp s40ovibrowser sailfishbrowser
    sberbrowser shiira silk skyfire slack slack_ssb slbchan slbrowser slbvpv snapchat sp-engine
    spark sparrow stumbleupon sznprohlizec t7 talon teams telegram-android thunderbird topbuzz
    touchpad trae tumblr twitter twitterandroid upday viber vivobrowser waterfox webwasher weibo
    whale whatsapp windowswechat wkwebview wolvic wxwork xiaomi xweb";

/// What telephones send first of all.
const PHONES: [&str; 4] = ["docomo", "j-phone", "softbank", "vodafone"];

/// How the names of telephones begin, whose number goes on.
const NUMBERED: [&str; 5] = ["blackberry", "kddi-", "nokia", "samsung-", "sonyericsson"];

/// How names begin that go on with a version.
const VERSIONED: [&str; 5] = ["gtb", "musical_ly", "trill_", "weibointl", "weibolite"];

/// Bytes of the longest word in the lists.
const LONGEST: usize = 16;

/// What browsers say with a word, in any case; none if it is none of theirs.
pub fn said(word: &str) -> Option<Said> {
    let mut lower = [0; LONGEST];
    let known = lower.get_mut(..word.len()).and_then(|lower| {
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        WORDS.get(std::str::from_utf8(lower).ok()?).copied()
    });
    known
        .or_else(|| is_phone(word).then_some(Said::Browser))
        .or_else(|| begins_with_any(word, &VERSIONED).then_some(Said::Beside))
}

/// Whether a word is the name of a telephone, whose browser sends it first of all.
pub fn is_phone(word: &str) -> bool {
    let has_number = || word.contains(|c: char| c.is_ascii_digit());
    PHONES.iter().any(|phone| phone.eq_ignore_ascii_case(word))
        || begins_with_any(word, &NUMBERED) && has_number()
}

fn begins_with_any(word: &str, beginnings: &[&str]) -> bool {
    let head = |len| word.as_bytes().get(..len);
    beginnings
        .iter()
        .any(|known| head(known.len()).is_some_and(|h| h.eq_ignore_ascii_case(known.as_bytes())))
}

static WORDS: LazyLock<HashMap<&str, Said>> = LazyLock::new(|| {
    let lists = [
        (BROWSERS, Said::Browser),
        (SYSTEMS, Said::System),
        (FEATURES, Said::Feature),
        (BESIDE, Said::Beside),
    ];
    let words = |(list, said): (&'static str, Said)| {
        list.split_ascii_whitespace().map(move |word| (word, said))
    };
    lists.into_iter().flat_map(words).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_any_case() {
        assert_eq!(said("MOZILLA"), Some(Said::Browser));
        assert_eq!(said("Windows"), Some(Said::System));
        assert_eq!(said("GTB7.1"), Some(Said::Beside));
        assert_eq!(said("Nokia6820"), Some(Said::Browser));
        for word in ["", "NokiaBot", "SafariBot", "ExampleBot", "é"] {
            assert_eq!(said(word), None, "{word}");
        }
    }

    #[test]
    fn each_word_stands_in_one_list_and_is_found() {
        let lists = [BROWSERS, SYSTEMS, FEATURES, BESIDE].map(str::split_ascii_whitespace);
        let words: Vec<&str> = lists.into_iter().flatten().collect();

        assert_eq!(words.len(), WORDS.len());
        assert!(words.iter().all(|word| said(word).is_some() && !is_phone(word)));
    }
}
