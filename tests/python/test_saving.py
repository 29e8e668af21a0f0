"""Where a save fails, the file that was there stays; where its folder is missing, it is made. Which files a
network takes its values from: those of the same parameters, inputs and outputs, in the same places."""

import errno
import os
import resource
from contextlib import contextmanager

import numpy as np
import pytest

import cantik as C
import cantik.mxnet as mx
from cantik._files import write_whole
from cantik.contrib.crosstalk.files import write as write_value


@contextmanager
def files_of_at_most(size):
    """What a full disk does to those who write."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_and_folders(tmp_path):
    x = C.input_variable(200)
    z = C.layers.Dense(200)(x)
    y = C.input_variable(200)
    trainer = C.Trainer(z, (C.squared_error(z, y),), [C.sgd(z.parameters, 0.1)])
    path = str(tmp_path / 'a' / 'b' / 'model')
    z.save(path)
    checkpoint = str(tmp_path / 'c' / 'd' / 'checkpoint')
    trainer.save_checkpoint(checkpoint)
    printer = C.logging.ProgressPrinter(1, log_to_file=str(tmp_path / 'e' / 'f' / 'log'))
    printer.update_training(10, 1.0, 1.0)
    assert 'loss = ' in (tmp_path / 'e' / 'f' / 'log').read_text()
    saved = {p: open(p, 'rb').read() for p in (path, checkpoint, checkpoint + '.ckp')}
    z.parameters[0].value = z.parameters[0].value + 1
    with files_of_at_most(20000):
        with pytest.raises(RuntimeError, match='(?s)cannot be written: File too large.*has not changed'):
            z.save(path)
        with pytest.raises(
            RuntimeError,
            match='(?s)' + checkpoint + ' cannot be written.*' + checkpoint + '.ckp are both as before',
        ):
            trainer.save_checkpoint(checkpoint)
    for p, contents in saved.items():
        assert open(p, 'rb').read() == contents
    assert (
        sorted(os.listdir(os.path.dirname(path))) == ['model']
        and len(os.listdir(os.path.dirname(checkpoint))) == 2
    )
    os.remove(checkpoint + '.ckp')
    os.mkdir(checkpoint + '.ckp')
    with pytest.raises(
        RuntimeError,
        match='(?s)' + checkpoint + '.ckp cannot be written.*' + checkpoint + ' is written and complete',
    ):
        trainer.save_checkpoint(checkpoint)
    trainer.restore_from_checkpoint(checkpoint)


def network(act=C.tanh, swap=False, names='WV', x=None, name='', constant=1.0, back=0):
    """A network of two layers, and its trainer."""
    x = C.input_variable(2) if x is None else x
    w, v = (C.parameter((2, 2), init=i + 1, name=n) for i, n in enumerate(names))
    first, second = (v, w) if swap else (w, v)
    h = C.times(act(C.times(x, first)), second)
    operands = (C.constant(constant), h) if back else (h, C.constant(constant))
    z = C.plus(*operands, name=name)
    y = C.input_variable(2, dynamic_axes=z.dynamic_axes)
    return z, C.Trainer(z, C.squared_error(z, y), [C.sgd(z.parameters, 0.1)])


def wrapped():
    x, p, v = C.input_variable(2), C.placeholder(), C.parameter((2, 2), name='V')
    inside = C.tanh(C.times(p, C.parameter((2, 2), name='W')))
    block = C.as_block(inside, [(p, x)], 'Wrapped')
    z = C.plus(C.times(block, v), C.constant(1.0))
    return z, C.Trainer(z, C.squared_error(z, C.input_variable(2)), [C.sgd(z.parameters, 0.1)])


# As CNTK 2.7 does: other functions in between are let through, other places of parameters are not.
SAME = {
    'the same': network,
    'another function': lambda: network(C.relu),
    'another constant': lambda: network(constant=3.0),
    'in a block': wrapped,
}
OTHER = {
    'used the other way round': (
        lambda: network(swap=True),
        r"in the place of Parameter\('V'.* it has Parameter\('W'.*another name",
    ),
    'other names': (lambda: network(names='WU'), 'of another name'),
    'the name of the input': (lambda: network(x=C.input_variable(2, name='x')), 'Input.*of another name'),
    'the name of the network': (
        lambda: network(name='z'),
        r"(it is called '', the function 'z'|Output\('z')",
    ),
    'sparse input': (lambda: network(x=C.input_variable(2, is_sparse=True)), 'of another storage'),
    'sequences': (lambda: network(x=C.sequence.input_variable(2)), 'of another number of dynamic axes'),
    'another size': (lambda: network(x=C.reduce_sum(C.input_variable((3, 2)), 0)[0]), 'of another shape'),
    'another order': (lambda: network(back=1), 'of another kind'),
}


@pytest.mark.parametrize('way', ['checkpoint', 'file'])
@pytest.mark.parametrize('case', [*SAME, *OTHER])
def test_values_come_from_the_same_graph_only(case, way, tmp_path):
    z, trainer = network()
    path = str(tmp_path / 'model')
    z.save(path) if way == 'file' else trainer.save_checkpoint(path)
    make, error = OTHER.get(case, (SAME.get(case), None))
    other, other_trainer = make()
    for p in other.parameters:
        p.value = np.full((2, 2), 7, 'f')

    def restore():
        other.restore(path) if way == 'file' else other_trainer.restore_from_checkpoint(path)

    if error:
        with pytest.raises(ValueError, match=f'(?s)another model.*{error}'):
            restore()
        assert all((p.value == 7).all() for p in other.parameters)
    else:
        restore()
        assert {p.name: p.value[0, 0] for p in other.parameters} == {'W': 1, 'V': 2}


def test_a_checkpoint_is_no_file_of_its_model(tmp_path):
    z, trainer = network()
    trainer.save_checkpoint(str(tmp_path / 'c'))
    with pytest.raises(ValueError, match='another model: it has 2 inputs, the function has 1'):
        z.restore(str(tmp_path / 'c'))


def test_sizes_and_axes_that_are_open_agree_with_those_that_are_known(tmp_path):
    def layers():
        return C.layers.Sequential([C.layers.Dense(3, C.tanh), C.layers.Dense(2)])

    known = layers()(C.input_variable(4))
    known.save(str(tmp_path / 'known'))
    called = layers()
    called(C.input_variable(4))
    called.restore(str(tmp_path / 'known'))
    for a, b in zip(known.parameters, called.parameters):
        np.testing.assert_array_equal(a.value, b.value)
    w = C.parameter(2, init=1)
    (C.reduce_sum(C.input_variable(3)) * w).save(str(tmp_path / 'sum'))
    v = C.parameter(2)
    (C.reduce_sum(C.input_variable(C.FreeDimension)) * v).restore(str(tmp_path / 'sum'))
    np.testing.assert_array_equal(v.value, [1, 1])


def profiled():
    with C.profile() as profile:
        (C.input_variable(2) + 1).eval(np.ones((1, 2), np.float32))
    return profile


HISTORY = {'loss': [2.0, 1.0, 0.5]}
NUMBERS = np.ones(100, np.float32)
WAYS = {
    'a.params': lambda path: mx.nd.save(path, {'a': mx.nd.ones((100,))}),
    'a.json': lambda path: mx.sym.Variable('a').save(path),
    'curves.svg': lambda path: C.plot_training(HISTORY, path),
    'trace.json': lambda path: profiled().save(path),
    'graph.dot': lambda path: C.logging.plot(C.input_variable(2) + 1, path),
    'graph.txt': lambda path: C.logging.plot(C.input_variable(2) + 1, path),
    'value.npy': lambda path: write_value(path.removesuffix('.npy'), NUMBERS),
    'value.pkl': lambda path: write_value(path.removesuffix('.pkl'), [NUMBERS]),
}


@pytest.mark.parametrize('name', WAYS)
@pytest.mark.parametrize('before', [None, b'old'])
def test_nothing_of_a_save_that_fails_stays(tmp_path, name, before):
    path = tmp_path / name
    if before:
        path.write_bytes(before)
    with files_of_at_most(10), pytest.raises(OSError, match=name) as caught:
        WAYS[name](str(path))
    assert caught.value.errno == errno.EFBIG
    assert os.listdir(tmp_path) == ([name] if before else [])
    assert not before or path.read_bytes() == before
    WAYS[name](str(path))
    assert path.stat().st_size > 10 and os.listdir(tmp_path) == [name]


def test_a_file_keeps_its_place_and_its_mode(tmp_path):
    """Links lead to the file that is written; what is no file is written to as it is."""
    (tmp_path / 'target').write_text('old')
    os.chmod(tmp_path / 'target', 0o640)
    os.symlink('target', tmp_path / 'link')
    write_whole(tmp_path / 'link', 'new \u00e4')
    assert os.readlink(tmp_path / 'link') == 'target'
    assert (tmp_path / 'target').read_bytes() == 'new \u00e4'.encode()
    assert os.stat(tmp_path / 'target').st_mode & 0o777 == 0o640
    write_whole('/dev/null', b'gone')
    with pytest.raises(FileNotFoundError, match="'" + str(tmp_path / 'none' / 'a') + "'"):
        write_whole(tmp_path / 'none' / 'a', b'')


def test_the_ending_says_the_format_where_nothing_else_does(tmp_path):
    z = C.layers.Dense(2)(C.input_variable(3))

    def is_onnx(name, **options):
        z.save(tmp_path / name, **options)
        return (tmp_path / name).read_bytes()[2:10] == b'\x12\x06Cantik'  # the name of the producer

    assert is_onnx('b.onnx') and is_onnx('c.ONNX') and not is_onnx('a.model') and not is_onnx('a')
    assert is_onnx('a.bin', format=C.ModelFormat.ONNX)
    assert not is_onnx('d.onnx', format=C.ModelFormat.CNTKv2)
    assert C.load_model(tmp_path / 'b.onnx').shape == (2,)
    with pytest.raises(TypeError, match='ModelFormat'):
        z.save(tmp_path / 'e.onnx', format='ONNX')
