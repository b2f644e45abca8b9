"""The parts of `verger block`, `allow` and `minimise`: reading and writing a file, its proof."""
