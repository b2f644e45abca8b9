"""The parts of `verger lint` and `verger fmt`: inputs, many files at once, output formats."""
