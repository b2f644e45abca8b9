//! What a status means: a table that a dialect's access policy was asked for beforehand.

/// What became of a request for the file (RFC 9309 section 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The file is there.
    Successful,
    /// It is elsewhere: one hop, which says nothing about the site.
    Redirect,
    /// The server says that there is none.
    Unavailable,
    /// The server or the network failed.
    Unreachable,
}

impl Access {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Successful => "successful",
            Access::Redirect => "redirect",
            Access::Unavailable => "unavailable",
            Access::Unreachable => "unreachable",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Access> {
        [Access::Successful, Access::Redirect, Access::Unavailable, Access::Unreachable]
            .into_iter()
            .find(|access| access.name() == name)
    }
}

/// What a crawler may do then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// What the rules say.
    Rules,
    /// Fetch everything.
    AllowAll,
    /// Fetch nothing, for good or for now.
    DisallowAll,
    /// Nobody knows yet.
    Open,
}

impl Effect {
    /// The effect of this name, as `verger.access` calls it; a redirect has none.
    pub fn named(name: Option<&str>) -> Option<Effect> {
        match name {
            Some("rules") => Some(Effect::Rules),
            Some("allow_all") => Some(Effect::AllowAll),
            Some("disallow_all" | "defer") => Some(Effect::DisallowAll),
            Some(_) => None,
            None => Some(Effect::Open),
        }
    }
}

/// What one status means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// What became of the request.
    pub access: Access,
    /// What a crawler may do.
    pub effect: Effect,
}

/// The statuses that HTTP has room for (RFC 9110 section 15).
pub const FIRST: i32 = 100;

/// What every status means in one dialect.
#[derive(Clone, Debug)]
pub struct Statuses {
    meanings: Vec<Meaning>,
    without: Meaning,
}

impl Statuses {
    /// Take the meanings of 100, 101 and so on, and of no response, or one that is none.
    pub fn new(meanings: Vec<Meaning>, without: Meaning) -> Statuses {
        Statuses { meanings, without }
    }

    /// What a status means.
    pub fn meaning(&self, status: Option<i32>) -> Meaning {
        let index =
            status.and_then(|status| usize::try_from(i64::from(status) - i64::from(FIRST)).ok());
        index.and_then(|index| self.meanings.get(index)).copied().unwrap_or(self.without)
    }
}
