"""Runs programs on CNTK 2.7 and keeps what they print:  python record.py [name...], with the Python of
CNTK."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOUR = os.path.join(HERE, os.pardir, os.pardir, 'examples', 'tour')  # its chapters have numbers
NO_PROGRAMS = {'figures.py', 'record.py'}


def programs():
    """Where each program is, and where that is kept that it prints."""
    found = {}
    for file in sorted(os.listdir(HERE)):
        name, kind = os.path.splitext(file)
        if kind == '.py' and file not in NO_PROGRAMS:
            found[name] = os.path.join(HERE, file), os.path.join(HERE, name + '.txt')
    for file in sorted(os.listdir(TOUR)):
        name, kind = os.path.splitext(file)
        if kind == '.py' and name[0].isdigit():
            found[name] = os.path.join(TOUR, file), os.path.join(HERE, 'tour', name + '.txt')
    return found


def main(names):
    all_programs = programs()
    for name in names or all_programs:
        path, kept = all_programs[name]
        with tempfile.TemporaryDirectory() as folder:
            printed = subprocess.check_output(
                [sys.executable, '-W', 'ignore', path], cwd=folder, stderr=subprocess.DEVNULL
            )
        with open(kept, 'wb') as f:
            f.write(printed)
        print(name, len(printed.splitlines()), 'lines')


if __name__ == '__main__':
    main(sys.argv[1:])
