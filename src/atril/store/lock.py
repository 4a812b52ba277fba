"""One process owns a home.

The operating system holds the lock, so it ends with the process however that ends, and a number left in
the file by a process that died means nothing. The file itself is never deleted: deleting it would let two
processes lock two files of the same name.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from atril.errors import HomeLocked

FILE_NAME: Final = "lock"

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    # Windows refuses to read locked bytes: the lock lies beyond the number that others must read.
    _OFFSET: Final = 1 << 20

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _OFFSET, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        # flock and not lockf: it also refuses a second opener in the same process.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class HomeLock:
    """Owned from construction to `release`; the home folder is made when it is missing.

    Raises `HomeLocked` when any process, this one included, owns it already.
    """

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._descriptor: int | None = os.open(home / FILE_NAME, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _take(self._descriptor)
        except OSError as error:
            owner = (
                os.pread(self._descriptor, 32, 0) if hasattr(os, "pread") else os.read(self._descriptor, 32)
            )
            self.release()
            raise HomeLocked(home=str(home), pid=owner.decode("ascii", "replace").strip() or "?") from error
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Lets another process in; a second call does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> HomeLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
