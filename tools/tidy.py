#!/usr/bin/env python3
"""Runs clang-tidy over the library and the binding, or over the files that are named.

    tools/tidy.py --build build/single [FILES]

The build folder has compile_commands.json, with a command for each file (CANTIK_BATCHES=OFF); it need not be
built. Says what clang-tidy says, and exits with 1 where that is anything.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = Path(sys.executable).parent / 'clang-tidy'


def sources(build):
    """The files that are compiled into the library or the binding, each once."""
    commands = json.loads((build / 'compile_commands.json').read_text(encoding='utf-8'))
    files = {Path(c['file']).resolve() for c in commands}
    return sorted(f for f in files if any(ROOT / d in f.parents for d in ('src', 'python/binding')))


def said_of(file, build):
    command = [str(TIDY), '--quiet', '-p', str(build), '--extra-arg=-Wno-unknown-warning-option', str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or (done.stderr.strip() if done.returncode else '')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--build', type=Path, default=ROOT / 'build' / 'single')
    parser.add_argument('files', nargs='*', type=Path)
    options = parser.parse_args()
    files = [f.resolve() for f in options.files] or sources(options.build.resolve())
    found = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda f: said_of(f, options.build.resolve()), files):
            if text:
                print(re.sub(re.escape(str(ROOT)) + '/', '', text), flush=True)
                found += 1
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
