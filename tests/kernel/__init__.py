"""Tests of the fast engine against the readable one."""
