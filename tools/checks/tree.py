"""The files that checks read."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# The headers of the first release stay as they were released.
KEPT = ROOT / 'tests' / 'release_1'


def tracked():
    """The files that git knows, or would know: those it is told to ignore are none of the tree's."""
    command = ['git', 'ls-files', '--cached', '--others', '--exclude-standard']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    names = done.stdout.split('\n')[:-1]
    if not names:  # an archive without git's folder
        folders = [
            ROOT / n
            for n in ('src', 'include', 'python', 'tests', 'tools', 'examples', 'plugins', 'benchmarks')
        ]
        return [
            f
            for folder in folders
            for f in sorted(folder.rglob('*'))
            if f.is_file() and KEPT not in f.parents
        ]
    files = [ROOT / name for name in names]
    return [f for f in files if f.is_file() and KEPT not in f.parents]


def with_suffix(*suffixes, under=()):
    """The tree's files with one of the suffixes, in one of the folders, where folders are named."""
    folders = [ROOT / name for name in under]
    return [
        f for f in tracked() if f.suffix in suffixes and (not folders or any(d in f.parents for d in folders))
    ]


def name(file):
    return os.path.relpath(file, ROOT)


def text(file):
    return file.read_text(encoding='utf-8')
