"""Objects in a bucket of Amazon S3, or of a server that speaks its protocol, through s3fs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from audit.errors import StorageError, UsageProblem
from audit.remote.address import S3
from audit.remote.store import Absent, Listed, Taken

try:
    import s3fs
    from aiohttp import ClientError as HttpError
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        CredentialRetrievalError,
        HTTPClientError,
        NoAuthTokenError,
        NoCredentialsError,
        PartialCredentialsError,
        ProfileNotFound,
        TokenRetrievalError,
    )
    from botocore.exceptions import ConnectionError as NotConnected
except ImportError as error:
    raise UsageProblem(
        f"a lake on s3:// needs more than is installed ({error.name}): pip install 'pontoon-audit[s3]'"
    ) from None

_NO_CREDENTIALS = (
    CredentialRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)
_PART_BYTES = 8 << 20
"""Of a larger file so much at a time is held in memory and sent."""

_UNREACHABLE = (ConnectionError, HttpError, HTTPClientError, NotConnected, TimeoutError)


class S3Store:
    """Objects below a prefix of a bucket."""

    def __init__(self, url: str, endpoint: str | None = None) -> None:
        self.url = url
        self._root = url.removeprefix(S3)
        named = (os.environ.get(name) for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"))
        self.endpoint = endpoint or next(filter(None, named), "")
        self._fs = s3fs.S3FileSystem(
            endpoint_url=self.endpoint or None, use_listings_cache=False, skip_instance_cache=True
        )

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}"

    def create(self, key: str, content: bytes) -> None:
        with self._told(key, "write"):
            self._fs.pipe_file(self._path(key), content, mode="create")

    def upload(self, key: str, path: Path) -> None:
        with self._told(key, "write"):
            self._fs.put_file(
                str(path), self._path(key), mode="create", chunksize=_PART_BYTES, max_concurrency=2
            )

    def read(self, key: str) -> bytes:
        with self._told(key, "read"):
            content: bytes = self._fs.cat_file(self._path(key))
            return content

    def fetch(self, key: str, path: Path) -> None:
        with self._told(key, "read"):
            self._fs.get_file(self._path(key), str(path))

    def look(self, key: str) -> Listed:
        with self._told(key, "look at"):
            found = self._fs.info(self._path(key), refresh=True)
        return Listed(found["size"], found["LastModified"])

    def listing(self, folder: str) -> dict[str, Listed]:
        try:
            with self._told(folder, "list"):
                found = self._fs.find(self._path(folder), detail=True)
        except Absent:
            return {}
        below = len(self._root) + 1
        return {name[below:]: Listed(each["size"], each["LastModified"]) for name, each in found.items()}

    def remove(self, key: str) -> None:
        with suppress(Absent), self._told(key, "remove"):
            self._fs.rm_file(self._path(key))

    def close(self) -> None:
        if self._fs._s3 is not None:
            self._fs.close_session(self._fs.loop, self._fs._s3)

    @contextmanager
    def _told(self, key: str, doing: str) -> Iterator[None]:
        """Errors of the libraries, and of the server, as ours."""
        where = f"{self.url}/{key}" if key else self.url
        try:
            yield
        except (OSError, BotoCoreError, HttpError) as error:
            raise self._error(error, where, doing) from None

    def _error(self, error: Exception, where: str, doing: str) -> StorageError:
        code, message = _answer(error)
        could_not = f"{where}: could not {doing}"
        match error:
            case FileExistsError():
                return Taken(f"{where}: there already")
            case FileNotFoundError() if code != "NoSuchBucket":
                return Absent(f"{where}: not there")
            case FileNotFoundError():
                bucket = self._root.partition("/")[0]
                return StorageError(f"{could_not}: there is no bucket {bucket}; make it or check the name")
            case _ if isinstance(error, _NO_CREDENTIALS):
                return StorageError(
                    f"{could_not}: no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                    "AWS_PROFILE"
                )
            case PermissionError():
                return StorageError(
                    f"{could_not}: access denied ({code}); check the credentials and what they may do"
                )
            case _ if isinstance(error, _UNREACHABLE):
                at = self.endpoint or "Amazon S3"
                return StorageError(f"{could_not}: {at} cannot be reached; check the network and run again")
            case _:
                return StorageError(f"{could_not}: {message}")


def _answer(error: BaseException) -> tuple[str, str]:
    """The code with which the server refused, where it did, and what is to be said in a line."""
    cause = error if isinstance(error, ClientError) else error.__cause__
    said = " ".join(str(error).split()) or type(error).__name__
    if isinstance(cause, ClientError):
        code = str(cause.response.get("Error", {}).get("Code", ""))
        return code, f"{said} ({code})"
    return "", said
