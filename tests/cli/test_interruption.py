"""Ctrl-C, as a terminal sends it: to the whole group of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Atril = Callable[..., Any]


def test_ctrl_c_ends_a_watch_cleanly_and_leaves_a_sound_home(atril: Atril, folder: Path) -> None:
    command = [
        sys.executable,
        "-c",
        # A run in the background of a shell ignores the signal, and so would every process it starts.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from atril.cli.main import run; run()",
        "sync",
        folder,
        "--watch",
        "--json",
    ]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"ATRIL_LANG": "en"},
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()

    assert json.loads(first)["added"] == 2
    assert process.returncode == 130
    assert "Interrupted." in err
    assert "Traceback" not in err
    assert len(atril("list", "--json").document) == 2
