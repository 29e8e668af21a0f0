"""Runs programs on CNTK 2.7 and keeps what they print:  python record.py [name...], with the Python of
CNTK."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NO_PROGRAMS = {'figures.py', 'record.py'}


def programs():
    return sorted(f[:-3] for f in os.listdir(HERE) if f.endswith('.py') and f not in NO_PROGRAMS)


def main(names):
    for name in names or programs():
        path = os.path.join(HERE, name + '.py')
        with tempfile.TemporaryDirectory() as folder:
            printed = subprocess.check_output(
                [sys.executable, '-W', 'ignore', path], cwd=folder, stderr=subprocess.DEVNULL
            )
        with open(os.path.join(HERE, name + '.txt'), 'wb') as f:
            f.write(printed)
        print(name, len(printed.splitlines()), 'lines')


if __name__ == '__main__':
    main(sys.argv[1:])
