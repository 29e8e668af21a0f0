#!/usr/bin/env python3
"""What has to hold before a version is released: docs/dev/releasing.md.

    tools/release_check.py [--quick]

Prints a line for each check. --quick leaves out the tests and the packages, which take minutes.
"""

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION_FILE = 'python/cantik/_version.py'


class Release:
    """A tree that is to become a version.

    Args:
        root (Path): of the tree
    """

    def __init__(self, root):
        self.root = root

    def read(self, name):
        return (self.root / name).read_text(encoding='utf-8')

    def output(self, *command):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f'{" ".join(map(str, command))}: {(done.stderr or done.stdout).strip()}')
        return done.stdout

    @property
    def version(self):
        found = re.findall(r"^cantik_version = '(.*)'$", self.read(VERSION_FILE), re.M)
        assert len(found) == 1, f'{VERSION_FILE} has no line cantik_version'
        return found[0]

    # ---- each check raises an AssertionError; its docstring is its name

    def check_version(self):
        """the version is X.Y.Z, above that of the last tag"""
        assert re.fullmatch(r'\d+\.\d+\.\d+', self.version), f"'{self.version}' is not X.Y.Z"
        tags = re.findall(r'^v(\d+)\.(\d+)\.(\d+)$', self.output('git', 'tag', '--list', 'v*'), re.M)
        last = max((tuple(map(int, tag)) for tag in tags), default=(-1,))
        given = tuple(map(int, self.version.split('.')))
        assert given > last, f'{self.version} is not above v{".".join(map(str, last))}'

    def check_one_place(self):
        """the version stands in one place"""
        for name in ('CMakeLists.txt', 'pyproject.toml'):
            assert self.version not in self.read(name), f'{name} has the version {self.version} once more'

    def check_changes(self):
        """CHANGELOG.md begins with the version, its day, and what is new"""
        first = re.search(r'^## ([^\n]*)\n(.*?)(?=^## |\Z)', self.read('CHANGELOG.md'), re.M | re.S)
        assert first, 'CHANGELOG.md has no version'
        wanted = re.fullmatch(rf'{re.escape(self.version)} \(\d{{4}}-\d\d-\d\d\)', first[1])
        assert wanted, f"CHANGELOG.md begins with '{first[1]}', not with '{self.version} (YYYY-MM-DD)'"
        assert re.search(r'^- ', first[2], re.M), f'CHANGELOG.md says nothing of {self.version}'

    def check_clean(self):
        """nothing is uncommitted"""
        changed = self.output('git', 'status', '--porcelain')
        assert not changed, f'git status: {changed.splitlines()[0].strip()}, ...'

    def check_tree(self):
        """the rules of the tree hold, names of types and words among them"""
        self.output(sys.executable, 'tools/check_tree.py')

    def check_tests(self):
        """make test"""
        self.output('make', 'test')

    def check_sdist(self):
        """the sdist has the sources, and a wheel that is built of it works"""
        with tempfile.TemporaryDirectory() as folder:
            self.output(sys.executable, '-m', 'build', '--sdist', '-o', folder, '.')
            (sdist,) = Path(folder).iterdir()
            assert sdist.name == f'cantik-{self.version}.tar.gz', sdist.name
            with tarfile.open(sdist) as archive:
                names = {name.partition('/')[2] for name in archive.getnames()}
            missing = {'CMakeLists.txt', 'LICENSE', 'README.md', VERSION_FILE} - names
            assert not missing, f'the sdist lacks {", ".join(sorted(missing))}'
            wheels = Path(folder) / 'wheels'
            self.output('tools/wheel.sh', sys.executable, str(sdist), str(wheels))
            (wheel,) = wheels.iterdir()
            self.check_wheel(wheel)

    def check_wheel(self, wheel):
        tags = wheel.stem.split('-')
        assert tags[:2] == ['cantik', self.version] and 'manylinux' in tags[-1], wheel.name
        self.output('sh', 'tests/wheel_test.sh', sys.executable, str(wheel))


QUICK = ('check_version', 'check_one_place', 'check_changes', 'check_clean', 'check_tree')
SLOW = ('check_tests', 'check_sdist')


def failed(release, checks):
    """The names of the checks that fail; each is printed."""
    found = []
    for name in checks:
        check = getattr(release, name)
        try:
            check()
            said = 'ok    '
        except AssertionError as error:
            found.append(name)
            said = f'FAILS  {error}\n       '
        print(f'{said} {check.__doc__}', flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--quick', action='store_true', help='without tests and packages')
    options = parser.parse_args()
    release = Release(ROOT)
    print(f'version {release.version}')
    return 1 if failed(release, QUICK if options.quick else QUICK + SLOW) else 0


if __name__ == '__main__':
    sys.exit(main())
