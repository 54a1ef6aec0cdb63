"""What the commands do beyond the pipeline: plain functions that return data, and how it is shown."""
