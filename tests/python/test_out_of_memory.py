"""Memory that is not there is an error that says how much, what for, and where: no bare bad_alloc reaches
anybody."""

import os
import subprocess
import sys

import numpy as np
import pytest

import cantik as C

FAR = 1 << 21  # its square of float32 is 16 TiB, more than machines have


def error_of(call):
    with pytest.raises(C.OutOfMemoryError) as caught:
        call()
    assert isinstance(caught.value, MemoryError) and isinstance(caught.value, RuntimeError)
    text = str(caught.value)
    assert text.startswith('there is not enough memory for ') and 'bad_alloc' not in text
    return text


def test_parameters():
    w = C.parameter((FAR, FAR), init=1, name='wide')  # made when it is first used
    for use in (lambda: w.value, C.reduce_sum(w).eval):
        text = error_of(use)
        assert (
            '16.0 TiB' in text
            and "Parameter('wide'" in text
            and 'float32[2097152, 2097152]' in text
            and 'test_out_of_memory.py' in text
        )
    for size in (1 << 40, 1 << 62):  # more than can be counted
        assert f'float64[{size}, 4]' in error_of(lambda: C.NDArrayView((size, 4), np.float64))


@pytest.mark.parametrize('run', ['eval', 'forward', 'grad', 'train'])
def test_values_of_a_run(run):
    x = C.input_variable(FAR, needs_gradient=True, name='x')
    square = C.times(C.reshape(x, (FAR, 1)), C.reshape(C.tanh(x), (1, FAR)), name='square')
    loss = C.reduce_sum(square)
    data = np.ones((3, FAR), np.float32)
    p = C.parameter((1,))
    call = {
        'eval': lambda: loss.eval({x: data}),
        'forward': lambda: loss.forward({x: data}, [loss.output], [loss.output]),
        'grad': lambda: loss.grad({x: data}),
        'train': lambda: C.Trainer(loss, (loss + p,), [C.sgd([p], 0.1)]).train_minibatch({x: data}),
    }[run]
    text = error_of(call)
    assert 'square' in text and 'test_out_of_memory.py' in text, text
    np.testing.assert_array_equal(np.ravel(C.reduce_sum(x).eval({x: data})), [FAR] * 3)  # and all goes on


def test_results_from_parameters_alone():
    p, q = C.parameter((FAR, 1), init=1), C.parameter((1, FAR), init=2)
    for f in (C.times(p, q), C.alias(C.times(p, q)), C.reduce_sum(C.times(p, q) * C.input_variable(1))):
        feeds = {v: np.ones((1, 1), np.float32) for v in f.arguments}
        text = error_of(lambda: f.eval(feeds))
        assert 'imes' in text, text


def test_shapes_that_cannot_be_counted():
    x = C.input_variable((1 << 20, 1), name='x')
    y = C.times(
        C.reshape(C.times(x, C.constant(np.ones((1, 1 << 20), np.float32))), (1 << 40, 1)),
        C.constant(np.ones((1, 1 << 18), np.float32)),
    )
    text = error_of(lambda: C.reduce_sum(y).eval({x: np.ones((16, 1 << 20, 1), np.float32)}))  # 2^62 numbers
    assert 'test_out_of_memory.py' in text, text


def test_minibatches(tmp_path):
    path = str(tmp_path / 'small.ctf')
    with open(path, 'w') as file:
        file.write('|x 1\n' * 4000)  # the numbers that a sample lacks are zeros
    source = C.io.MinibatchSource(
        C.io.CTFDeserializer(path, C.io.StreamDefs(x=C.io.StreamDef('x', (1 << 31) - 1)))
    )
    text = error_of(lambda: source.next_minibatch(4000))
    assert path in text, text


LOAD = '''
import resource, sys
import cantik as C
before = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (before + (30 << 20), -1))
try:
    C.load_model(sys.argv[1])
except C.OutOfMemoryError as e:
    print(e)
'''


def test_files(tmp_path):
    path = str(tmp_path / 'model')
    C.times(C.input_variable(4000), C.parameter((4000, 5000), init=1)).save(path)  # 80 MB
    package = os.path.dirname(os.path.dirname(os.path.abspath(C.__file__)))
    done = subprocess.run(
        [sys.executable, '-c', LOAD, path],
        env={**os.environ, 'PYTHONPATH': package},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert path in done.stdout and 'bad_alloc' not in done.stdout and 'memory' in done.stdout, done.stdout
