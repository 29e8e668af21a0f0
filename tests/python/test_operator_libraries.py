"""The example library of operators, built outside the tree as its users build it: as good as what is built
in."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cantik as C
from building import PACKAGE, needs_compiler, run
from cantik.commands import config

pytestmark = needs_compiler
EXAMPLE = Path(__file__).resolve().parents[2] / 'plugins' / 'example'


@pytest.fixture(scope='session')
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp('example')
    for command in (
        ['cmake', '-S', EXAMPLE, '-B', folder, '-DCMAKE_PREFIX_PATH=' + str(config.folders()['cmake'])],
        ['cmake', '--build', folder, '-j2'],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return str(folder / 'cantik_example.so')


@pytest.fixture(scope='session')
def library(path):
    return C.load_operators(path)


def swish(v, beta=1.0):
    return v / (1 + np.exp(-beta * v))


def rms(v, epsilon=1e-5):
    return v / np.sqrt(np.mean(v * v, axis=-1, keepdims=True) + epsilon)


def numbers(*shape, dtype=np.float32):
    return np.random.RandomState(3).randn(*shape).astype(dtype)


def test_names_and_functions(library, path):
    assert library == [
        'swish',
        'running_sum',
        'rms_norm',
        'sum_pool',
        'spread_pixels',
        'lagged',
        'distinct',
        'distinct_gradient',
        'keep_largest',
        'keep_largest_dx',
        'keep_largest_dscale',
        'stretch',
        'stretch_gradient',
        'vector_times',
        'gamma_sign',
        'user_times',
    ]
    assert C.load_operators(path) == library
    assert repr(library) == '<operators of cantik_example.so: ' + ', '.join(library) + '>'
    assert str(inspect.signature(library.swish)).startswith("(x, beta=1.0, name='')")
    assert (
        library.rms_norm.__doc__.startswith('x divided by the root of the mean of its squares')
        and 'epsilon (float): keeps away from zero' in library.rms_norm.__doc__
    )
    f = library.swish(C.input_variable(3, name='x'), beta=2, name='gate')
    assert (
        f.name == 'gate'
        and f.root_function.attributes == {'beta': 2.0}
        and str(f) == 'gate: swish(x: Tensor[3]) -> Tensor[3]'
    )
    with pytest.raises(TypeError, match='gamma'):
        library.swish(C.input_variable(3), gamma=2)
    with pytest.raises(TypeError):
        library.swish()
    with pytest.raises(
        C.ShapeError,
        match='a number by itself has no axis to normalize along(.|\n)*test_operator_libraries.py',
    ):
        library.rms_norm(C.input_variable(()))


def test_command_line(path, tmp_path):
    def cantik(*arguments):
        done = subprocess.run(
            [sys.executable, '-m', 'cantik', *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, 'PYTHONPATH': PACKAGE},
        )
        return done.returncode, done.stdout, done.stderr

    status, text, _ = cantik('operators', path)
    assert status == 0 and text.startswith("swish(x, beta=1.0, name='')\n    x * sigmoid(beta * x)\n")
    status, text, _ = cantik('operators', path, '--stub')
    assert (
        status == 0
        and "def rms_norm(x: Operand, epsilon: float = 1e-05, name: str = '') -> Function:" in text
    )
    compile(text, 'stub', 'exec')
    status, flags, _ = cantik('config', '--cflags', '--libs')
    assert (
        status == 0
        and '-std=c++20' in flags
        and os.path.exists(os.path.join(config.folders()['include'], 'cantik', 'op.h'))
    )
    (tmp_path / 'a.cc').write_text(
        '#include <cantik/cantik.h>\n#include <cstdio>\nint main() '
        '{ std::puts(cantik::call("relu", {cantik::input({2})}).text().c_str()); }\n'
    )
    flags = flags.split()
    subprocess.run(
        [
            'c++',
            *flags[: flags.index(next(f for f in flags if f.startswith('-L')))],
            str(tmp_path / 'a.cc'),
            '-o',
            str(tmp_path / 'a'),
            *flags,
        ],
        check=True,
    )
    assert 'ReLU' in subprocess.run([str(tmp_path / 'a')], capture_output=True, text=True, check=True).stdout
    assert (
        cantik('config')[0] == 2
        and cantik('nothing')[0] == 2
        and "No such command 'nothing'" in cantik('nothing')[2]
    )
    assert cantik()[0] == 0 and 'config' in cantik()[1]


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('columns', [1, 7, 16, 37])
def test_values_and_gradients(library, dtype, columns):
    x = C.input_variable((2, columns), dtype=dtype, needs_gradient=True)
    given = numbers(5, 2, columns, dtype=dtype)
    close = dict(rtol=1e-5, atol=1e-6) if dtype == np.float32 else dict(rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(library.swish(x, 1.5).eval({x: given}), swish(given, 1.5), **close)
    np.testing.assert_allclose(library.rms_norm(x, 0.01).eval({x: given}), rms(given, 0.01), **close)
    np.testing.assert_allclose(
        library.running_sum(x, reverse=True).eval({x: given}),
        np.cumsum(given[..., ::-1], -1)[..., ::-1],
        **close,
    )
    for f in library.swish(x, 1.5), library.rms_norm(x, 0.01), library.running_sum(x):
        assert C.check_gradient(f, {x: given})


def test_half(library):
    x = C.input_variable(8, dtype=np.float16)
    given = numbers(2, 8, dtype=np.float16)
    np.testing.assert_allclose(
        library.rms_norm(x).eval({x: given}), rms(given.astype(np.float32)), rtol=2e-3, atol=2e-3
    )


def test_one_sample_at_a_time_in_any_batch(library):
    x = C.input_variable(37)
    f = library.rms_norm(library.running_sum(x))
    given = numbers(300, 37)
    whole = f.eval({x: given})
    np.testing.assert_array_equal(whole[123], f.eval({x: given[123:124]})[0])


def test_in_loops(library):
    x = C.sequence.input_variable(4, needs_gradient=True)
    f = C.layers.Recurrence(lambda h, v: library.rms_norm(library.swish(v + 0.5 * h)))(x)
    given = [numbers(5, 4), numbers(2, 4)]
    for got, one in zip(f.eval({x: given}), given):
        h = np.zeros(4, np.float32)
        for t, v in enumerate(one):
            h = rms(swish(v + 0.5 * h))
            np.testing.assert_allclose(got[t], h, rtol=1e-4, atol=1e-5)
    assert C.check_gradient(C.sequence.reduce_sum(f), {x: numbers(2, 3, 4)})


def test_saved_and_loaded_by_name(library, path, tmp_path):
    x = C.input_variable(5, needs_gradient=True)
    given = numbers(2, 5)
    model, file = (
        library.rms_norm(library.swish(C.layers.Dense(5)(x), beta=2), 0.25),
        str(tmp_path / 'own.model'),
    )
    model.save(file)
    again = C.load_model(file)
    np.testing.assert_array_equal(again.eval({again.arguments[0]: given}), model.eval({x: given}))
    assert again.root_function.attributes == {'epsilon': 0.25}
    shown = run(
        '''
import sys, cantik as C
f = C.load_model(sys.argv[1])
try:
    f.eval({f.arguments[0]: [[1, 2, 3, 4, 5]]})
except Exception as error:
    print(error)
''',
        file,
    )
    assert 'rms_norm' in shown or 'swish' in shown
    assert 'load_operators' in shown


def test_fused_and_in_place(library):
    x = C.input_variable(64)
    chain = C.relu(2 * library.swish(x + 1) - 3)
    given = numbers(3, 64)
    chain.eval({x: given})
    with C.profile() as p:
        chain.eval({x: given})
    assert len(p.rows) == 1, p.table()  # one loop for all five operators


def test_clone_and_check_nan(library):
    x = C.input_variable(3, name='x')
    f = library.swish(C.exp(x))
    y = C.input_variable(3)
    g = f.clone('share', {x: y})
    np.testing.assert_allclose(g.eval({y: [[1, 2, 3]]}), swish(np.exp([[1, 2, 3]])), rtol=1e-6)
    with pytest.raises(RuntimeError, match='swish(.|\\n)*NaN|NaN(.|\\n)*swish'):
        library.swish(y).eval({y: np.array([[-np.inf, 2, 3]], np.float32)}, check_nan=True)  # -inf / inf


NATIVE = '''
import sys, numpy as np, cntk as C
module = 'Cntk.ExtensibilityExamples-' + C.__version__
assert not C.cntk_py.is_native_user_function_registered('NativeUserTimesOp')
C.ops.register_native_user_function('NativeUserTimesOp', module, 'CreateUserTimesFunction')
assert C.cntk_py.is_native_user_function_registered('NativeUserTimesOp')
def said(call):
    try:
        call()
    except (ValueError, RuntimeError) as error:
        return type(error).__name__ + ': ' + str(error)
assert "ValueError: UserFunction with op-id 'NativeUserTimesOp' is already registered" in said(lambda: C.ops.register_native_user_function('NativeUserTimesOp', module, 'CreateUserTimesFunction'))
assert "RuntimeError: Plugin not found: 'Cntk.NoSuch-2.7.so'" in said(lambda: C.ops.register_native_user_function('Other', 'Cntk.NoSuch-2.7', 'CreateUserTimesFunction'))
assert "RuntimeError: Symbol 'CreateNo' not found in plugin" in said(lambda: C.ops.register_native_user_function('Other', module, 'CreateNo'))
assert "ValueError: UserFunction with op-id 'Other' has not been registered." in said(lambda: C.ops.native_user_function('Other', []))
x = C.input_variable(2, needs_gradient=True)
w = C.parameter((2, 2), init=np.array([[0.5, 2], [-0.5, 1.5]], np.float32))
given = {'param_rank': 2, 'padding': True, 'none': None, 'nested lists': [[1, 2, 3], [4, 5, 6]], 'string': 'text', 'data': np.arange(9, dtype=np.float32).reshape(3, 3)}
def same(f):
    assert set(f.attributes) == set(given), f.attributes
    for key, value in given.items():
        assert np.array_equal(f.attributes[key], value) if isinstance(value, np.ndarray) else f.attributes[key] == value, key
f = C.ops.native_user_function('NativeUserTimesOp', [w, x], given, 'product')
assert f.op_name == 'CompositeFunctionOpName' and f.owner.op_name == 'NativeUserTimesOp' and str(f) == 'product: NativeUserTimesOp(Tensor[2]) -> Tensor[2]', str(f)
same(f.owner)
assert np.array_equal(f.eval({x: [[1, 2]]}), [[-0.5, 5]])
gradients = f.grad({x: np.array([[1, 2]], np.float32)}, [x, w])
assert np.array_equal(gradients[x], [[0, 0]]) and np.array_equal(gradients[w], [[1, 1], [2, 2]])
f.save(sys.argv[1])
again = C.load_model(sys.argv[1])
assert np.array_equal(again.eval({again.arguments[0]: [[1, 2]]}), [[-0.5, 5]])
same(again.find_by_name('product'))
same(f.clone('share').find_by_name('product'))
print('fine')
'''


def test_native_user_function(path, tmp_path):
    """Values, texts and errors are those of CNTK 2.7."""
    os.symlink(path, tmp_path / 'Cntk.ExtensibilityExamples-2.7.so')
    assert run(NATIVE, tmp_path / 'native.model', CANTIK_OPERATOR_PATH=str(tmp_path)) == 'fine\n'


def test_first_release(tmp_path):
    """What was built against the headers of the first release loads for ever: tests/release_1 is a copy of
    them, and of a library that uses all of their parts."""
    folder = Path(__file__).resolve().parents[1] / 'release_1'
    target = tmp_path / 'first.so'
    subprocess.run(
        [
            'c++',
            '-std=c++20',
            '-O1',
            '-fPIC',
            '-fvisibility=hidden',
            '-shared',
            '-I' + str(folder / 'include'),
            str(folder / 'library.cc'),
            '-o',
            str(target),
        ],
        check=True,
    )
    first = C.load_operators(target)
    assert first == ['first_gate', 'first_sum', 'first_sum_gradient', 'first_affine', 'first_double']
    x = C.input_variable((2, 3), needs_gradient=True)
    given = numbers(4, 2, 3)
    np.testing.assert_allclose(first.first_gate(x, 2).eval({x: given}), swish(given, 2), rtol=1e-5)
    np.testing.assert_allclose(first.first_sum(x).eval({x: given}), given.sum(-1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        first.first_affine(x, factor=2, offsets=[1, 2, 3], text='minus').eval({x: given}),
        2 * given - [1, 2, 3],
        rtol=1e-5,
    )
    np.testing.assert_array_equal(first.first_double(x).eval({x: given}), 2 * given)
    for f in (
        first.first_gate(x),
        first.first_sum(x),
        first.first_affine(x, offsets=[1, 2, 3]),
        first.first_double(x),
    ):
        assert C.check_gradient(f, {x: given})
    assert C._cantik.operator('first_gate')['names']['anything'] == 'at all'
