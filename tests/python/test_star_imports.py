"""Star imports bring the names that they bring in CNTK 2.7; what a module shows are its own."""

import importlib
import json
import os
import pydoc
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import cantik as C

TABLE = json.loads((Path(__file__).resolve().parents[1] / 'golden' / 'star_names_cntk.json').read_text())
NEITHER = {
    *('pip', 'Image', 'text_format'),  # of packages that need not be installed
    *('singleton', 'NEGLECT_LAYERS'),  # of how crosstalkcaffe is made
}
# The same under another name today, or on this system.
TODAY = {
    'inspect.getargspec': 'inspect.getfullargspec',
    '_warnings.warn': 'warnings.warn',
    'builtins.function': 'types.FunctionType',
    'module posixpath': 'module os.path',
    '_functools.reduce': 'functools.reduce',
    '_operator.mul': 'operator.mul',
    'unittest.mock._patch': 'unittest.mock.patch',
}


def run(code):
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(p for p in sys.path if p)}
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, env=environment)


def brought(module):
    names = {}
    exec(f'from {module} import *', names)
    return names


def resolved(home):
    """The object that CNTK's table means: a module, or an attribute of one."""
    home = TODAY.get(home, home)
    if home.startswith('module '):
        return importlib.import_module(home[7:])
    module, _, name = home.rpartition('.')
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize('module', sorted(TABLE))
def test_brings_what_it_brings_in_cntk(module):
    names = brought(module)
    assert set(TABLE[module]) - set(names) - NEITHER == set()
    for name, home in TABLE[module].items():
        if name in NEITHER or name not in names:
            continue
        value = names[name]
        if home.startswith('module '):
            assert value is resolved(home), name
        elif (
            '.' in home
            and home.startswith('cntk.')
            and not home.startswith(('cntk.cntk_py.', 'cntk.contrib.crosstalk'))
        ):
            assert value is resolved(home) or (
                callable(value) and value.__name__ == home.rpartition('.')[2]
            ), (
                name,
                value,
            )
        elif '.' in home and not home.startswith('cntk.'):
            assert value is resolved(home), name
        else:
            assert not isinstance(value, types.ModuleType), name


def test_a_script_that_relies_on_it():
    names = brought('cntk.layers')
    exec(
        'x = C.input_variable(3)\nz = splice(Dense(2)(x), tanh(x))\n'
        'y = z.eval({x: np.ones((1, 3), np.float32)})',
        names,
    )
    assert names['y'].shape == (1, 5) and names['np'] is np
    names = brought('cntk.debugging')
    assert names['sys'] is sys and callable(names['output_variable'])
    assert (
        brought('cntk.logging')['os'] is os and brought('cntk.train.training_session')['cntk_py'] is C.cntk_py
    )


@pytest.mark.parametrize('module', sorted(TABLE))
def test_shows_its_own_names_alone(module):
    module = importlib.import_module(module)
    shown = [n for n in dir(module) if not n.startswith('__')]
    for name in shown:
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            assert value.__name__.startswith('cantik'), name
        elif isinstance(value, (type, types.FunctionType)) and name not in ('DATATYPE', 'INFINITELY_REPEAT'):
            assert value.__module__.partition('.')[0] in ('cantik', 'cntk'), name
    hidden = {
        'np',
        'os',
        'sys',
        'functools',
        'C',
        'cntk',
        'division',
        'enum',
        'inspect',
        'warnings',
        '__all__',
    }
    assert not hidden & set(dir(module))


def test_the_package_shows_what_is_public():
    shown = set(dir(C))
    assert {
        'relu',
        'layers',
        'sequence',
        'Trainer',
        'sgd',
        'contrib',
        'mxnet',
        'check_gradient',
        'cntk_py',
        'UserFunction',
        'DATATYPE',
    } <= shown
    assert (
        not {n for n in shown if n.startswith('sanitize_')}
        and not {'np', 'functools', 'C', 'libraries', 'python_functions', 'sparse'} & shown
    )
    assert (
        C.np is np and C.sanitize_shape(3) == (3,) and C.os is os and C.C is C and C.utils is C.internal.utils
    )
    assert os.path.isdir(C.cntk_library_path)
    text = pydoc.plain(pydoc.render_doc(C))
    assert 'sanitize_shape' not in text and 'relu(' in text
    assert 'splice(' not in pydoc.plain(pydoc.render_doc(C.layers.blocks)) and 'LSTM(' in pydoc.plain(
        pydoc.render_doc(C.layers.blocks)
    )
    with pytest.raises(AttributeError, match="module 'cantik.layers' has no attribute 'no_such_name'"):
        C.layers.no_such_name
    assert not hasattr(C.ops.sequence, 'functools')


