"""Sealing a folder: a manifest with the SHA-256 of every file, and the SHA-256 of the manifest.

Whoever has the seal, from a letter or a court file, can tell from it whether a single byte of
the folder is another one. The seal can be signed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from audit.case.contents import FORMAT, as_json
from audit.errors import LakeError, UsageProblem, os_reason, storage_error
from audit.signing import Signer, Verifier

MANIFEST: Final = "MANIFEST.json"
SEAL: Final = "SEAL.json"

LARGEST_FILE: Final = 256 * 1024 * 1024
"""Bytes of a file of a case that are read at most."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A folder as it was found: its files, its seal, and what is wrong with them, a line each.

    ``signed_by`` is the id of the key that the seal says it is signed with.
    """

    files: Mapping[str, bytes]
    seal: str
    signed_by: str | None
    problems: tuple[str, ...]


def write_sealed(folder: Path, files: Mapping[str, bytes], signer: Signer | None = None) -> str:
    """Write files into a new folder, whole or not at all, and return the seal.

    The same files give the same bytes. Raises `UsageProblem` where there is something
    already, `StorageError` where the disk refuses.
    """
    if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageProblem(f"{folder}: there is something already; name a new folder")
    manifest = as_json({"format": FORMAT, "files": {name: sha256_of(files[name]) for name in sorted(files)}})
    seal = sha256_of(manifest)
    signed = {} if signer is None else {"signed_by": signer.id, "signature": signer.sign("case", seal)}
    whole = {**files, MANIFEST: manifest, SEAL: as_json({"seal": seal, **signed})}
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".case-") as name:
            made = Path(name) / "case"
            made.mkdir()
            for place, content in whole.items():
                (made / place).parent.mkdir(parents=True, exist_ok=True)
                (made / place).write_bytes(content)
            made.replace(folder)
    except OSError as error:
        raise storage_error(error, "write the case", folder) from None
    return seal


def read_sealed(folder: Path, key: Verifier | None = None) -> Sealed:
    """Read a sealed folder, and compute manifest, seal and, with a key, the signature again.

    Only files that the manifest names are taken, and no symbolic link is followed. Raises
    `UsageProblem` where there is no case.
    """
    if not (folder / MANIFEST).is_file():
        raise UsageProblem(f"{folder}: no case here; `pontoon-audit export` makes one")
    present = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
    links = [name for name, path in present.items() if path.is_symlink()]
    found = {name: path for name, path in present.items() if path.is_file() and not path.is_symlink()}
    problems = [f"{name}: a symbolic link; a case has none" for name in links]
    contents = {name: _content(path) for name, path in found.items()}
    manifest = contents.pop(MANIFEST, b"")
    seal, signed_by = sha256_of(manifest), None
    problems += _of_manifest(manifest, contents)
    try:
        written: dict[str, Any] = json.loads(contents.pop(SEAL))
        signed_by, signature = written.get("signed_by"), written.get("signature")
        if written["seal"] != seal:
            problems.append(f"{SEAL}: not the SHA-256 of {MANIFEST}")
        if key is not None and not (signed_by == key.id and key.holds("case", seal, str(signature))):
            problems.append(f"{SEAL}: not signed with this key, whose id is {key.id}")
    except (KeyError, ValueError, AttributeError, TypeError, RecursionError):
        problems.append(f"{SEAL}: missing or not a seal")
    return Sealed(contents, seal, signed_by, tuple(problems))


def _of_manifest(manifest: bytes, contents: Mapping[str, bytes]) -> list[str]:
    try:
        listed: dict[str, Any] = json.loads(manifest)["files"]
        wanted = {str(name): str(digest) for name, digest in listed.items()}
    except (KeyError, ValueError, AttributeError, TypeError, RecursionError):
        return [f"{MANIFEST}: not a manifest"]
    problems = []
    for name in sorted(wanted.keys() | (contents.keys() - {SEAL})):
        if name not in contents:
            problems.append(f"{name}: in the manifest, and missing")
        elif name not in wanted:
            problems.append(f"{name}: not in the manifest")
        elif sha256_of(contents[name]) != wanted[name]:
            problems.append(f"{name}: differs from the SHA-256 in the manifest")
    return problems


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise LakeError(f"{path}: larger than {LARGEST_FILE:,} bytes; no file of a case is")
        return path.read_bytes()
    except OSError as error:
        raise UsageProblem(f"{path}: {os_reason(error)}") from None


def sha256_of(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
