"""What a command imports, and makes once in a process, in the process that commands are forked from.

Nothing of it may start a thread: a process that is forked has none of them, and waits for them for ever.
"""

import scipy.stats

import audit.catalog
import audit.cli
import audit.commands.lakes
import audit.commands.show
import audit.history
import audit.ingest.pipeline
import audit.law
import audit.partitions
import audit.report.page
import audit.report.placing
import audit.report.write
import audit.run
import audit.surveil.publish
import audit.surveil.walk
import expectations.session
import expectations.validate
from audit.provenance import provenance
from expectations.pages import suite_page
from expectations.suites import catalogue_suite, control_total_suite, evidence_suites

__all__ = ["audit", "expectations"]

# It is loaded when it is first asked for something, which takes longer than what `surveil` then does.
assert scipy.stats.binom
provenance()
audit.report.page._environment().get_template("report.html")
for planned in (*evidence_suites(), catalogue_suite(), control_total_suite()):
    suite_page(planned)