@pytest.mark.parametrize(
    'code',
    [
        'import _cntk_py\nassert _cntk_py.set_max_num_cputhreads\nimport cntk\n'
        'assert cntk.cntk_py is _cntk_py and cntk._cntk_py is _cntk_py',
        'from _cntk_py import force_deterministic_algorithms',
        'import cntk, _cntk_py\nassert cntk.cntk_py is _cntk_py',
        'from cntk.layers import sequence\nimport cntk\nassert sequence is cntk.ops.sequence',
        'import cntk.layers.sequence\nassert cntk.layers.sequence is cntk.ops.sequence',
        'from cntk.layers.sequence import Recurrence\nimport cntk\n'
        'assert cntk.layers.Recurrence is Recurrence\n'
        'assert cntk.layers.sequence is cntk.ops.sequence',
        'import cantik.layers.sequence\nassert cantik.layers.sequence is cantik.ops.sequence',
        'import cntk\nassert cntk.layers.sequence is cntk.sequence is cntk.ops.sequence\n'
        'import cntk.layers.sequence, sys\n'
        'modules = [sys.modules[n + ".layers.sequence"] for n in ("cntk", "cantik")]\n'
        'assert modules[0] is modules[1] is not cntk.layers.sequence',
        'from cntk.layers import *\nassert sequence.input_variable(3).shape == (3,)\n'
        'from cntk.layers.sequence import Fold',
        'from cntk import *\nimport sys\n'
        'assert np is sys.modules["numpy"] and "cantik.mxnet" not in sys.modules and C.relu is relu',
        'import cntk.ops.functions\nfrom cntk.ops.functions import *\nassert path is __import__("os").path',
        'import importlib, cntk.layers.blocks as b\nimportlib.reload(b)\nassert b.np and "np" not in dir(b)',
        'import importlib, cntk\nimportlib.reload(cntk)\nimport cantik\nimportlib.reload(cantik)\n'
        'import cntk.contrib.deeprl, cntk.layers\ncntk.layers.Dense(2)',
        'import cantik\nimport cntk.__init__\nfrom cntk.__init__ import learners\nimport cntk.contrib.deeprl',
        'import importlib, sys, cantik, cantik._star_imports as s\n'
        'for module in (cantik, s, cantik, cantik.layers, cantik.layers):\n'
        '    importlib.reload(module)\n'
        'assert sum(type(f).__module__ == s.__name__ for f in sys.meta_path) == 1\n'
        'import cantik.contrib.deeprl\n'
        'assert not hasattr(cantik.layers.__getattr__.completes, "completes")\n'
        'assert "np" not in dir(cantik.layers) and cantik.layers.np',
        'import inspect, cntk.layers.blocks as b\n'
        'assert "def RNNUnit" in inspect.getsource(b) and b.__spec__.loader.get_source(b.__name__)',
    ],
)
def test_in_any_order(code):
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_modules_imported_at_once_are_whole():
    done = run('''
import threading
import cntk
def bring(name, found):
    names = {}
    exec('from cntk.{} import *'.format(name), names)
    found.append(names['np'])
found = []
names = ('layers', 'learners', 'losses', 'io', 'ops', 'misc', 'random')
threads = [threading.Thread(target=bring, args=(name, found)) for name in names for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert len(found) == 28
''')
    assert done.returncode == 0, done.stderr


# ---- names of the binding


def test_switches_of_programs():
    p = C.cntk_py
    for call in (
        p.enable_cpueval_optimization,
        p.disable_cpueval_optimization,
        p.enable_forward_values_sharing,
        p.disable_forward_values_sharing,
        p.enable_gradient_accumulation_optimization,
        p.disable_gradient_accumulation_optimization,
        p.force_deterministic_algorithms,
        p.always_allow_setting_default_device,
        p.enable_node_timing,
        p.disable_node_timeing,
    ):
        assert call() is None
    for setting, asking, value in (
        (p.set_mpipack_threshold, p.get_mpipack_threshold, 5),
        (p.set_trace_level, p.get_trace_level, 1),
        (p.set_max_num_cputhreads, p.get_max_num_cputhreads, p.get_max_num_cputhreads()),
        (
            p.use_sparse_gradient_aggregation_in_data_parallel_sgd,
            p.should_use_sparse_gradient_aggregation_in_data_parallel_sgd,
            True,
        ),
    ):
        assert setting(value) is None and asking() == value
    assert (
        p.number_of_workers() == 1
        and p.worker_global_rank() == 0
        and p.mpicommunicator().current_worker() is not None
    )
    p.set_fixed_random_seed(7)
    assert p.get_random_seed() == 7 and p.is_random_seed_fixed() and p.generate_random_seed(True) == 7
    assert isinstance(C.learning_parameter_schedule(0.1), p.training_double_parameter_schedule)
    assert p.minibatch_size_schedule(32)[0] == 32
    assert C.parameter((2, 2), init=p.glorot_uniform_initializer()).value.std() > 0
    assert p.StreamConfiguration is C.io.StreamConfiguration and p.MinibatchSource is C.io.MinibatchSource
    with pytest.raises(AttributeError, match='no_such_name'):
        p.no_such_name


