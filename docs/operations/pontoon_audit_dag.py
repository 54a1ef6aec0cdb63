"""An Airflow DAG: ingest the day's round logs, then audit what has changed.

A breach fails the task ``audit``, and so does an incomplete run; its log says which. Neither is
tried again: the same rounds would be found the same. An ingest is, since it leaves alone what it
has stored.
"""

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

LOGS = "/srv/pontoon/logs"
LAKE = "/var/lib/pontoon-audit/lake"
LINEAGE = "/var/lib/pontoon-audit/lineage.jsonl"
JUNIT = "/var/lib/pontoon-audit/junit.xml"

with DAG(
    dag_id="pontoon_audit",
    description="Replays the night's Pontoon rounds and reports every difference",
    schedule="15 9 * * *",
    start_date=datetime(2026, 1, 1),  # noqa: DTZ001 - Airflow takes it in its own zone
    catchup=False,
    max_active_runs=1,
    tags=["pontoon", "audit"],
):
    ingest = BashOperator(
        task_id="ingest",
        bash_command=f"pontoon-audit --log-format json ingest {LOGS} --lake {LAKE} --lineage-file {LINEAGE}",
        retries=2,
        retry_delay=timedelta(minutes=10),
    )
    audit = BashOperator(
        task_id="audit",
        bash_command=(
            f"pontoon-audit --log-format json run --lake {LAKE} --changed"
            f" --lineage-file {LINEAGE} --junit {JUNIT}"
        ),
        retries=0,
        trigger_rule="all_done",
    )
    ingest >> audit
