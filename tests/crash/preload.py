"""All that a command imports, imported once in the process that commands are forked from."""

import audit.catalog
import audit.cli
import audit.commands.lakes
import audit.commands.show
import audit.history
import audit.ingest.pipeline
import audit.law
import audit.partitions
import audit.report.placing
import audit.report.write
import audit.run
import audit.surveil.publish
import audit.surveil.walk
import expectations.session
import expectations.validate

__all__ = ["audit", "expectations"]
