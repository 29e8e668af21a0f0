"""Trainings that a file describes: TOML, YAML or JSON with the tables `model`, `data`, `training`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# The keys of each table, and the types of their values. docs/command_line.md says what they are.
_NUMBER = (int, float)
TABLES = {
    'model': {'layers': list, 'file': str},
    'data': {
        'train': str,
        'validation': str,
        'validation_split': _NUMBER,
        'labels': str,
        'features': list,
        'streams': dict,
    },
    'training': {
        'loss': str,
        'metrics': list,
        'learner': str,
        'rate': _NUMBER,
        'epochs': int,
        'batch_size': int,
        'shuffle': bool,
        'patience': int,
        'monitor': str,
        'class_weight': (str, dict),
        'seed': int,
    },
}
_TOP = {'output': str, **dict.fromkeys(TABLES, dict)}
_NEEDED = (('model',), ('data', 'train'), ('training', 'loss'))


class Recipe:
    """A training as a file describes it. Paths are relative to the file.

    Args:
        path (str): the file
        changes (list): texts KEY=VALUE, where the key is training.rate and the like
    """

    def __init__(self, path: str, changes: list[str] | tuple[str, ...] = ()):
        self.path, self.folder = path, Path(path).parent
        read = _read(path)
        for change in changes:
            _change(read, change)
        _check(read, _TOP, path)
        for name, keys in TABLES.items():
            _check(read.get(name, {}), keys, f'{path}, {name}')
        for needed in _NEEDED:
            _check_there(read, needed, path)
        self.output = self.place(read['output']) if 'output' in read else None
        self.model, self.data, self.training = read['model'], read['data'], read['training']
        if ('layers' in self.model) == ('file' in self.model):
            raise ValueError(f'{path}, model: give either layers or a file')

    def place(self, path: str) -> str:
        """A path of the file, from here."""
        return str(self.folder / path)


def _read(path):
    ending = Path(path).suffix.lower()
    if ending not in _READERS:
        raise ValueError(
            f'{path}: a training is a script (.py), or is described by a .toml, .yaml or .json file'
        )
    text = Path(path).read_text(encoding='utf-8')
    found = _READERS[ending](text, path)
    if not isinstance(found, dict):
        raise ValueError(f'{path} is no table with the keys {", ".join(_TOP)}')
    return found


def _toml(text, path):
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f'{path}: {error}') from error


def _json(text, path):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f'{path}: {error}') from error


def _yaml(text, path):
    try:
        import yaml
    except ImportError as error:
        raise ImportError(f'{path}: YAML needs the package pyyaml: pip install pyyaml') from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f'{path}: {" ".join(str(error).split())}') from error


_READERS = {'.toml': _toml, '.json': _json, '.yaml': _yaml, '.yml': _yaml}


def _change(read, change):
    """One KEY=VALUE. A value is JSON, or else a text."""
    key, equals, given = change.partition('=')
    *tables, last = key.split('.')
    if not equals or not last:
        raise ValueError(f"a change is KEY=VALUE, as training.rate=0.1, and not '{change}'")
    try:
        value = json.loads(given)
    except json.JSONDecodeError:
        value = given
    place = read
    for name in tables:
        place = place.setdefault(name, {})
        if not isinstance(place, dict):
            raise ValueError(f"'{change}': {name} is no table")
    place[last] = value


def _check(table, keys, where):
    for key, value in table.items():
        if key not in keys:
            raise ValueError(f"{where}: there is no '{key}'\n  remedy   one of {', '.join(keys)}")
        kinds = keys[key] if isinstance(keys[key], tuple) else (keys[key],)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = ' or '.join(_WORDS[kind] for kind in kinds)
            raise ValueError(f'{where}: {key} must be {names}, and is {value!r}')


_WORDS = {
    str: 'a text',
    int: 'a whole number',
    float: 'a number',
    bool: 'true or false',
    list: 'a list',
    dict: 'a table',
}


def _check_there(read, keys: tuple[str, ...], path: str) -> Any:
    for key in keys:
        if key not in read:
            raise ValueError(f'{path} has no {".".join(keys)}')
        read = read[key]
