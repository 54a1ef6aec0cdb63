"""The page on clusters: its manifests, its commands, and the figures that it is made of."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

from audit.engines.dask import ALONE, PATIENCE
from audit.engines.remote import ATTEMPTS
from tests.commands import pontoon
from tests.record_cluster import PAGE, kept, written

MANIFESTS = PAGE.parent / "cluster"


def manifests(name: str) -> list[Any]:
    return list(yaml.safe_load_all((MANIFESTS / name).read_text(encoding="utf-8")))


def refused_for_its_lake(arguments: list[str], nowhere: Path) -> bool:
    """Whether a command has nothing wrong but the lake, which is not there."""
    place = arguments.index("--lake") + 1
    ran = pontoon(*arguments[:place], nowhere, *arguments[place + 1 :])
    return ran.code == 2 and f"{nowhere}: no lake here" in ran.err


class TestManifests:
    """Scheduler, workers and the job are of one image, one user and one volume."""

    def test_everything_is_alike_and_finds_each_other(self) -> None:
        claim, dask = manifests("dask-cluster.yaml")
        (job,) = manifests("run.yaml")
        worker, scheduler = dask["spec"]["worker"]["spec"], dask["spec"]["scheduler"]["spec"]
        command = job["spec"]["template"]["spec"]
        images = {each["containers"][0]["image"] for each in (worker, scheduler, command)}
        assert len(images) == 1
        assert worker["securityContext"] == scheduler["securityContext"] == command["securityContext"]
        assert worker["volumes"] == command["volumes"]
        assert worker["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
        assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
        mounts, environment = (
            [each["containers"][0][name] for each in (worker, command)] for name in ("volumeMounts", "env")
        )
        assert mounts[0] == mounts[1]
        assert environment[0] == environment[1]
        (service,) = (
            each for each in dask["spec"]["scheduler"]["service"]["ports"] if each["name"] == "tcp-comm"
        )
        address = f"tcp://{dask['metadata']['name']}-scheduler:{service['port']}"
        assert command["containers"][0]["args"][-2:] == ["--scheduler", address]

    def test_a_worker_has_one_thread(self) -> None:
        _, dask = manifests("dask-cluster.yaml")
        arguments = dask["spec"]["worker"]["spec"]["containers"][0]["args"]
        assert arguments[arguments.index("--nthreads") + 1] == "1"

    def test_the_command_knows_its_options(self, tmp_path: Path) -> None:
        (job,) = manifests("run.yaml")
        (container,) = job["spec"]["template"]["spec"]["containers"]
        assert container["command"] == ["pontoon-audit"]
        assert refused_for_its_lake(container["args"], tmp_path / "nowhere")


class TestPage:
    """What the page says is what the program does and what was measured."""

    def test_its_commands_are_understood(self, tmp_path: Path) -> None:
        text = PAGE.read_text(encoding="utf-8").replace("\\\n", " ")
        commands = re.findall(r"^\$ pontoon-audit (.*)$", text, re.MULTILINE)
        assert len(commands) == 4
        for each in commands:
            assert refused_for_its_lake(shlex.split(each), tmp_path / "nowhere"), each

    def test_its_figures_are_those_that_were_kept(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        assert written(page, kept()) == page

    def test_its_limits_are_those_of_the_program(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        assert (ATTEMPTS, ALONE, PATIENCE) == (4, 300, 60)
        for words in ("four workers in a row", "waits five minutes", "a minute of patience"):
            assert words in page
