#!/usr/bin/env python3
"""Configures and builds a preset of CMakePresets.json, with one line that shows how far it is.

    tools/build.py PRESET [-DNAME=VALUE ...] [--target NAME ...] [--jobs N]

A terminal gets a line that is drawn again and again, a file a line for each tenth. Warnings and errors of
compilers come through as they are.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STEP = re.compile(r'\[(\d+)/(\d+)\] ')


class Progress:
    """How many of the files are built."""

    def __init__(self, out):
        self.out = out
        self.is_terminal = out.isatty()
        self.begin = time.monotonic()
        self.tenths = 0
        self.drawn = 0

    def show(self, done, all_of_them, first):
        seconds = int(time.monotonic() - self.begin)
        text = f'building: {done} of {all_of_them}, {seconds // 60}:{seconds % 60:02}'
        if self.is_terminal:
            self.out.write('\r' + text.ljust(self.drawn))
            self.drawn = len(text)
        elif first or done * 10 // all_of_them > self.tenths:
            self.tenths = done * 10 // all_of_them
            self.out.write(text + '\n')
        self.out.flush()

    def tell(self, text):
        """Something else than progress, on lines of its own."""
        self.end()
        self.out.write(text)
        self.out.flush()

    def end(self):
        if self.drawn:
            self.out.write('\n')
        self.drawn = 0


def configure(preset, definitions):
    log = ROOT / 'build' / 'configure.log'
    log.parent.mkdir(exist_ok=True)
    with open(log, 'w') as f:
        done = subprocess.run(
            ['cmake', '--preset', preset, *definitions], cwd=ROOT, stdout=f, stderr=subprocess.STDOUT
        )
    if done.returncode:
        sys.stderr.write(log.read_text())
    return done.returncode


def build(preset, targets, jobs, out=sys.stdout):
    command = ['cmake', '--build', '--preset', preset, '-j', str(jobs)]
    for target in targets:
        command += ['--target', target]
    progress = Progress(out)
    shown = False
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors='replace',
        env={**os.environ, 'NINJA_STATUS': '[%f/%t] '},
    ) as running:
        for line in running.stdout:
            step = STEP.match(line)
            if step:
                progress.show(int(step.group(1)), int(step.group(2)), not shown)
                shown = True
            elif not line.startswith('ninja: no work to do'):
                progress.tell(line)
    progress.end()
    return running.returncode


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('preset')
    parser.add_argument('-D', action='append', default=[], dest='definitions', metavar='NAME=VALUE')
    parser.add_argument('--target', action='append', default=[], dest='targets')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    return configure(options.preset, ['-D' + d for d in options.definitions]) or build(
        options.preset, options.targets, options.jobs
    )


if __name__ == '__main__':
    sys.exit(main())
