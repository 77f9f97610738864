"""Speed against a floor measured in the same run; never part of the test suite."""
