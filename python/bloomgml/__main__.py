"""The program itself: `bloom …`, or `python -m bloomgml …` where scripts are not on the path."""

import os
import subprocess
import sys

from .program import program


def main() -> None:
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
