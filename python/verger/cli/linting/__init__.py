"""The parts of `verger lint` and `verger fmt`: inputs and output formats."""
