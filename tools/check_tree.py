#!/usr/bin/env python3
"""Checks of the tree itself, each in a file of tools/checks, which says what it asks for.

check_tree.py [--headers] [NAMES]     # names of checks; without them all, the slow ones that compile if
asked for
"""

import argparse
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / 'checks'
SLOW = ['benchmarks', 'headers']


def main():
    checks = sorted(file.stem for file in FOLDER.glob('*.py') if file.stem != 'tree')
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--headers', action='store_true')
    parser.add_argument('names', nargs='*', choices=[*checks, []], help='of checks: ' + ', '.join(checks))
    options = parser.parse_args()
    chosen = options.names or [name for name in checks if name not in SLOW or options.headers]
    sys.path.insert(0, str(FOLDER.parent))
    found = [problem for name in chosen for problem in importlib.import_module('checks.' + name).problems()]
    if found:
        print('\n'.join(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
