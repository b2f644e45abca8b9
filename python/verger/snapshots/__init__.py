"""Questions about URLs and their answers, row by row: what `verger check` writes."""