@pytest.mark.parametrize('level', [-1, 0, 3, 10, True, 2**31 - 1])
def test_trace_levels_are_any_numbers(level):
    for module in (C.logging, C.cntk_py):
        assert module.set_trace_level(level) is None and module.get_trace_level() == level
        module.set_trace_level(C.logging.TraceLevel.Warning)
        assert module.get_trace_level() == C.logging.TraceLevel.Warning


@pytest.mark.parametrize(
    'level, error', [('a', TypeError), (2.5, TypeError), (None, TypeError), (2**31, ValueError)]
)
def test_what_is_no_trace_level(level, error):
    with pytest.raises(error, match='trace level'):
        C.logging.set_trace_level(level)
    assert C.logging.get_trace_level() == 1


def test_print_built_info(capfd):
    C.cntk_py.print_built_info()
    out, err = capfd.readouterr()
    assert not out and err == f'Cantik {C.cantik_version}, with the API of CNTK 2.7\n'


def test_names_of_kinds():
    p = C.cntk_py
    assert [p.data_type_name(t) for t in (p.DataType_Float, p.DataType_Double, p.DataType_Float16)] == [
        'Float',
        'Double',
        'Float16',
    ]
    assert [p.data_type_size(t) for t in (p.DataType_Float, p.DataType_Double, p.DataType_Float16)] == [
        4,
        8,
        2,
    ]
    assert (p.device_kind_name(1), p.variable_kind_name(4)) == ('GPU', 'Placeholder')
    assert not p.is_sparse_storage_format(p.StorageFormat_Dense) and p.is_sparse_storage_format(
        p.StorageFormat_SparseCSC
    )
    assert p.new_unique_id() != p.new_unique_id()
    for call in (p.data_type_name, p.data_type_size, p.device_kind_name, p.variable_kind_name):
        with pytest.raises(RuntimeError, match='unknown'):
            call(77)


def test_shapes_of_the_core():
    shape = C.cntk_py.NDShape((2, 3))
    assert (
        shape.dimensions(),
        shape[0],
        shape.rank(),
        len(shape),
        shape.total_size(),
        shape.as_string(),
    ) == ((3, 2), 3, 2, 2, 6, '[3 x 2]')
    assert (
        shape.sub_shape(0, 1) == (3,)
        and shape == C.cntk_py.NDShape((2, 3)) != C.cntk_py.NDShape((3, 2))
        and not shape.is_unknown()
    )
    assert (
        C.cntk_py.NDShape(2, 7).dimensions() == (7, 7)
        and C.cntk_py.NDShape(()).is_scalar()
        and C.cntk_py.NDShape.unknown().is_unknown()
    )
    inferred = C.cntk_py.NDShape(1)
    assert (
        inferred.has_inferred_dimension()
        and inferred.has_unbound_dimension()
        and not inferred.has_free_dimension()
        and repr(inferred) == '[?]'
    )
    with pytest.raises(RuntimeError, match='no number of elements'):
        inferred.total_size()
    for wrong in ('a', (1.5,), [None]):
        with pytest.raises(TypeError, match='whole numbers'):
            C.cntk_py.NDShape(wrong)


def test_values_of_dictionaries():
    p = C.cntk_py
    assert p.DictionaryValueFromDict({'a': 1}).item() == {'a': 1}
    assert np.array_equal(
        p.DictionaryValueFromNDArrayView(C.NDArrayView.from_dense(np.ones(2, np.float32))).item().asarray(),
        [1, 1],
    )
    for call in (p.DictionaryValueFromDict, p.DictionaryValueFromNDArrayView):
        with pytest.raises(TypeError):
            call(3)
