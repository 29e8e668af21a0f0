"""What is converted, from where and to where."""

from __future__ import annotations

from . import format

__all__ = [
    'DICT_CONFIG_CLASSES',
    'GlobalConf',
    'ModelSolverConf',
    'ScriptSolverConf',
    'SourceSolverConf',
    'ValidConf',
    'load_conf',
]


class _Part:
    """A part of a configuration. Its file spells the attributes like ModelPath."""

    def _take(self, values, name):
        if not isinstance(values, dict):
            raise ValueError(f'{name} has to be an object of JSON, not {values!r}')
        for key, value in values.items():
            attribute = format.camel_to_snake(key)
            if attribute not in vars(self):
                raise ValueError(
                    '{} has no entry {}; these are: {}'.format(name, key, ', '.join(vars(self)) or 'none')
                )
            setattr(self, attribute, value)


class SourceSolverConf(_Part):
    """What is read: `source` ('Caffe'), `model_path` (prototxt), `weights_path` (caffemodel), `tensor`
    (shapes of inputs that the prototxt does not tell: a dictionary by their names) and `phase` (0: training,
    1: use)."""

    def __init__(self):
        self.source = self.model_path = self.weights_path = self.tensor = self.phase = None


class ModelSolverConf(_Part):
    """What is written: `cntk_model_path`; `cntk_tensor` has the meaning of the source's `tensor`."""

    def __init__(self):
        self.cntk_model_path = self.cntk_tensor = None


class ScriptSolverConf(_Part):
    """Nothing is said of scripts."""


class ValidConf(_Part):
    """Comparison with Caffe: `save_path`, `val_inputs` and `val_nodes`."""

    def __init__(self):
        self.save_path, self.val_inputs, self.val_nodes = None, [], []


class GlobalConf:
    """A whole configuration, with a part for the source, one for the model, and one for a comparison."""

    def __init__(self):
        self.source_solver, self.script_solver = SourceSolverConf(), ScriptSolverConf()
        self.model_solver, self.valid_solver = ModelSolverConf(), ValidConf()


DICT_CONFIG_CLASSES = GlobalConf, SourceSolverConf, ScriptSolverConf, ModelSolverConf, ValidConf


def load_conf(conf_path: str) -> GlobalConf:
    """A configuration of a JSON file. Its parts: SourceSolver, ModelSolver, ScriptSolver and ValidSolver.

    Args:
        conf_path (str): the file

    Returns:
        GlobalConf
    """
    configuration = GlobalConf()
    for key, values in format.json_parser(conf_path).items():
        part = getattr(configuration, format.camel_to_snake(key), None)
        if part is None:
            raise ValueError(
                'a configuration has no part {}; these are: {}'.format(key, ', '.join(vars(configuration)))
            )
        part._take(values, key)
    return configuration
