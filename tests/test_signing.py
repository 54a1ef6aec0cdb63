"""Keys, and records that are signed with one."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from audit.errors import UsageProblem
from audit.lake import Lake
from audit.law import load_law
from audit.signing import KeyPair, load_signer, load_verifier, make_keys
from audit.verification import verify
from tests.commands import night, pontoon
from tests.record_tampering import AT

SHA256 = hashlib.sha256(b"anything").hexdigest()


@pytest.fixture
def keys(tmp_path: Path) -> KeyPair:
    return make_keys(tmp_path / "keys")


def written(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


class TestKeys:
    """A private key for its owner only, a public one for all."""

    def test_the_files_are_for_whom_they_should_be(self, keys: KeyPair) -> None:
        assert stat.S_IMODE(keys.private.stat().st_mode) == 0o600
        assert stat.S_IMODE(keys.public.stat().st_mode) == 0o644
        assert load_signer(keys.private).id == load_verifier(keys.public).id == keys.id

    def test_a_key_is_not_written_over(self, keys: KeyPair) -> None:
        before = keys.private.read_bytes()
        with pytest.raises(UsageProblem, match="there is a key already"):
            make_keys(keys.private.parent)
        assert keys.private.read_bytes() == before

    def test_the_command(self, tmp_path: Path) -> None:
        made = pontoon("keygen", tmp_path / "made", "--json")
        assert made.code == 0
        assert load_signer(Path(made.object["private"])).id == made.object["id"]
        assert pontoon("keygen", tmp_path / "made").code == 2
        assert "Key id: " in pontoon("keygen", tmp_path / "other").out

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
    def test_one_that_others_may_read_is_refused(self, keys: KeyPair, mode: int) -> None:
        keys.private.chmod(mode)
        told = f"others may read or write this key; run `chmod 600 {keys.private}` first"
        with pytest.raises(UsageProblem, match=told):
            load_signer(keys.private)

    def test_a_public_key_does_not_sign(self, keys: KeyPair) -> None:
        with pytest.raises(UsageProblem, match=r"a public key; name the private one, signing-key\.pem"):
            load_signer(keys.public)

    def test_another_kind_of_key_is_refused(self, tmp_path: Path, keys: KeyPair) -> None:
        other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
        with pytest.raises(UsageProblem, match="not an Ed25519 private key"):
            load_signer(written(tmp_path / "ec.pem", other))
        with pytest.raises(UsageProblem, match="not an Ed25519 private key"):
            load_signer(written(tmp_path / "junk.pem", b"junk"))
        with pytest.raises(UsageProblem, match="not an Ed25519 public key"):
            load_verifier(keys.private)
        with pytest.raises(UsageProblem, match=r"none\.pem: no such file or folder; check the name"):
            load_verifier(tmp_path / "none.pem")

    def test_one_with_a_passphrase_is_refused(self, tmp_path: Path) -> None:
        content = Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
        )
        with pytest.raises(UsageProblem, match="has a passphrase"):
            load_signer(written(tmp_path / "locked.pem", content))


class TestSignatures:
    """A signature holds for one key, one kind of thing and one SHA-256."""

    def test_it_holds_for_nothing_else(self, keys: KeyPair, tmp_path: Path) -> None:
        signature = load_signer(keys.private).sign("record", SHA256)
        verifier = load_verifier(keys.public)
        assert verifier.holds("record", SHA256, signature)
        assert not verifier.holds("case", SHA256, signature)
        assert not verifier.holds("record", SHA256[::-1], signature)
        assert not verifier.holds("record", SHA256, signature[:-2])
        assert not verifier.holds("record", SHA256, "no signature")
        assert not load_verifier(make_keys(tmp_path / "other").public).holds("record", SHA256, signature)

    def test_the_same_is_signed_alike(self, keys: KeyPair) -> None:
        signer = load_signer(keys.private)
        assert signer.sign("record", SHA256) == signer.sign("record", SHA256)


def append(lake: Lake, note: str) -> None:
    with lake.writing():
        lake.append("runs", {"kind": "note", "note": note}, AT)


class TestRecords:
    """Signed from the first signed record on, which vouches for those before it."""

    @pytest.fixture
    def lake(self, tmp_path: Path) -> Lake:
        made = Lake(tmp_path / "lake")
        with made.writing(create=True):
            pass
        return made

    def test_signing_may_begin_late_and_may_not_end(self, lake: Lake, keys: KeyPair) -> None:
        signed, key = Lake(lake.root, load_signer(keys.private)), load_verifier(keys.public)
        append(lake, "unsigned")
        assert verify(lake, load_law(), key=key).problems == ("ledger/runs.jsonl: no record is signed",)
        append(signed, "signed")
        assert verify(lake, load_law(), key=key).intact
        append(lake, "unsigned again")
        assert verify(lake, load_law(), key=key).problems == (
            "ledger/runs.jsonl: line 3: not signed, though records before it are",
        )
        found = verify(lake, load_law())
        assert (found.intact, found.signed) == (True, 1)
        assert found.notes == ("1 record signed; `--key FILE` checks the signatures",)

    def test_an_empty_lake_needs_no_signature(self, lake: Lake, keys: KeyPair) -> None:
        assert verify(lake, load_law(), key=load_verifier(keys.public)).intact

    def test_another_key_does_not_do(self, lake: Lake, keys: KeyPair, tmp_path: Path) -> None:
        append(Lake(lake.root, load_signer(make_keys(tmp_path / "other").private)), "signed")
        (problem,) = verify(lake, load_law(), key=load_verifier(keys.public)).problems
        assert "line 1: not signed with this key" in problem

    def test_ingest_signs_with_the_key_of_the_environment(
        self, keys: KeyPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PONTOON_AUDIT_KEY", str(keys.private))
        lake = tmp_path / "signed"
        assert pontoon("ingest", night("act-2018"), "--lake", lake).code == 0
        ran = pontoon("verify", "--lake", lake, "--key", keys.public, "--json")
        assert (ran.code, ran.object["signed"]) == (0, 1)

    def test_a_key_that_is_not_there_stops_before_anything_is_done(self, tmp_path: Path) -> None:
        ran = pontoon(
            "ingest", night("act-2018"), "--lake", tmp_path / "new", "--sign", tmp_path / "none.pem"
        )
        assert ran.code == 2
        assert not (tmp_path / "new").exists()
