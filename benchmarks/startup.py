"""What starting costs: processor time of `atril --help`, of importing the library, and the installed size.

    python benchmarks/startup.py [--size] [--home HOME]

`--home` searches a home, once by its words and once by meaning too. `--size` installs the package of this checkout into a new virtual environment and adds up its files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from statistics import median

from measuring import folder_megabytes, table

RUNS = 7
ROOT = Path(__file__).resolve().parent.parent


def cpu_of(command: list[str]) -> float:
    """Median processor seconds of a whole process whose modules are compiled already, as pip leaves them."""
    seconds = []
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    for _ in range(RUNS):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{command} failed")
        seconds.append(usage.ru_utime + usage.ru_stime)
    return median(seconds)


def installed_megabytes() -> float:
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "venv"
        venv.create(environment, with_pip=True)
        before = folder_megabytes(environment)
        pip = [
            str(environment / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            str(ROOT),
        ]
        subprocess.run(pip, check=True)
        return folder_megabytes(environment) - before


def main(arguments: argparse.Namespace) -> None:
    atril = str(Path(sys.executable).with_name("atril"))
    rows = [
        ("python -c pass", f"{cpu_of([sys.executable, '-c', 'pass']):.2f} s"),
        ("atril --help", f"{cpu_of([atril, '--help']):.2f} s"),
        ("import atril", f"{cpu_of([sys.executable, '-c', 'import atril']):.2f} s"),
        ("import atril.app", f"{cpu_of([sys.executable, '-c', 'import atril.app']):.2f} s"),
    ]
    if arguments.home:
        search = [atril, "search", "vacaciones anuales", "--json", "--home", arguments.home]
        rows.append(("atril search --mode lexical", f"{cpu_of([*search, '--mode', 'lexical']):.2f} s"))
        rows.append(("atril search", f"{cpu_of(search):.2f} s"))
    if arguments.size:
        rows.append(("installed, without pip", f"{installed_megabytes():.0f} MB"))
    print(table(("what", f"median of {RUNS}"), rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", action="store_true")
    parser.add_argument("--home")
    main(parser.parse_args())
