"""Lakes on object storage: numbered snapshots of a lake, and the working copy that commands use."""
