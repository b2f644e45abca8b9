"""The formats of `verger lint`, a file each.

In: a `LintInput` and the `LintReport` on it. Out: its part of the output as text; text before and
after all files. Files are untrusted: their text is passed through `printable`, and quotes in
Markdown, SARIF and workflow commands are escaped, so that nothing in them is a link, a tag or a
command. A new format is a file here, and a row in `commands/lint_output.py`.
"""
