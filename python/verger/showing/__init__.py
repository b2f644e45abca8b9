"""What people see of decisions and of files: lines with marks under them, also in a notebook."""
