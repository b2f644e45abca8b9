"""Scripts that complete the command line, one module for each shell."""
