"""The checks before a release find what is wrong with a tree."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools'))
from release_check import QUICK, Release, failed

CHECKS = [name for name in QUICK if name != 'check_tree']  # test_rules_of_the_tree.py runs that one


@pytest.fixture
def tree(tmp_path):
    """A tree that may be released."""
    (tmp_path / 'python' / 'cantik').mkdir(parents=True)
    (tmp_path / 'python' / 'cantik' / '_version.py').write_text("cantik_version = '1.2.0'\n")
    (tmp_path / 'CHANGELOG.md').write_text(
        '# Changes\n\n## 1.2.0 (2026-11-23)\n\n- News.\n\n## 1.1.0 (2026-01-01)\n\n- Old.\n'
    )
    (tmp_path / 'CMakeLists.txt').write_text('project(Cantik VERSION ${CANTIK_VERSION})\n')
    (tmp_path / 'pyproject.toml').write_text('dynamic = ["version"]\n')
    git(tmp_path, 'init', '-q')
    commit(tmp_path)
    git(tmp_path, 'tag', 'v1.1.0')
    return tmp_path


def git(folder, *words):
    identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
    subprocess.run(['git', *identity, *words], cwd=folder, check=True, capture_output=True)


def commit(folder):
    git(folder, 'add', '.')
    git(folder, 'commit', '-q', '-m', 'all')


def change(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    commit(folder)


def test_a_tree_that_may_be_released(tree):
    assert failed(Release(tree), CHECKS) == []


@pytest.mark.parametrize(
    'name, old, new, check',
    [
        ('python/cantik/_version.py', '1.2.0', '1.2', 'check_version'),
        ('python/cantik/_version.py', '1.2.0', '1.2.0rc1', 'check_version'),
        ('python/cantik/_version.py', '1.2.0', '1.1.0', 'check_version'),
        ('python/cantik/_version.py', '1.2.0', '1.0.9', 'check_version'),
        ('pyproject.toml', 'dynamic = ["version"]', 'version = "1.2.0"', 'check_one_place'),
        ('CMakeLists.txt', '${CANTIK_VERSION}', '1.2.0', 'check_one_place'),
        ('CHANGELOG.md', '1.2.0 (2026-11-23)', '1.2.0 (not released)', 'check_changes'),
        ('CHANGELOG.md', '1.2.0 (2026-11-23)', '1.3.0 (2026-11-23)', 'check_changes'),
        ('CHANGELOG.md', '- News.\n', '', 'check_changes'),
    ],
)
def test_what_is_wrong_is_found(name, old, new, check, tree, capsys):
    change(tree, name, old, new)
    assert check in failed(Release(tree), CHECKS)
    assert 'FAILS' in capsys.readouterr().out


def test_a_tree_with_changes_is_not_released(tree):
    (tree / 'new.txt').write_text('x')
    assert failed(Release(tree), CHECKS) == ['check_clean']


def test_the_version_of_this_tree_stands_in_one_place():
    assert failed(Release(ROOT), ['check_one_place']) == []
