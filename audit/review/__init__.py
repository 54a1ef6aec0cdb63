"""Rounds for the cameras: a seeded sample for a person to check, and what the answers let one conclude."""
