"""A trained model in other programs: the examples of examples/deploy, and the C interface with wrong use."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cantik as C
from cantik.commands import config

from serving import PROGRAM, Server

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples' / 'deploy'
FOLDERS = config.folders()
SAYS = '(3, 3) is of kind 1\n'


def said(*command):
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope='module')
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp('models')
    said(sys.executable, EXAMPLES / 'train.py', folder)
    return folder


def built(compiler, source, program, *flags):
    library = FOLDERS['library']
    said(
        compiler,
        *flags,
        source,
        f'-I{FOLDERS["include"]}',
        f'-L{library}',
        f'-Wl,-rpath,{library}',
        '-lcantik',
        '-o',
        program,
    )
    return program


def test_in_python(models):
    assert said(sys.executable, EXAMPLES / 'in_python.py', models / 'points/1/points.cntk') == SAYS


def test_in_cpp(models, tmp_path):
    program = built('c++', EXAMPLES / 'in_cpp.cc', tmp_path / 'in_cpp', '-std=c++20')
    assert said(program, models / 'points/1/points.cntk') == SAYS


@pytest.mark.parametrize('standard', ['c99', 'c17'])
def test_in_c(models, tmp_path, standard):
    program = built(
        'cc',
        EXAMPLES / 'in_c.c',
        tmp_path / 'in_c',
        f'-std={standard}',
        '-Wall',
        '-Wextra',
        '-pedantic',
        '-Werror',
    )
    assert said(program, models / 'points/1/points.cntk') == SAYS
    for words, text in [([], 'the path is null'), (['none'], 'none')]:
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert text in done.stderr


@pytest.mark.skipif(not PROGRAM.exists(), reason='the server is not built: its libraries are missing')
def test_behind_a_server(models):
    with Server(models) as server:
        assert said(sys.executable, EXAMPLES / 'over_http.py', f'http://{server.address}') == SAYS
        pytest.importorskip('tritonclient.grpc', reason='tools/requirements/test.txt')
        assert said(sys.executable, EXAMPLES / 'over_grpc.py', server.address) == SAYS


# ---- the C interface, from ctypes

FLOAT32, FLOAT64, INT32 = 1, 2, 7


class Port(ctypes.Structure):
    _fields_ = [
        ('name', ctypes.c_char_p),
        ('element', ctypes.c_int32),
        ('rank', ctypes.c_int32),
        ('shape', ctypes.POINTER(ctypes.c_int64)),
        ('has_batch', ctypes.c_int32),
        ('has_sequence', ctypes.c_int32),
        ('is_sparse', ctypes.c_int32),
    ]


class Array(ctypes.Structure):
    _fields_ = [
        ('element', ctypes.c_int32),
        ('rank', ctypes.c_int32),
        ('shape', ctypes.POINTER(ctypes.c_int64)),
        ('data', ctypes.c_void_p),
        ('sequences', ctypes.c_int64),
        ('lengths', ctypes.POINTER(ctypes.c_int64)),
    ]


@pytest.fixture(scope='module')
def c():
    library = ctypes.CDLL(str(FOLDERS['library'] / 'libcantik.so'))
    library.cantik_last_error.restype = ctypes.c_char_p
    library.cantik_model_load.restype = ctypes.c_void_p
    library.cantik_model_evaluate.restype = ctypes.c_void_p
    library.cantik_model_evaluate.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int32,
        ctypes.c_int32,
    ]
    for name in ('inputs', 'outputs', 'free'):
        getattr(library, 'cantik_model_' + name).argtypes = [ctypes.c_void_p]
    for name in ('model_input', 'model_output', 'result_output'):
        getattr(library, 'cantik_' + name).argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
    library.cantik_result_free.argtypes = [ctypes.c_void_p]
    return library


def loaded(c, model, tmp_path):
    model.save(str(tmp_path / 'm.cntk'))
    handle = c.cantik_model_load(str(tmp_path / 'm.cntk').encode())
    assert handle, c.cantik_last_error()
    return handle


def array_of(numbers, element, lengths=None):
    shape = (ctypes.c_int64 * numbers.ndim)(*numbers.shape)
    counts = None if lengths is None else (ctypes.c_int64 * len(lengths))(*lengths)
    a = Array(element, numbers.ndim, shape, numbers.ctypes.data, len(lengths or ()), counts)
    a.kept = (numbers, shape, counts)
    return a


def evaluated(c, handle, *arrays):
    """[(numbers, lengths)] of the outputs; a text where it failed."""
    given = (Array * max(len(arrays), 1))(*arrays)
    result = c.cantik_model_evaluate(handle, given, len(arrays), 1)
    if not result:
        return c.cantik_last_error().decode()
    found = []
    for place in range(c.cantik_model_outputs(handle)):
        a = Array()
        assert c.cantik_result_output(result, place, ctypes.byref(a)) == 0
        shape = [a.shape[i] for i in range(a.rank)]
        kind = {FLOAT32: ctypes.c_float, FLOAT64: ctypes.c_double}[a.element]
        numbers = np.ctypeslib.as_array(ctypes.cast(a.data, ctypes.POINTER(kind)), shape).copy()
        found.append((numbers, [a.lengths[i] for i in range(a.sequences)]))
    assert c.cantik_result_output(result, len(found), ctypes.byref(a)) != 0
    c.cantik_result_free(result)
    return found


def test_ports(c, tmp_path):
    s = C.sequence.input_variable((C.FreeDimension, 3), np.float64, name='s')
    w = C.sequence.input_variable(7, np.float64, is_sparse=True, name='w')
    handle = loaded(
        c,
        C.combine([C.plus(s, 1, name='more'), C.times(w, C.parameter((7, 2), dtype=np.float64, init=2.0))]),
        tmp_path,
    )
    assert (c.cantik_model_inputs(handle), c.cantik_model_outputs(handle)) == (2, 2)
    ports = {}
    for place in range(2):
        p = Port()
        assert c.cantik_model_input(handle, place, ctypes.byref(p)) == 0
        ports[p.name] = (
            [p.shape[i] for i in range(p.rank)],
            p.element,
            p.has_batch,
            p.has_sequence,
            p.is_sparse,
        )
    assert ports == {b's': ([-1, 3], FLOAT64, 1, 1, 0), b'w': ([7], FLOAT64, 1, 1, 1)}
    p = Port()
    assert c.cantik_model_output(handle, 0, ctypes.byref(p)) == 0
    assert p.name == b'more'
    for wrong in (-1, 2):
        assert c.cantik_model_input(handle, wrong, ctypes.byref(p)) != 0
        assert b'the model has 2' in c.cantik_last_error()
    assert c.cantik_model_input(handle, 0, None) != 0
    c.cantik_model_free(handle)


def test_sequences_and_indices(c, tmp_path):
    s = C.sequence.input_variable(3, name='s')
    model = C.layers.Recurrence(C.layers.LSTM(4))(s)
    handle = loaded(c, model, tmp_path)
    rows = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    ((y, lengths),) = evaluated(c, handle, array_of(rows, FLOAT32, [2, 3]))
    assert lengths == [2, 3]
    assert np.array_equal(y, np.concatenate(model.eval([rows[:2], rows[2:]])))
    ((y, lengths),) = evaluated(c, handle, array_of(rows, FLOAT32))  # a batch: sequences of one step
    assert lengths == [1] * 5
    assert np.array_equal(y, np.concatenate(model.eval([row[None] for row in rows])))
    c.cantik_model_free(handle)
    w = C.input_variable(4, is_sparse=True, name='w')
    handle = loaded(c, C.times(w, C.constant(np.arange(4, dtype=np.float32)[:, None])), tmp_path)
    ((y, lengths),) = evaluated(c, handle, array_of(np.array([3, 0, 2], np.int32), INT32))
    assert (y.ravel().tolist(), lengths) == ([3, 0, 2], [])
    assert 'indices of classes' in evaluated(c, handle, array_of(np.zeros((1, 4), np.float32), FLOAT32))
    for wrong in (-1, -(2**31), 5, 4):
        said = evaluated(c, handle, array_of(np.array([0, wrong], np.int32), INT32))
        assert 'index' in said and str(wrong) in said, said
    c.cantik_model_free(handle)


def test_results_outlive_the_numbers_that_were_given(c, tmp_path):
    handle = loaded(c, C.alias(C.input_variable(2, name='x')), tmp_path)
    numbers = np.ones((1, 2), np.float32)
    result = c.cantik_model_evaluate(handle, ctypes.byref(array_of(numbers, FLOAT32)), 1, 1)
    numbers[:] = 7
    a = Array()
    assert c.cantik_result_output(result, 0, ctypes.byref(a)) == 0
    assert ctypes.cast(a.data, ctypes.POINTER(ctypes.c_float))[0] == 1
    c.cantik_result_free(result)
    c.cantik_model_free(handle)


def test_wrong_use(c, tmp_path):
    handle = loaded(c, C.plus(C.input_variable(2, name='x'), 1), tmp_path)
    good = np.zeros((1, 2), np.float32)
    no_shape = array_of(good, FLOAT32)
    no_shape.shape = None
    no_data = array_of(good, FLOAT32)
    no_data.data = None
    negative = array_of(good, FLOAT32)
    negative.rank = -1
    endless = array_of(good, FLOAT32)
    endless.rank = 10**9  # of a shape of two numbers
    for arrays, text in [
        ((), 'reads 1 values, and 0 came'),
        ((array_of(good, FLOAT32),) * 2, 'reads 1 values, and 2 came'),
        ((array_of(good.astype(np.float64), FLOAT64),), 'float64, not float32'),
        ((array_of(good, 3),), '3 is no cantik_element'),
        ((array_of(good, 99),), '99 is no cantik_element'),
        ((array_of(good, 257),), '257 is no cantik_element'),
        ((endless,), 'an array has at most 64 axes'),
        ((array_of(good[:, :1].copy(), FLOAT32),), 'do not match'),
        ((no_shape,), 'the shape of an array is null'),
        ((no_data,), 'the data of an array is null'),
        ((negative,), 'is negative'),
    ]:
        said = evaluated(c, handle, *arrays)
        assert text in said, said
    assert not c.cantik_model_evaluate(None, None, 0, 0)
    assert c.cantik_last_error() == b'the model is null'
    assert c.cantik_model_inputs(None) == -1
    assert c.cantik_result_output(None, 0, None) != 0
    c.cantik_model_free(None)
    c.cantik_result_free(None)
    c.cantik_model_free(handle)
    assert not c.cantik_model_load(str(tmp_path).encode())
