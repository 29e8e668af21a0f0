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


@command_of(
    'cantik launch -n 4 train.py', ScriptCommand, ignore_unknown_options=True, allow_interspersed_args=False
)
@click.option('-n', 'count', type=click.IntRange(1), help='How many workers; as many as cores by default.')
@click.option(
    '--restart', 'restarts', type=click.IntRange(0), default=0, help='How often all may start again.'
)
@click.argument('script', type=click.Path(exists=True))
@click.argument('arguments', nargs=-1, type=click.UNPROCESSED)
def command(count: int | None, restarts: int, script: str, arguments: tuple[str, ...]) -> int:
    """Starts workers that train together on this machine. No MPI is needed; a SCRIPT runs in each worker as
    `cantik run` runs it."""
    words = [sys.executable, '-m', 'cantik', 'run', script, *arguments]
    count = count or os.cpu_count() or 1
    status = _status_of(_workers(count, words))
    for _ in range(restarts):
        if status == 0:
            break
        print('cantik launch: all workers start again', file=sys.stderr)
        status = _status_of(_workers(count, words))
    return 128 - status if status < 0 else status
