"""What a process that replays does without: libraries nobody needs, and names of 15 kB."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from typing import Any

import numba
import pytest

from rules_replay.kernel.records import BET, EVENT, ROUND, Table, records_of
from rules_replay.spared import later, unavailable

_LOADED = """
import json, sys
import numpy, pyarrow
from audit.workers import spare_pandas
spare_pandas()
import audit.engines.local, audit.partitions, expectations.census, rules_replay.fast
from rules_replay.kernel.stories import card_texts
from rules_replay.kernel.records import HANDROW, records_of
pyarrow.array(numpy.zeros(1))
card_texts(records_of(0, HANDROW), numpy.zeros(0, numpy.uint8))
print(json.dumps(sorted(sys.modules)))
"""


class TestUnavailable:
    """A module appears to be missing for a while."""

    def test_it_is_not_found_meanwhile_and_found_afterwards(self) -> None:
        """An import of it fails as if it were not installed, and works again afterwards."""
        sys.modules.pop("colorsys", None)
        with unavailable("colorsys"), pytest.raises(ModuleNotFoundError, match="colorsys"):
            importlib.import_module("colorsys")
        assert importlib.import_module("colorsys").__name__ == "colorsys"

    def test_a_module_that_is_loaded_stays(self) -> None:
        """A module that was loaded before is there for whoever imports it."""
        with unavailable("json"):
            assert importlib.import_module("json") is json


class TestLeavingOut:
    """Modules are missing for good in a process of our own."""

    def test_what_is_not_loaded_stays_away(self) -> None:
        """A package stays away with all that lies in it; one that was loaded before stays."""
        trying = (
            "import json, sys\nfrom rules_replay.spared import leave_out\nleave_out('xml', 'json')\n"
            "import json\ntry:\n    import xml.dom\nexcept ModuleNotFoundError as left:\n    print(left.name)"
        )
        done = subprocess.run([sys.executable, "-c", trying], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "xml"


class TestLater:
    """A module is loaded as something of it is asked for."""

    def test_it_is_whole_when_it_is_asked(self) -> None:
        """Nothing of a module is there before something of it is asked for, and then all of it is."""
        sys.modules.pop("colorsys", None)
        with later("colorsys"):
            module = importlib.import_module("colorsys")
        assert "rgb_to_hsv" not in object.__getattribute__(module, "__dict__")
        assert module.rgb_to_hsv(0, 0, 0) == (0, 0, 0)
        assert "rgb_to_hsv" in object.__getattribute__(module, "__dict__")


@pytest.mark.slow
class TestValidating:
    """A validation loads of Great Expectations only what it uses."""

    def test_neither_statistics_nor_charts(self) -> None:
        """A validation asks nothing of the statistics and charts, so they are not loaded."""
        loading = "import json, sys, expectations.validate\nprint(json.dumps(sorted(sys.modules)))"
        done = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True, check=True)
        loaded = set(json.loads(done.stdout))
        assert {"great_expectations", "scipy.stats", "altair"} <= loaded
        assert loaded.isdisjoint({"scipy.stats._stats_py", "altair.vegalite"})


class TestReplaying:
    """The processes of a run load only what a replay needs."""

    @pytest.mark.slow
    def test_neither_pandas_nor_scipys_algebra_nor_duckdb_is_loaded(self) -> None:
        """Arrow and numba look for the first two, which takes longer than to load the kernel."""
        done = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
        loaded = set(json.loads(done.stdout))
        assert {"numba.np.arraymath", "pyarrow.parquet", "expectations.census"} <= loaded
        assert loaded.isdisjoint({"pandas", "scipy.linalg", "great_expectations", "polars", "duckdb"})

    @pytest.mark.slow
    def test_a_night_of_few_rounds_does_without_numba(self) -> None:
        """Numba is loaded only where there is work for the kernel."""
        loading = "import sys, audit.run, audit.partitions; print('numba' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", loading], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "False"

    def test_compiled_functions_have_short_names(self) -> None:
        """The name of a table in a compiled one tells it from others, and does not spell out its fields."""
        kinds = [_kind(ROUND, EVENT), _kind(ROUND, BET)]
        names = [kind.mangling_args[0] for kind in kinds]
        assert len(set(names)) == 2
        assert _kind(ROUND, EVENT).mangling_args[0] == names[0]
        assert all(len(name) < 100 < len(str(kind)) for name, kind in zip(names, kinds, strict=True))


def _kind(round_: Any, space: Any) -> Any:
    importlib.import_module("rules_replay.kernel.compiled")
    type_of: Any = numba.typeof
    return type_of(Table(records_of(1, round_)[0], None, records_of(1, space)[0]))
