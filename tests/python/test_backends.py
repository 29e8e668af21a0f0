"""Backends: libraries that bring devices. The naive one trains and evaluates; broken ones are told from good
ones; and what a device fails at is told of the function at fault."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cantik as C
from building import SOURCES, compiled, needs_compiler, run

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / 'examples' / 'data'


@pytest.fixture(scope='module')
def naive_library(tmp_path_factory):
    """Built with the tests, or from its sources."""
    built = ROOT / 'build' / 'release' / 'tests' / 'cantik_naive.so'
    if built.exists():
        return str(built)
    sources = sorted((ROOT / 'plugins' / 'naive').glob('*.cc'))
    return compiled(tmp_path_factory.mktemp('naive') / 'cantik_naive.so', *sources)


@pytest.fixture(scope='module')
def naive(naive_library):
    return C.device.load_backend(naive_library)[0]


# ---- names


def test_a_device_of_a_backend(naive):
    assert repr(naive) == 'naive[0]' and naive.id() == 0 and naive.type() == C.DeviceKind.OTHER
    assert naive in C.all_devices() and C.device.backend_device('naive') == naive != C.cpu()
    with pytest.raises(KeyError, match='no backend is called clever'):
        C.device.backend_device('clever')
    with pytest.raises(ValueError, match='the backend naive has 1 devices, and device 3 was asked for'):
        C.device.backend_device('naive', 3)
    with pytest.raises(ValueError, match='invalid'):
        C.gpu(0)  # it is none


def test_values_live_on_the_host(naive):
    for place in [
        lambda: C.NDArrayView((2,), np.float32, naive),
        lambda: C.NDArrayView.from_dense(np.ones(2, np.float32), naive),
        lambda: C.parameter(2, device=naive),
        lambda: C.constant(1, device=naive),
        lambda: C.Value(np.ones((1, 2), np.float32), device=naive),
    ]:
        with pytest.raises(NotImplementedError, match=r'values cannot be placed on naive\[0\]'):
            place()


def test_the_default_device(naive):
    x = C.input_variable(3)
    y = C.exp(x)
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    try:
        assert C.try_set_default_device(naive) and C.use_default_device() == naive
        assert 'map.naive' in kernels(lambda: y.eval({x: data}))
        assert 'map.naive' not in kernels(lambda: y.eval({x: data}, device=C.cpu()))
    finally:
        assert C.try_set_default_device(C.cpu())
    assert 'map.naive' not in kernels(lambda: y.eval({x: data}))


def kernels(action):
    with C.profile() as p:
        action()
    return {row.name: row.calls for row in p.rows}


# ---- what is copied, is told


def test_copies_are_told_by_the_profile(naive):
    x = C.input_variable(3)
    w = C.parameter((3, 2), init=1)
    y = C.relu(C.times(x, w))
    data = np.ones((4, 3), np.float32)
    first = kernels(lambda: y.eval({x: data}, device=naive))
    assert first['copy.to_naive'] == 2 and first['copy.to_host'] == 1  # x and w; the result
    again = kernels(lambda: y.eval({x: data}, device=naive))
    assert again['copy.to_naive'] == 1  # the parameter is there, and has not changed
    w.value = np.zeros((3, 2), np.float32)
    assert kernels(lambda: y.eval({x: data}, device=naive))['copy.to_naive'] == 2
    np.testing.assert_array_equal(y.eval({x: data}, device=naive), np.zeros((4, 2)))


def test_what_it_lacks_runs_on_the_host(naive):
    x = C.input_variable(4)
    y = C.exp(C.ops.top_k(C.tanh(x), 2).outputs[0])
    data = np.random.RandomState(0).randn(3, 4).astype(np.float32)
    ran = kernels(lambda: y.eval({x: data}, device=naive))
    assert ran['copy.to_host'] == 2 and ran['copy.to_naive'] == 2 and any('top_k' in name for name in ran)
    np.testing.assert_allclose(y.eval({x: data}, device=naive), y.eval({x: data}), rtol=1e-6)


def test_nan_is_found_there(naive):
    x = C.input_variable(2)
    y = C.times(C.tanh(x, name='bent'), np.ones((2, 2), np.float32))
    with pytest.raises(RuntimeError, match='tanh made a NaN, in row 1, element 0') as caught:
        y.eval({x: np.float32([[1, 2], [np.nan, 3]])}, device=naive, check_nan=True)
    assert 'bent' in str(caught.value)


def test_user_functions_run_on_the_host(naive):
    class Doubled(C.ops.functions.UserFunction):
        def __init__(self, arg):
            super().__init__([arg])

        def infer_outputs(self):
            return [
                C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)
            ]

        def forward(self, x, device=None, outputs_to_retain=None):
            return None, 2 * x

        def backward(self, state, dy):
            return 2 * dy

    x = C.input_variable(3, needs_gradient=True)
    y = C.exp(C.user_function(Doubled(C.tanh(x))))
    data = np.random.RandomState(0).randn(2, 3).astype(np.float32)
    for device in (naive, C.cpu()):
        np.testing.assert_allclose(y.eval({x: data}, device=device), np.exp(2 * np.tanh(data)), rtol=1e-5)
    np.testing.assert_allclose(y.grad({x: data}, device=naive), y.grad({x: data}, device=C.cpu()), rtol=1e-5)


# ---- the host may not touch its memory


def test_the_host_cannot_read_there(naive_library):
    program = '''
import ctypes, sys
import cantik as C
library = ctypes.CDLL(sys.argv[1])

class Failure(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('text', ctypes.c_char_p), ('room', ctypes.c_size_t), ('launch', ctypes.c_int64)]

Allocate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int32, ctypes.c_size_t,
                            ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(Failure))

class Backend(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('name', ctypes.c_char_p), ('kind', ctypes.c_int32), ('devices', ctypes.c_int32),
                ('user', ctypes.c_void_p), ('allocate', Allocate)]

Define = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Backend))

class Host(ctypes.Structure):
    _fields_ = [('size', ctypes.c_size_t), ('version', ctypes.c_uint32), ('self', ctypes.c_void_p), ('define', Define), ('fail', ctypes.c_void_p)]

found = []

def define(_, backend):
    memory = ctypes.c_void_p()
    assert backend.contents.allocate(None, 0, 64, ctypes.byref(memory), ctypes.byref(Failure())) == 0
    found.append(memory.value)
    return 0

kept = Define(define)
library.cantik_backend_library(ctypes.byref(Host(ctypes.sizeof(Host), 1, None, kept, None)))
print('reads', flush=True)
ctypes.string_at(found[0], 1)
print('and goes on')
'''
    done = subprocess.run(
        [sys.executable, '-c', program, naive_library], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == 'reads\n' and done.returncode < 0, done.stderr


# ---- trainings


def trained(device):
    """The losses of a small tagger of sequences, its test, and those of a second one trained by a session."""
    C.cntk_py.reset_random_seed(1)
    random = np.random.RandomState(3)
    data = [random.randn(n, 5).astype(np.float32) for n in (4, 1, 7, 3, 6, 2)]
    tags = [np.eye(3, dtype=np.float32)[(4 * x[:, 0]).astype(int) % 3] for x in data]
    x, y = C.sequence.input_variable(5), C.sequence.input_variable(3)
    hidden = C.layers.Recurrence(C.layers.GRU(6), go_backwards=True)(C.layers.Recurrence(C.layers.LSTM(6))(x))
    scores = C.layers.Dense(3)(C.layers.Dropout(0.3, seed=5)(C.layers.BatchNormalization()(hidden)))
    criterion = C.cross_entropy_with_softmax(scores, y), C.classification_error(scores, y)
    learner = C.adam(
        scores.parameters, C.learning_parameter_schedule_per_sample(0.01), C.momentum_schedule(0.9)
    )
    trainer = C.Trainer(scores, criterion, [learner])
    losses = []
    for _ in range(6):
        trainer.train_minibatch({x: data, y: tags}, device=device)
        losses.append(trainer.previous_minibatch_loss_average)
    return losses, trainer.test_minibatch({x: data, y: tags}, device=device)


def test_recurrences_learn_there(naive):
    here, error_here = trained(C.cpu())
    ran = {}
    ran.update(kernels(lambda: ran.setdefault('found', trained(naive))))
    there, error_there = ran['found']
    assert ran['product.naive'] > 100 and ran['row_product.naive'] >= 6  # steps of loops among them
    np.testing.assert_allclose(there, here, rtol=1e-4)
    assert here[-1] < here[0] and abs(error_here - error_there) < 0.05


def test_a_session_trains_there(naive):
    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1)(x)
    trainer = C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))])
    data = np.random.RandomState(0).randn(32, 2).astype(np.float32)
    source = C.io.MinibatchSourceFromData({'x': data, 'y': data[:, :1]}, max_samples=64)
    session = C.train.training_session(
        trainer=trainer,
        mb_source=source,
        mb_size=16,
        model_inputs_to_streams={x: source.streams['x'], y: source.streams['y']},
    )
    assert kernels(lambda: session.train(naive))['row_product.naive'] == 4


def test_sequences_go_on_there(naive):
    """What delays leave for the next minibatch lies on the host, wherever they ran."""
    x = C.sequence.input_variable(3)
    y = C.layers.Recurrence(C.layers.LSTM(4, init=0.3))(x)
    data = np.random.RandomState(0).randn(5, 3).astype(np.float32)
    whole = y.eval({x: [data]}, device=C.cpu())[0]
    parts = [
        y.eval({x: C.Value.create(x, [data[:2]], [True])}, device=naive)[0],
        y.eval({x: C.Value.create(x, [data[2:]], [False])}, device=naive)[0],
    ]
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-5, atol=1e-6)


# ---- the examples, on a little of their data


def small_mnist(folder):
    """192 images to learn from and 64 to test with."""
    for name, count in (('train', 192), ('t10k', 64)):
        for kind, head, each in (('images-idx3', 16, 784), ('labels-idx1', 8, 1)):
            file = f'{name}-{kind}-ubyte.gz'
            with gzip.open(DATA / 'mnist' / file) as all_of_them:
                data = bytearray(all_of_them.read(head + each * count))
            data[4:8] = count.to_bytes(4, 'big')
            with gzip.open(folder / file, 'wb') as part:
                part.write(data)


def small_atis(folder):
    """40 sentences of each file."""
    for name in ('query.wl', 'slots.wl', 'intent.wl'):
        (folder / name).write_bytes((DATA / 'atis' / name).read_bytes())
    for name in ('atis.train.ctf.gz', 'atis.test.ctf.gz'):
        with gzip.open(DATA / 'atis' / name, 'rt') as all_of_them:
            lines = all_of_them.readlines()
        with gzip.open(folder / name, 'wt') as part:
            part.writelines(line for line in lines if int(line.split()[0]) < int(lines[0].split()[0]) + 40)


def said_by(folder, *command):
    package = str(Path(C.__file__).absolute().parents[1])
    done = subprocess.run(
        [str(c) for c in command],
        cwd=folder,
        env={**os.environ, 'PYTHONPATH': package},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def learned(text):
    """The losses that a training printed."""
    losses = [float(x) for x in re.findall(r'loss = ([0-9.]+)', text)]
    assert losses, text
    return losses


EXAMPLES = {
    'tour': (small_mnist, 'tour.py', ['--sweeps', 2]),
    'atis': (small_atis, 'atis_tagging.py', ['--sweeps', 2]),
}


@pytest.mark.parametrize('example', EXAMPLES)
def test_an_example_runs_there(naive_library, tmp_path, example):
    small, file, options = EXAMPLES[example]
    small(tmp_path)
    command = [sys.executable, ROOT / 'examples' / file, '--data', tmp_path, *options]
    here = learned(said_by(tmp_path, *command))
    there = learned(said_by(tmp_path, *command, '--backend', naive_library))
    np.testing.assert_allclose(there, here, rtol=1e-3)


TOUR = ROOT / 'build' / 'release' / 'examples' / 'cpp' / 'tour'


@pytest.mark.skipif(not TOUR.exists(), reason='the C++ examples are not built')
def test_the_tour_in_cpp_runs_there(naive_library, tmp_path):
    small_mnist(tmp_path)
    here, there = said_by(tmp_path, TOUR, 1, tmp_path), said_by(tmp_path, TOUR, 1, tmp_path, naive_library)
    of_digits = [[float(x) for x in re.findall(r'score +(-?[0-9.]+)', text)] for text in (here, there)]
    assert len(of_digits[0]) == 10
    np.testing.assert_allclose(of_digits[1], of_digits[0], atol=0.02)


# ---- broken ones


WRONG = SOURCES / 'backends' / 'wrong.c'


def refused(path, *words, error=(ValueError, RuntimeError, KeyError)):
    before = C.all_devices()
    with pytest.raises(error) as caught:
        C.device.load_backend(path)
    assert C.all_devices() == before
    for word in words:
        assert word in str(caught.value), str(caught.value)


@needs_compiler
def test_what_is_no_backend(tmp_path):
    refused(tmp_path / 'missing.so', 'the backend', 'missing.so cannot be opened')
    (tmp_path / 'text.so').write_text('import numpy as np\n' * 100)
    refused(tmp_path / 'text.so', 'is not a backend', 'it is not a shared library')
    operators = compiled(tmp_path / 'operators.so', SOURCES / 'wrong' / 'wrong.c')
    refused(operators, 'is not a backend: it does not state the version of its interface', 'CANTIK_BACKEND')
    with pytest.raises(ValueError, match='is not an operator library'):
        C.load_operators(compiled(tmp_path / 'backend.so', WRONG))


@needs_compiler
@pytest.mark.parametrize('version', ['2, 0', '1, 90', '0, 3'])
def test_another_version(version, tmp_path):
    flags = ['-DMARK=CANTIK_BACKEND_ABI_TEXT(' + version + ')', '-DWRONG=__builtin_trap()']
    path = compiled(tmp_path / 'newer.so', WRONG, flags=flags)
    refused(
        path, 'was built for version ' + version.replace(', ', '.'), 'this Cantik has 1.0', error=RuntimeError
    )


DESCRIPTIONS = {
    'b.name = 0': 'it has no name',
    'b.name = "host"': "that is the name of the host's memory",
    'b.size = 8': 'a struct of 8 bytes',
    'b.kind = 9': 'devices of the unknown kind 9',
    'b.devices = -1': 'it has -1 devices',
    'b.wait = 0': 'one of its functions is missing',
    'b.kernels = 0': 'it lists 1 kernels',
    'k.size = 3': 'a struct of 3 bytes',
    'k.prepare = 0': 'its kernel 0 lacks',
    'k.op = "form:dance"': 'has a kernel for form:dance, which is neither an operator nor a form',
    'k.op = "tims"': 'has a kernel for tims, which is neither an operator nor a form',
    'k.fields = fields, k.field_count = 1': 'reads the attribute inner of form:map, which has none',
    'k.op = "dropout_mask", k.fields = live, k.field_count = 1': 'which may change between runs',
    'host->fail(host->self, CANTIK_RUNTIME, "no card in this machine"); return 2': 'no card in this machine',
    'return 5': 'refused to be loaded, status 5',
    'return 0': 'registers no backend',
    'host->define(host->self, &b)': 'a library has one backend, and this one registers two',
}


@needs_compiler
@pytest.mark.parametrize('change', DESCRIPTIONS)
def test_a_wrong_description(change, tmp_path):
    path = compiled(tmp_path / 'wrong.so', WRONG, flags=['-DWRONG=' + change])
    refused(path, DESCRIPTIONS[change], path)


FAILING = '''
import sys
import numpy as np
import cantik as C
devices = C.device.load_backend(sys.argv[1])
assert devices == C.device.load_backend(sys.argv[1]) and len(devices) == 2, devices
x = C.input_variable(3)
y = C.times(C.exp(x, name='burning'), np.ones((3, 2), np.float32))
try:
    y.eval({x: np.ones((2, 3), np.float32)}, device=devices[1])
except (ValueError, MemoryError) as e:
    print(type(e).__name__, e)
print(y.eval({x: np.zeros((1, 3), np.float32)}))
'''


@needs_compiler
def test_a_failure_names_the_function(tmp_path):
    said = run(FAILING, compiled(tmp_path / 'failing.so', WRONG, flags=['-DFAILS']))
    assert 'ValueError map.wrong: the device has caught fire' in said and 'burning' in said, said
    assert 'device   wrong[1]' in said and '[[3. 3.]]' in said


@needs_compiler
def test_no_memory_there(tmp_path):
    said = run(FAILING, compiled(tmp_path / 'failing.so', WRONG, flags=['-DFAILS', '-DNO_MEMORY']))
    assert 'MemoryError' in said and 'there is none' in said and '[[3. 3.]]' in said, said


@needs_compiler
def test_another_of_the_same_name(tmp_path):
    run(
        'import sys, cantik as C\nC.device.load_backend(sys.argv[1])\n'
        'try:\n    C.device.load_backend(sys.argv[2])\nexcept ValueError as e:\n    print(e)\n',
        compiled(tmp_path / 'one.so', WRONG),
        compiled(tmp_path / 'two.so', WRONG),
    ).index('the backend wrong is loaded already')
