//! The vocabulary of use: what content may be used for, and how each mechanism spells it.
//!
//! In: nothing. Out: [`Use`], a table: bindings, schemas, editors and pages have their words from here.
//! What a crawler is for is another question, and its purpose another word: the registry has those.

/// What content may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Building a search index, and showing links and excerpts.
    Search,
    /// Giving it to AI models to answer from, which is also called grounding.
    AiInput,
    /// Training AI models.
    AiTrain,
}

/// One use, as each mechanism spells it.
struct Row {
    /// Its key in `Content-Signal` (draft-romm-aipref-contentsignals-00): its name everywhere.
    name: &'static str,
    /// What that means.
    means: &'static str,
    /// Its label in `Content-Usage` (draft-ietf-aipref-vocab).
    label: &'static str,
    /// What that means.
    label_means: &'static str,
    /// The purpose of crawlers that fetch for it, as the registry names it.
    purpose: &'static str,
}

const SEARCH: &str = "building a search index and showing results";

/// In the order of [`Use::ALL`].
const TABLE: [Row; 3] = [
    Row { name: "search", means: SEARCH, label: "search", label_means: SEARCH, purpose: "search" },
    Row {
        name: "ai-input",
        means: "input to AI models when they answer, such as grounding",
        label: "ai-use",
        label_means: "use by AI systems other than for training",
        purpose: "ai-search",
    },
    Row {
        name: "ai-train",
        means: "training or fine-tuning AI models",
        label: "train-ai",
        label_means: "training AI models",
        purpose: "training",
    },
];

impl Use {
    /// Every use.
    pub const ALL: [Use; 3] = [Use::Search, Use::AiInput, Use::AiTrain];

    const fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The name, which is its key in `Content-Signal` (draft-romm-aipref-contentsignals-00).
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The use of exactly this name.
    pub fn named(name: &str) -> Option<Use> {
        Use::ALL.into_iter().find(|known| known.name() == name)
    }

    /// What it means, in words.
    pub const fn means(self) -> &'static str {
        self.row().means
    }

    /// Its label in `Content-Usage` (draft-ietf-aipref-vocab).
    pub const fn label(self) -> &'static str {
        self.row().label
    }

    /// The use of exactly this label.
    pub(crate) fn labelled(label: &[u8]) -> Option<Use> {
        Use::ALL.into_iter().find(|known| known.label().as_bytes() == label)
    }

    /// What its label means, in words.
    pub const fn label_means(self) -> &'static str {
        self.row().label_means
    }

    /// The purpose of crawlers that fetch for it, as the registry names it.
    pub const fn purpose(self) -> &'static str {
        self.row().purpose
    }
}
