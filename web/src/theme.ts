/** How the editor looks: it lives in a shadow root, where the page's style does not reach. */

import { EditorView } from "@codemirror/view";

const BARS = ["#2f6fd0", "#b4591a", "#7a4fb5", "#1d7f78", "#a8346f", "#6b7a1f"];

const bars = Object.fromEntries(
  BARS.map((color, number) => [`.v-bar-${number}`, { backgroundColor: color }]),
);

function underline(color: string) {
  return {
    backgroundImage: "none",
    paddingBottom: "0",
    textDecoration: `underline wavy ${color}`,
    textDecorationThickness: "1px",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  };
}

export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-scroller": { boxShadow: "inset 0 0 0 2px var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-line": { padding: "0 10px 0 8px" },
  ".cm-gutters": {
    backgroundColor: "transparent",
    color: "var(--muted)",
    border: "none",
  },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 10px", minWidth: "34px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": {
    backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      background: "color-mix(in srgb, var(--accent) 26%, transparent) !important",
    },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 14%, transparent)" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-specialChar": { color: "var(--disallowed)", fontWeight: "700" },
  ".cm-panels": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    borderColor: "var(--line) !important",
    fontFamily: "var(--sans)",
  },
  ".cm-panel.cm-search": { padding: "6px 26px 6px 8px" },
  ".cm-textfield": {
    color: "inherit",
    backgroundColor: "var(--panel)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  ".cm-button": {
    color: "inherit",
    backgroundImage: "none",
    backgroundColor: "var(--panel)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  ".cm-panel.cm-search label": { fontSize: "12px" },
  ".cm-panel.cm-search [name=close]": { color: "inherit" },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--panel)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    maxWidth: "420px",
    fontFamily: "var(--sans)",
  },

  // Findings: their images would be requests that a strict policy has to admit.
  ".cm-lintRange-error": underline("var(--disallowed)"),
  ".cm-lintRange-warning": underline("var(--warning)"),
  ".cm-lintRange-info": underline("var(--accent)"),
  ".cm-lintRange-active": { backgroundColor: "transparent" },
  ".cm-diagnostic": { padding: "5px 10px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--disallowed)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--warning)" },
  ".cm-diagnostic-info": { borderLeft: "4px solid var(--accent)" },
  ".cm-diagnosticSource": { color: "var(--muted)", opacity: "1" },
  ".cm-gutter-lint": { width: "12px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0", display: "flex", alignItems: "center" },
  ".cm-lint-marker": {
    width: "8px",
    height: "8px",
    borderRadius: "50%",
    content: "none !important",
  },
  ".cm-lint-marker-error": { backgroundColor: "var(--disallowed)", borderRadius: "2px" },
  ".cm-lint-marker-warning": {
    backgroundColor: "var(--warning)",
    borderRadius: "0",
    clipPath: "polygon(50% 0, 100% 100%, 0 100%)",
  },
  ".cm-lint-marker-info": { backgroundColor: "var(--accent)" },

  // How lines are read
  ".v-key": { color: "var(--muted)" },
  ".v-key-start-group": { color: "var(--accent)", fontWeight: "600" },
  ".v-key-allow": { color: "var(--allowed)" },
  ".v-key-disallow": { color: "var(--disallowed)" },
  ".v-value-start-group": { fontWeight: "600" },
  ".v-value-unknown, .v-value-dropped, .v-value-beyond-limit": { color: "var(--muted)" },
  ".v-comment": { color: "var(--muted)", fontStyle: "italic" },

  // What decides
  ".v-decides": { boxShadow: "inset 3px 0 0 0 currentcolor" },
  ".v-decides.v-allowed": { backgroundColor: "var(--allowed-back)" },
  ".v-decides.v-disallowed": { backgroundColor: "var(--disallowed-back)" },
  ".v-starts": { backgroundColor: "var(--accent-back)" },
  ".v-literal": { backgroundColor: "var(--literal)", borderBottom: "2px solid currentcolor" },
  ".v-star": {
    backgroundColor: "var(--star)",
    textDecoration: "underline wavy",
    textDecorationThickness: "1px",
    textUnderlineOffset: "3px",
  },

  // What groups bind
  ".v-groups": { width: "9px" },
  ".v-groups .cm-gutterElement": { padding: "0 3px" },
  ".v-bar": { display: "block", width: "3px", height: "100%" },
  ".v-bar-start": { width: "6px" },
  ".v-bar-between": { opacity: "0.35" },
  ...bars,
  ".v-remark": {
    marginLeft: "14px",
    color: "var(--muted)",
    fontFamily: "var(--sans)",
    fontSize: "12px",
    userSelect: "none",
  },
  ".v-remark-effect": { color: "var(--warning)" },

  // Differences
  ".cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--allowed-back) !important" },
  ".cm-deletedChunk": { backgroundColor: "var(--disallowed-back)", paddingLeft: "8px" },
  ".cm-deletedChunk .cm-deletedText, .cm-changedText": {
    background: "none !important",
    textDecoration: "none",
    fontWeight: "600",
  },
});
