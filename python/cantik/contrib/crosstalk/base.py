"""Named variables, and a folder for their values."""

from __future__ import annotations

import os
from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from . import files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..._types import PathLike

_Functions = namedtuple('_Functions', 'setter getter')
_Watched = namedtuple('_Watched', 'var type attr')


class Crosstalk:
    """Variables of a toolkit under names. Values lie in files of a folder, whose names begin with the number
    of the pass.

    Example:
        >>> import cantik as C, numpy as np
        >>> from cantik.contrib.crosstalk.crosstalk_cntk import CNTKCrosstalk
        >>> talk = CNTKCrosstalk()
        >>> talk.set_workdir('exchange')
        >>> talk.watch(C.parameter((2,), init=3), 'mine')
        >>> talk.save(['mine'])
        >>> talk.watch(C.parameter((2,)), 'theirs')
        >>> talk.assign('theirs', load=True, load_name='mine')
        >>> talk.fetch('theirs'), talk.compare('theirs', 'mine')
        (array([3., 3.], dtype=float32), True)
    """

    def __init__(self):
        self.funcs, self.work_dir = {}, None
        self.reset()

    def reset(self) -> None:
        """Forgets all variables and begins with pass 0; the folder and the functions for types of variables
        stay."""
        self.vars, self.passes = {}, 0

    def next_pass(self) -> None:
        """Begins the next pass: what is saved from here on gets files of its own."""
        self.passes += 1

    def set_workdir(self, dir: PathLike) -> None:
        """Says where values are saved to and loaded from; the folder is made.

        Args:
            dir (str): the folder
        """
        os.makedirs(dir, exist_ok=True)
        self.work_dir = dir

    def register_funcs(
        self,
        var_type: Any,
        setter: Callable[..., Any] | None = None,
        getter: Callable[..., Any] | None = None,
    ) -> None:
        """Says how variables of a type are read and written.

        Args:
            var_type: what `watch` is given for var_type, or the class of a variable
            setter: a function of (variable, value, attr)
            getter: a function of (variable, attr) that returns an array, or a list, tuple or dictionary of
              such
        """
        self.funcs[var_type] = _Functions(setter, getter)

    def watch(self, var: Any, name: str, var_type: Any = None, attr: Any = None) -> None:
        """Gives a variable a name.

        Args:
            var: the variable, of the toolkit
            name (str): a name that no other one has
            var_type: what decides how it is read and written; its class by default
            attr: what tells it: Conv2DAttr, EmbedAttr or RnnAttr
        """
        if name in self.vars:
            raise ValueError(f'a variable is watched as {name!r} already')
        self.vars[name] = _Watched(var, type(var) if var_type is None else var_type, attr)

    def fetch(self, name: str, save: bool = False) -> Any:
        """The value of a variable.

        Args:
            name (str): its name
            save (bool): whether it is saved too

        Returns:
            an array, or a list, tuple or dictionary of arrays
        """
        watched = self._watched(name)
        value = self._functions(name, 'getter')(watched.var, watched.attr)
        if save:
            files.write(self._get_filename(name), value)
        return value

    def assign(self, name: str, value: Any = None, load: bool = False, load_name: str | None = None) -> None:
        """Sets a variable.

        Args:
            name (str): its name
            value: an array, or a list, tuple or dictionary of arrays, as `fetch` gives it
            load (bool): takes the saved value in place of one that is given
            load_name (str): whose saved value; its own by default
        """
        if load == (value is not None):
            raise ValueError('assign takes a value or load=True, one of the two')
        if load:
            value = self.load_raw_value(name if load_name is None else load_name)
        watched = self._watched(name)
        setter = self._functions(name, 'setter')
        if self.funcs[watched.type].getter is not None:
            _check_alike(name, self.fetch(name), value)
        setter(watched.var, value, watched.attr)

    def compare(
        self,
        name: str,
        compare_name: str | None = None,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
    ) -> bool:
        """Whether the value of a variable is that of a file, element by element as numpy.isclose. A list of
        sequences may be compared with an array that pads them.

        Args:
            name (str): its name
            compare_name (str): whose saved value; its own by default
            rtol, atol (float): how much they may differ, relatively and absolutely
            equal_nan (bool): whether NaN is NaN
        """
        return _close(
            self.fetch(name),
            self.load_raw_value(name if compare_name is None else compare_name),
            dict(rtol=rtol, atol=atol, equal_nan=equal_nan),
        )

    def load_raw_value(self, name: str) -> Any:
        """The saved value under a name.

        Args:
            name (str): the name

        Returns:
            an array, or a list, tuple or dictionary of arrays
        """
        return files.read(self._get_filename(name))

    def save(self, names: Sequence[str]) -> None:
        """Saves variables.

        Args:
            names (list): their names
        """
        for name in names:
            self.fetch(name, save=True)

    def load(self, names: Sequence[str]) -> None:
        """Sets variables to their saved values.

        Args:
            names (list): their names
        """
        for name in names:
            self.assign(name, load=True)

    def save_all(self) -> None:
        """Saves all variables."""
        self.save(self.vars)

    def _get_filename(self, name):
        if self.work_dir is None:
            raise ValueError('there is no folder for values: call set_workdir first')
        return os.path.join(self.work_dir, f'{self.passes}_{name}')

    def _watched(self, name):
        if name not in self.vars:
            raise KeyError(
                'no variable is watched as {!r}; these are: {}'.format(name, ', '.join(self.vars) or 'none')
            )
        return self.vars[name]

    def _functions(self, name, which):
        kind = self._watched(name).type
        function = getattr(self.funcs.get(kind), which, None)
        if function is None:
            raise TypeError(f'{name!r} has no {which}: register_funcs gives one for {kind!r}')
        return function


def _parts(value):
    return value.items() if isinstance(value, dict) else enumerate(value)


def _check_alike(name, old, new):
    """An error where a value has another form than the one before."""
    if type(old) is not type(new):
        raise ValueError(f'{name} holds {type(old).__name__}, not {type(new).__name__}')
    if isinstance(old, np.ndarray):
        if old.shape != new.shape:
            raise ValueError(f'{name} has the shape {old.shape}, not {new.shape}')
    elif isinstance(old, (dict, list, tuple)):
        here, there = list(dict(_parts(old))), list(dict(_parts(new)))
        if set(here) != set(there):
            raise ValueError(f'{name} has the parts {here}, not {there}')
        for key, part in _parts(old):
            _check_alike(f'{name}[{key!r}]', part, dict(_parts(new))[key])


def _close(mine, theirs, options):
    mine, theirs = (np.asarray(value) if np.isscalar(value) else value for value in (mine, theirs))
    if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
        return mine.shape == theirs.shape and bool(np.isclose(mine, theirs, **options).all())
    if isinstance(theirs, list) and isinstance(mine, np.ndarray):
        mine, theirs = theirs, mine
    if isinstance(mine, list) and isinstance(theirs, np.ndarray):  # sequences, and what pads them at the end
        fit = len(mine) == len(theirs) and all(len(m) <= len(t) for m, t in zip(mine, theirs))
        return fit and all(_close(np.asarray(m), t[: len(m)], options) for m, t in zip(mine, theirs))
    if type(mine) is not type(theirs) or not isinstance(mine, (dict, list, tuple)):
        raise TypeError(
            'arrays, and lists, tuples and dictionaries of arrays are compared, not '
            f'{type(mine).__name__} and {type(theirs).__name__}'
        )
    mine, theirs = dict(_parts(mine)), dict(_parts(theirs))
    return mine.keys() == theirs.keys() and all(_close(mine[key], theirs[key], options) for key in mine)
