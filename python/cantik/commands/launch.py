"""Starts workers that train together on this machine: `cantik launch -n 4 train.py`. No MPI is needed."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time

import click

from ._program import ScriptCommand, command as command_of

PATIENCE = 5  # seconds in which the others say what they know of a worker's death


def _is_stopped(pid):
    """Whether a child is stopped by a signal."""
    flags = os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        found = os.waitid(os.P_PID, pid, flags)
    except ChildProcessError:
        return False
    return found is not None and found.si_code == os.CLD_STOPPED


def _is_compiled(path):
    """Whether the system can start a program by itself: ELF, Linux's format of executables."""
    if os.path.isdir(path) or not os.access(path, os.X_OK):
        return False
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


class _Workers:
    """The processes of one training, and what they end with."""

    def __init__(self, count, command, replacements=None):
        self.count, self.command = count, command
        self.replacements = replacements  # None: all end when one fails
        self.processes = []
        with socket.socket() as door:  # where they meet: the first one inherits it
            # Its port is for new workers later, while connections that came to it go on.
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(('127.0.0.1', 0))
            door.listen(count)
            self.port = door.getsockname()[1]
            self.shared = {
                'WORLD_SIZE': str(count),
                'MASTER_ADDR': '127.0.0.1',
                'MASTER_PORT': str(self.port),
                'CANTIK_JOB': secrets.token_hex(16),
            }
            for rank in range(count):
                inherited = {'CANTIK_MASTER_DESCRIPTOR': str(door.fileno())} if rank == 0 else {}
                self._start((door.fileno(),) if rank == 0 else (), **inherited)

    def _start(self, descriptors=(), **variables):
        rank = str(len(self.processes))
        environment = {**os.environ, **self.shared, 'RANK': rank, 'LOCAL_RANK': rank, **variables}
        self.processes.append(subprocess.Popen(self.command, env=environment, pass_fds=descriptors))

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()

    def status(self):
        """0 when all have ended well, or, where others take the places of those that fail, one of them."""
        try:
            return self._one_of_several() if self.replacements is not None else self._all()
        finally:
            self.end()

    def _said(self, process):
        code = process.returncode
        return f'worker {self.processes.index(process)} ended with ' + (
            f'signal {-code}' if code < 0 else f'status {code}'
        )

    def _all(self):
        """The status of the first that failed; the others have a little time to say what they know of it."""
        failed, until = None, None
        while any(process.poll() is None for process in self.processes):
            if failed is None and (ended := [p for p in self.processes if p.poll()]):
                first = min(ended, key=lambda p: p.returncode)  # a signal comes before its consequences
                failed, until = first.returncode, time.monotonic() + PATIENCE
                print('cantik launch: ' + self._said(first), file=sys.stderr)
            if until is not None and time.monotonic() > until:
                break
            time.sleep(0.02)
        return failed or next((p.returncode for p in self.processes if p.returncode), 0)

    def _one_of_several(self):
        """New workers take the places of those that fail, as long as there are replacements and somebody whom
        they can join."""
        seen, left = set(), self.replacements
        stopped = {}  # since when
        while any(process.poll() is None for process in self.processes):
            now = time.monotonic()
            for process in self.processes:
                if process.poll() is not None or not _is_stopped(process.pid):
                    stopped.pop(process, None)
                elif now - stopped.setdefault(process, now) > PATIENCE:
                    process.kill()  # the others go on without it
            for process in [p for p in self.processes if p.poll() and p not in seen]:
                seen.add(process)
                is_over = any(p.poll() == 0 for p in self.processes)
                replaced = left > 0 and not is_over and any(p.poll() is None for p in self.processes)
                takes = '; a new one takes its place' if replaced else ''
                print(f'cantik launch: {self._said(process)}{takes}', file=sys.stderr)
                if replaced:
                    left -= 1
                    self._start(CANTIK_JOIN=f'127.0.0.1:{self.port}')
            time.sleep(0.02)
        if any(process.returncode == 0 for process in self.processes):
            return 0
        return self.processes[0].returncode


@command_of(
    'cantik launch -n 4 train.py', ScriptCommand, ignore_unknown_options=True, allow_interspersed_args=False
)
@click.option(
    '-n', 'count', type=click.IntRange(1, 4096), help='How many workers; as many as cores by default.'
)
@click.option(
    '--restart', 'restarts', type=click.IntRange(0), default=0, help='How often all may start again.'
)
@click.option(
    '--replace',
    'replacements',
    type=click.IntRange(0),
    help='The training is elastic: the others go on without a worker that fails, and so many new ones may '
    'take the places of those.',
)
@click.argument('script', type=click.Path(exists=True))
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
def command(
    count: int | None, restarts: int, replacements: int | None, script: str, arguments: tuple[str, ...]
) -> int:
    """Starts workers that train together on this machine. No MPI is needed; a SCRIPT runs in each worker as
    `cantik run` runs it, and a compiled program as it is."""
    words = [sys.executable, '-m', 'cantik', 'run', script, *arguments]
    if _is_compiled(script):
        words = [os.path.abspath(script), *arguments]
    count = count or os.cpu_count() or 1
    status = _Workers(count, words, replacements).status()
    for _ in range(restarts):
        if status == 0:
            break
        print('cantik launch: all workers start again', file=sys.stderr)
        status = _Workers(count, words, replacements).status()
    return 128 - status if status < 0 else status
