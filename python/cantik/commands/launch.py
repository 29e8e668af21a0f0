"""Starts workers that train together on this machine: `cantik launch -n 4 train.py`. No MPI is needed."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = 'usage: cantik launch [-n WORKERS] [--restart TIMES] SCRIPT [ARGUMENT ...]'
PATIENCE = 5  # seconds in which the others say what they know of a worker's death


def _workers(count, command):
    """The processes, which meet at a socket that the first one inherits."""
    with socket.socket() as door:
        door.bind(('127.0.0.1', 0))
        door.listen(count)
        shared = {
            'WORLD_SIZE': str(count),
            'MASTER_ADDR': '127.0.0.1',
            'MASTER_PORT': str(door.getsockname()[1]),
            'CANTIK_JOB': secrets.token_hex(16),
        }
        workers = []
        for rank in range(count):
            environment = {**os.environ, **shared, 'RANK': str(rank), 'LOCAL_RANK': str(rank)}
            descriptors = ()
            if rank == 0:
                environment['CANTIK_MASTER_DESCRIPTOR'] = str(door.fileno())
                descriptors = (door.fileno(),)
            workers.append(subprocess.Popen(command, env=environment, pass_fds=descriptors))
        return workers


def _end(workers):
    for worker in workers:
        if worker.poll() is None:
            worker.send_signal(signal.SIGKILL)
        worker.wait()


def _status_of(workers):
    """0 when all have ended well; otherwise the status of the first that failed."""
    failed, until = None, None
    try:
        while any(worker.poll() is None for worker in workers):
            if failed is None and (ended := [worker for worker in workers if worker.poll()]):
                first = min(
                    ended, key=lambda worker: worker.returncode
                )  # a signal comes before its consequences
                failed, until = first.returncode, time.monotonic() + PATIENCE
                reason = f'signal {-failed}' if failed < 0 else f'status {failed}'
                print(f'cantik launch: worker {workers.index(first)} ended with {reason}', file=sys.stderr)
            if until is not None and time.monotonic() > until:
                break
            time.sleep(0.02)
    finally:
        _end(workers)
    return failed or next((worker.returncode for worker in workers if worker.returncode), 0)


def main(arguments: Sequence[str]) -> int:
    arguments = list(arguments)
    count, restarts = os.cpu_count() or 1, 0
    while arguments and arguments[0] in ('-n', '--restart'):
        option = arguments.pop(0)
        if not arguments or not arguments[0].isdigit() or int(arguments[0]) < (option == '-n'):
            print(f'cantik launch: {option} needs a whole number\n{USAGE}', file=sys.stderr)
            return 2
        given = int(arguments.pop(0))
        count, restarts = (given, restarts) if option == '-n' else (count, given)
    if not arguments or arguments[0].startswith('-'):
        asked = bool(arguments) and arguments[0] in ('-h', '--help')
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    if not os.path.exists(arguments[0]):
        print(f"cantik launch: there is no file '{arguments[0]}'", file=sys.stderr)
        return 2
    command = [sys.executable, '-m', 'cantik', 'run', *arguments]
    status = _status_of(_workers(count, command))
    for _ in range(restarts):
        if status == 0:
            break
        print('cantik launch: all workers start again', file=sys.stderr)
        status = _status_of(_workers(count, command))
    return 128 - status if status < 0 else status
