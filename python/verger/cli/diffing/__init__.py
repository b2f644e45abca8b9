"""The parts of `verger diff` and `verger compare`: their files, and the output of differences."""
