"""Tests of the package; those on Spark are skipped if pyspark is not installed."""
