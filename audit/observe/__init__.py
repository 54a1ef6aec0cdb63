"""What a scheduler, a log shipper or a dashboard sees of the program: logs, metrics, lineage, findings."""
