"""Faults of workers on machines of their own, which are network namespaces: `python faults.py 500` injects so
many, one after the other, and says which of them were not noticed in time. It needs root.

A worker is killed or stopped, its link is cut or becomes slow, the disk of the main worker is full. All
others have to end with a message that names the worker or the disk; on a slow link they have to go on."""

import json
import os
import random
import shutil
import signal
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

    def start(self, i, command, **options):
        variables = {
            'RANK': i,
            'WORLD_SIZE': self.count,
            'MASTER_ADDR': '10.79.0.1',
            'MASTER_PORT': 29507,
            'OMP_NUM_THREADS': 1,
            'CANTIK_SILENCE': SILENCE,
        }
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
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


def inject(machines, kind, folder, delay=0.0):
    """What went wrong with one fault; empty if nothing did."""
    folder, count = Path(folder), machines.count
    lost = 0 if kind == 'disk' else count - 1
    options = json.dumps({'how': 'disk' if kind == 'disk' else 'waits'})
    if kind == 'disk':
        (folder / 'disk').mkdir()
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=16k', 'none', folder / 'disk'], check=True)
    command = [sys.executable, str(WORKERS), 'doomed', str(folder), options]
    workers = [
        machines.start(i, command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for i in range(count)
    ]
    try:
        if not wait_for(lambda: all((folder / f'{i}.begun').exists() for i in range(count)), 60):
            return 'the training has not begun: ' + ' '.join(w.stderr.read() for w in workers if w.poll())
        time.sleep(delay)
        begun = time.monotonic()
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
        for i in others:
            text = json.loads((folder / f'{i}.json').read_text())[0]
            named = kind == 'disk' or text.startswith(f'worker {lost} of {count}, on ')
            if not named or SAID[kind] not in text:
                return f'worker {i} says {text}'
        inject.longest = max(inject.longest, time.monotonic() - begun)
        return ''
    finally:
        for w in workers:
            w.kill()
            w.communicate()
        if kind == 'cut':
            machines.join(lost)
        if kind == 'disk':
            subprocess.run(['umount', folder / 'disk'], check=True)


inject.longest = 0.0  # seconds until all others had ended


def main(count, seed=0):
    if not can_inject():
        print('no faults were injected: network namespaces need root, ip and tc')
        return 0
    draw, failures = random.Random(seed), []
    for number in range(count):
        kind = list(SAID)[number % len(SAID)]
        with tempfile.TemporaryDirectory() as folder, Machines(3) as machines:
            wrong = inject(machines, kind, folder, delay=draw.random())
        if wrong:
            failures.append((number, kind, wrong))
            print(number, kind, wrong, flush=True)
    print(f'{count} faults, {count - len(failures)} noticed, the slowest after {inject.longest:.1f} s')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
