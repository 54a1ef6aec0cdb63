"""The tests, and the rounds they are about."""
