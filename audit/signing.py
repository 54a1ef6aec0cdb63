"""Ed25519 signatures on ledger records and cases, with a key in a file.

A key is named by its id: the SHA-256 of the public key as DER, which
``openssl pkey -pubin -in FILE -outform DER | sha256sum`` prints as well. What is signed is a
line that says what kind of thing it is, and below it a SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from audit.errors import UsageProblem, os_reason

PRIVATE_NAME: Final = "signing-key.pem"
PUBLIC_NAME: Final = "public-key.pem"

Kind: TypeAlias = Literal["record", "case"]


def _message(kind: Kind, sha256: str) -> bytes:
    # The first line keeps a signature on one kind of thing from being shown as one on another.
    return f"pontoon-audit {kind}\n{sha256}\n".encode()


def _id_of(key: Ed25519PublicKey) -> str:
    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs with a private key."""

    _key: Ed25519PrivateKey

    @property
    def id(self) -> str:
        """The id of the key."""
        return _id_of(self._key.public_key())

    def sign(self, kind: Kind, sha256: str) -> str:
        """The signature on a SHA-256, in hexadecimal; the same each time."""
        return self._key.sign(_message(kind, sha256)).hex()


@dataclass(frozen=True, slots=True)
class Verifier:
    """Checks signatures against a public key."""

    _key: Ed25519PublicKey

    @property
    def id(self) -> str:
        """The id of the key."""
        return _id_of(self._key)

    def holds(self, kind: Kind, sha256: str, signature: str) -> bool:
        """Whether the key made this signature on this SHA-256."""
        try:
            self._key.verify(bytes.fromhex(signature), _message(kind, sha256))
        except (InvalidSignature, ValueError):
            return False
        return True


def load_signer(path: Path) -> Signer:
    """The private key of a PEM file. `UsageProblem` for another kind, or one that others may read."""
    content = _read(path)
    if _public(content) is not None:
        raise UsageProblem(f"{path}: a public key; name the private one, {PRIVATE_NAME} of `keygen`, to sign")
    try:
        key = load_pem_private_key(content, password=None)
    except TypeError:
        raise UsageProblem(
            f"{path}: the key has a passphrase; give a file that only its owner may read"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageProblem(
            f"{path}: not an Ed25519 private key in PEM form; `pontoon-audit keygen DIR` makes one"
        )
    if stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageProblem(f"{path}: others may read or write this key; run `chmod 600 {path}` first")
    return Signer(key)


def load_verifier(path: Path) -> Verifier:
    """The public key of a PEM file; `UsageProblem` where it holds none."""
    key = _public(_read(path))
    if key is None:
        raise UsageProblem(f"{path}: not an Ed25519 public key in PEM form; {PUBLIC_NAME} of `keygen` is one")
    return Verifier(key)


def _public(content: bytes) -> Ed25519PublicKey | None:
    try:
        key = load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, Ed25519PublicKey) else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{path}: {os_reason(error)}") from None


@dataclass(frozen=True, slots=True)
class KeyPair:
    """Where a new pair of keys is, and its id."""

    private: Path
    public: Path
    id: str


def make_keys(folder: Path) -> KeyPair:
    """Make a pair of keys in a folder: the private key for its owner only, the public one for all.

    Raises `UsageProblem` where one is there already, since nothing signed with it could be
    signed for again.
    """
    key = Ed25519PrivateKey.generate()
    private, public = folder / PRIVATE_NAME, folder / PUBLIC_NAME
    present = next((path for path in (private, public) if os.path.lexists(path)), None)
    if present is not None:
        raise UsageProblem(f"{present}: there is a key already; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(private, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)
        _write(
            public,
            key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            0o644,
        )
    except OSError as error:
        raise UsageProblem(f"{folder}: could not write the keys: {os_reason(error)}") from None
    return KeyPair(private, public, _id_of(key.public_key()))


def _write(path: Path, content: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(handle, mode)
        file.write(content)
