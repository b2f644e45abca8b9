"""The differential test: Google's own parser and verger, asked the same questions.

In: real robots.txt files, mutations of them, and files written around one peculiarity each.
Out: a `Report` that counts questions, disagreements, and what the questions exercised.

Read downwards: `corpus` finds the real files, `hints` and `urls` derive URLs from their rules,
`questions`, `mutations` and `quirks` put them together, `oracle` and `subject` answer,
`run` compares, and `knobs` explains where RFC 9309 answers something else.

Everything is drawn from generators seeded with a fixed text, so that two runs ask the same.
"""
