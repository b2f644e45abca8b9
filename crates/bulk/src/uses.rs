//! Uses: may the content of the URLs of a table be used for a purpose?
//!
//! In: a purpose, and the product tokens that stand for it. Out: [`Uses`] of one file, which answer
//! for the rows that it governs.

use verger_core::internal::Binding;
use verger_core::{Agent, Outcome, Target, Use, UseRules};

/// A use that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedUse {
    /// What for.
    pub purpose: Use,
    /// The product tokens that stand for it, [checked](verger_core::check_product_token) before.
    pub policy_tokens: Vec<Vec<u8>>,
    /// Whether the groups of `*` speak for the crawler: not for a policy token.
    pub by_star: bool,
}

/// What a column about a use is called.
pub fn column_of(asked: Use) -> String {
    asked.name().replace('-', "_")
}

/// What a file says about a use.
#[derive(Debug)]
pub struct Uses {
    rules: UseRules,
    /// The crawler without the groups of `*`, if these do not speak for it.
    unnamed: Option<Agent>,
}

impl AskedUse {
    /// The name of the column.
    pub fn column(&self) -> String {
        format!("use_{}", column_of(self.purpose))
    }

    /// What the file of an agent says, whose product tokens these are.
    pub fn of<T: AsRef<[u8]>>(&self, agent: &Agent, tokens: &[T]) -> Uses {
        let nobody = Binding::<&[u8]> { follows: Vec::new(), by_star: false };
        let is_unnamed = !self.by_star && !agent.selection().named;
        let unnamed = is_unnamed.then(|| agent.file().agent_following(tokens, &nobody));
        let asked = unnamed.as_ref().unwrap_or(agent);
        Uses { rules: asked.use_rules_of_checked(self.purpose, &self.policy_tokens), unnamed }
    }
}

impl Uses {
    /// Whether the use is allowed; none if no line mentions it. `crawl` is the outcome of `agent`.
    pub fn allowed(&self, agent: &Agent, target: &Target, crawl: &Outcome) -> Option<bool> {
        match &self.unnamed {
            Some(unnamed) => self.rules.allowed(unnamed, target, &unnamed.check(target)),
            None => self.rules.allowed(agent, target, crawl),
        }
    }
}
