"""Running the program bloom."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO


class BloomError(RuntimeError):
    """What bloom could not do, in its own sentence. code is its exit status: 1 failed, 2 usage, 3 data."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return BloomError, (str(self), self.code)


def program() -> str:
    """The path of the program: $BLOOMGML_PROGRAM, the one in the wheel, or bloom on the path."""
    name = "bloom.exe" if os.name == "nt" else "bloom"
    inside = Path(__file__).parent / "bin" / name
    found = os.environ.get("BLOOMGML_PROGRAM") or (str(inside) if inside.exists() else shutil.which("bloom"))
    if not found:
        raise BloomError("the program bloom is neither in the package nor on the path; BLOOMGML_PROGRAM can name it")
    return found


def start(args: list[str], stdout: IO[bytes] | int) -> tuple[subprocess.Popen[bytes], queue.SimpleQueue[str | None]]:
    """Starts the program in a group of its own, so that Ctrl-C reaches it only by stop. The queue has the lines of its
    standard error, and None at their end."""
    windows = os.name == "nt"
    child = subprocess.Popen(
        [program(), *args], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
        creationflags=subprocess.CREATE_NEW_PROCESS_GROUP if windows else 0,  # type: ignore[attr-defined,unused-ignore]
        start_new_session=not windows)
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert child.stderr is not None
        with child.stderr:
            for line in child.stderr:
                lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return child, lines


def stop(child: subprocess.Popen[bytes], seconds: float = 10) -> None:
    """Interrupts the program, and kills it if it has not ended after some seconds."""
    if child.poll() is not None:
        return
    child.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT))
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def take(lines: queue.SimpleQueue[str | None]) -> str | None:
    """The next line. Waiting in short turns lets Ctrl-C through on Windows too."""
    while True:
        try:
            return lines.get(timeout=0.2)
        except queue.Empty:
            pass


def run(*args: object, verbose: bool = False) -> bytes:
    """Runs the program and returns its standard output. Its lines for people are printed to sys.stderr if verbose."""
    with tempfile.TemporaryFile() as out:
        child, lines = start([str(a) for a in args], out)
        said: list[str] = []
        try:
            while (line := take(lines)) is not None:
                said.append(line)
                if verbose:
                    print(line, file=sys.stderr, flush=True)
            code = child.wait()
        finally:
            stop(child)
        if code:
            raise BloomError(sentence(said), code)
        out.seek(0)
        return out.read()


def sentence(said: list[str]) -> str:
    """The error among the lines of the program: from "bloom: " on, without the pointer to its help."""
    at = max((i for i, line in enumerate(said) if line.startswith("bloom: ")), default=0)
    kept = [line for line in said[at:] if line and not line.startswith('See "bloom')]
    return "\n".join(kept).removeprefix("bloom: ") or "bloom ended without a message"
