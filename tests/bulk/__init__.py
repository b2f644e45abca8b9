"""Tests of whole tables: columns in, columns out."""
