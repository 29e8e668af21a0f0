"""Faults of workers on machines of their own, which are network namespaces: `python faults.py 500 [SEED]`
injects so many, one after the other, and says which of them were not noticed in time, and how soon the others
were. It needs root.

A worker is killed or stopped, its link is cut or becomes slow, the disk of the main worker is full. All
others have to end with a message that names the worker or the disk; on a slow link they have to go on."""

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKERS = Path(__file__).resolve().parent / 'workers.py'
SILENCE = 2  # seconds
PATIENCE = SILENCE + 5

# what the others say of the worker, the last one or (of a disk) the main one
SAID = {
    'killed': 'its process ended or was killed',
    'stopped': f'nothing was heard of it for {SILENCE} s',
    'cut': f'nothing was heard of it for {SILENCE} s',
    'slow': None,
    'disk': 'the main worker could not write the checkpoint',
}


def can_inject():
    """Whether this process may make namespaces."""
    if os.geteuid() != 0 or not shutil.which('ip') or not shutil.which('tc'):
        return False
    name = f'cantik{os.getpid()}probe'
    made = subprocess.run(['ip', 'netns', 'add', name], capture_output=True).returncode == 0
    if made:
        subprocess.run(['ip', 'netns', 'del', name], check=True)
    return made


def ip(*words):
    subprocess.run(['ip', *map(str, words)], check=True)


class Machines:
    """Namespaces joined by a switch, with links that can be shaped."""

    def __init__(self, count, rate=None):
        self.name, self.count = f'cantik{os.getpid()}', count
        self.switch = f'{self.name}s'
        ip('netns', 'add', self.switch)
        ip('-n', self.switch, 'link', 'add', 'switch', 'type', 'bridge')
        ip('-n', self.switch, 'link', 'set', 'switch', 'up')
        for i in range(count):
            ip('netns', 'add', self.machine(i))
            ip('-n', self.machine(i), 'link', 'set', 'lo', 'up')
            peer = ('peer', 'name', f'port{i}', 'netns', self.switch)
            ip('link', 'add', 'wire', 'netns', self.machine(i), 'type', 'veth', *peer)
            ip('-n', self.switch, 'link', 'set', f'port{i}', 'master', 'switch', 'up')
            ip('-n', self.machine(i), 'addr', 'add', f'10.79.0.{i + 1}/24', 'dev', 'wire')
            ip('-n', self.machine(i), 'link', 'set', 'wire', 'up')
            if rate:
                self.shape(i, rate)

    def machine(self, i):
        return f'{self.name}m{i}'

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for name in [self.machine(i) for i in range(self.count)] + [self.switch]:
            subprocess.run(['ip', 'netns', 'del', name])

    def shape(self, i, rate):
        """The link of a machine has this rate in both directions: '1gbit'."""
        shaped = ('root', 'tbf', 'rate', rate, 'burst', '256kb', 'latency', '50ms')
        for place, device in ((self.machine(i), 'wire'), (self.switch, f'port{i}')):
            command = ['ip', 'netns', 'exec', place, 'tc', 'qdisc', 'replace', 'dev', device, *shaped]
            subprocess.run(command, check=True)

    def cut(self, i):
        ip('-n', self.switch, 'link', 'set', f'port{i}', 'down')

    def join(self, i):
        ip('-n', self.switch, 'link', 'set', f'port{i}', 'up')

    def start(self, i, command, variables=None, **options):
        own = {
            'RANK': i,
            'WORLD_SIZE': self.count,
            'MASTER_ADDR': '10.79.0.1',
            'MASTER_PORT': 29507,
            'OMP_NUM_THREADS': 1,
            'CANTIK_SILENCE': SILENCE,
        }
        environment = {**(variables or os.environ), **{name: str(value) for name, value in own.items()}}
        return subprocess.Popen(
            ['ip', 'netns', 'exec', self.machine(i), *command], env=environment, **options
        )


def wait_for(done, seconds):
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def inject(machines, kind, folder, delay=0.0, noticed=None, program='doomed'):
    """What went wrong with one fault; empty if nothing did. `noticed` gets the seconds from the fault until
    the last of the others has raised, where the fault has a time of its own. The program trains ('doomed'),
    or forms groups of workers ('grouped')."""
    folder, count = Path(folder), machines.count
    lost = 0 if kind == 'disk' else count - 1
    options = json.dumps({'how': 'disk' if kind == 'disk' else 'waits'})
    if kind == 'disk':
        (folder / 'disk').mkdir()
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=16k', 'none', folder / 'disk'], check=True)
    command = [sys.executable, str(WORKERS), program, str(folder), options]
    workers = [
        machines.start(i, command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for i in range(count)
    ]
    try:
        if not wait_for(lambda: all((folder / f'{i}.begun').exists() for i in range(count)), 60):
            return 'the training has not begun: ' + ' '.join(w.stderr.read() for w in workers if w.poll())
        time.sleep(delay)
        begun = time.time()
        if kind in ('killed', 'stopped'):
            os.kill(workers[lost].pid, signal.SIGKILL if kind == 'killed' else signal.SIGSTOP)
        if kind == 'cut':
            machines.cut(lost)
        if kind == 'slow':
            machines.shape(lost, '10mbit')
            time.sleep(SILENCE + 1)
            return '' if all(w.poll() is None for w in workers) else 'a worker has ended on a slow link'
        others = [i for i in range(count) if i != lost]
        if not wait_for(lambda: all(workers[i].poll() is not None for i in others), PATIENCE):
            return f'not noticed within {PATIENCE} s'
        raised = []
        for i in others:
            text, when = json.loads((folder / f'{i}.json').read_text())[:2]
            raised.append(when)
            named = kind == 'disk' or text.startswith(f'worker {lost} of {count}, on ')
            if not named or SAID[kind] not in text:
                return f'worker {i} says {text}'
        if noticed is not None and kind != 'disk':
            noticed.append(max(raised) - begun)
        return ''
    finally:
        for w in workers:
            w.kill()
            w.communicate()
        if kind == 'cut':
            machines.join(lost)
        if kind == 'disk':
            subprocess.run(['umount', folder / 'disk'], check=True)


def main(count, seed=0):
    if not can_inject():
        print('no faults were injected: network namespaces need root, ip and tc')
        return 0
    draw, failures = random.Random(seed), []
    noticed = {kind: [] for kind in SAID}
    for number in range(count):
        kind = list(SAID)[number % len(SAID)]
        with tempfile.TemporaryDirectory() as folder, Machines(3) as machines:
            forms_groups = kind in ('killed', 'stopped', 'cut') and number // len(SAID) % 2
            program = 'grouped' if forms_groups else 'doomed'
            wrong = inject(machines, kind, folder, draw.random(), noticed[kind], program)
        if wrong:
            failures.append(number)
            print(number, program, kind, wrong, flush=True)
    print(f'{count} faults, {count - len(failures)} as they should be')
    for kind, times in noticed.items():
        if times:
            print(
                f'{kind}: all others have raised after {statistics.median(times):.2f} s in the median, '
                f'{max(times):.2f} s in the worst of {len(times)} cases'
            )
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*map(int, sys.argv[1:] or [5])))
