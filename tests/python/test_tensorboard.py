"""Files for TensorBoard: CNTK's points, the graph, pictures, distributions, texts; what goes wrong."""

import struct
import subprocess
import sys

import numpy as np
import pytest

import cantik as C


def varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return n, at


def fields(data):
    """(number, value) of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from('<d', data, at)[0], at + 8
        elif key & 7 == 5:
            value, at = struct.unpack_from('<f', data, at)[0], at + 4
        else:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def crc32c(data):
    r = 0xFFFFFFFF
    for byte in data:
        r ^= byte
        for _ in range(8):
            r = r >> 1 ^ (0x82F63B78 if r & 1 else 0)
    return r ^ 0xFFFFFFFF


def masked(c):
    return ((c >> 15 | c << 17) + 0xA282EAD8) & 0xFFFFFFFF


def events(path):
    """The events of a file as dictionaries; checksums are checked."""
    with open(path, 'rb') as f:
        data = f.read()
    at = 0
    while at < len(data):
        size, check = struct.unpack_from('<QI', data, at)
        event = data[at + 12 : at + 12 + size]
        assert masked(crc32c(data[at : at + 8])) == check
        assert masked(crc32c(event)) == struct.unpack_from('<I', data, at + 12 + size)[0]
        at += 16 + size
        yield dict(fields(event))


def values(path):
    """(tag, step, fields of the value)"""
    for event in events(path):
        if 5 in event:
            for _, value in fields(event[5]):
                found = dict(fields(value))
                yield found[1].decode(), event.get(2, 0), found


def writer(tmp_path, **options):
    return C.logging.TensorBoardProgressWriter(log_dir=str(tmp_path / 'log'), **options)


def test_points_of_a_training_are_cntks(tmp_path):
    x, y = C.input_variable(2), C.input_variable(1)
    z = C.layers.Dense(1, init=0.5)(x)
    loss = C.squared_error(z, y)
    w = writer(tmp_path, freq=2)
    trainer = C.Trainer(z, (loss, loss), [C.sgd(z.parameters, C.learning_parameter_schedule(0.1))], [w])
    random = np.random.RandomState(0)
    losses = []
    for _ in range(2):
        for _ in range(5):
            data = random.randn(4, 2).astype(np.float32)
            batch = {x: data, y: data.sum(1, keepdims=True)}
            trainer.train_minibatch(batch)
            losses.append(trainer.previous_minibatch_loss_average)
        trainer.summarize_training_progress()
    for _ in range(2):
        trainer.test_minibatch(batch)
    trainer.summarize_test_progress()
    w.close()
    found = [(tag, step, value[2]) for tag, step, value in values(w.path) if 'rate' not in tag]
    mean = lambda *i: np.mean([losses[k] for k in i])
    expected = []  # as CNTK 2.7 writes them
    for kind in ((2, 0, 1), (4, 2, 3)):
        expected += [(f'minibatch/avg_{n}', kind[0], mean(*kind[1:])) for n in ('loss', 'metric')]
    expected += [(f'summary/avg_{n}', 1, mean(*range(5))) for n in ('loss', 'metric')]
    for kind in ((7, 5, 6), (9, 7, 8)):
        expected += [(f'minibatch/avg_{n}', kind[0], mean(*kind[1:])) for n in ('loss', 'metric')]
    expected += [(f'summary/avg_{n}', 2, mean(*range(5, 10))) for n in ('loss', 'metric')]
    assert [f[:2] for f in found[:-1]] == [e[:2] for e in expected]
    np.testing.assert_allclose([f[2] for f in found[:-1]], [e[2] for e in expected], rtol=1e-5)
    assert found[-1][:2] == ('minibatch/test_avg_metric', 10)
    rates = [(tag, value[2]) for tag, _, value in values(w.path) if 'rate' in tag]
    assert len(rates) == 1 and rates[0][1] == np.float32(0.1)


def nodes(path):
    """name: (operator, inputs)"""
    found = {}
    for event in events(path):
        if 4 in event:
            for _, node in fields(event[4]):
                parts = list(fields(node))
                name = next(v.decode() for n, v in parts if n == 1)
                assert name not in found
                found[name] = (
                    next(v.decode() for n, v in parts if n == 2),
                    [v.decode() for n, v in parts if n == 3],
                )
    return found


@pytest.mark.parametrize('recurrent', [False, True])
def test_the_graph_has_every_node_once_and_no_loose_ends(tmp_path, recurrent):
    x = C.sequence.input_variable(3, name='x') if recurrent else C.input_variable(3, name='x')
    layers = [C.layers.Dense(2, activation=C.tanh, name='first')]
    if recurrent:
        layers.append(C.layers.Recurrence(C.layers.LSTM(2), name='cell'))
    layers.append(C.layers.Dense(4, name='last'))
    z = C.layers.Sequential(layers)(x)
    w = writer(tmp_path, model=z)
    w.close()
    found = nodes(w.path)
    for name, (_, inputs) in found.items():
        for i in inputs:
            assert i in found, (name, i)
    operators = [op for op, _ in found.values()]
    assert operators.count('Parameter') == len(z.parameters) and operators.count('Input') == 1
    assert operators.count('PastValue') == (2 if recurrent else 0)
    assert {'first/W', 'first/b', 'last/W', 'last/b', 'x'} <= set(found)


def test_pictures(tmp_path):
    x = C.input_variable((3, 4, 5))
    w = writer(tmp_path)
    data = np.random.RandomState(0).randint(-20, 280, (2, 3, 4, 5)).astype(np.float32)
    w.write_image('a', {x: data}, 3)
    w.write_image('grey', data[0, :1], 4)
    w.write_image('clear', np.concatenate([data, data[:, :1]], axis=1), 5)
    w.close()
    found = {tag: (step, dict(fields(value[4]))) for tag, step, value in values(w.path)}
    assert set(found) == {'a/image/0', 'a/image/1', 'grey/image/0', 'clear/image/0', 'clear/image/1'}
    for n in range(2):
        step, image = found[f'a/image/{n}']
        assert (step, image[1], image[2], image[3]) == (3, 4, 5, 3)
        pixels = C.io.decode_image(image[4])  # blue first, as it was given
        np.testing.assert_array_equal(pixels.transpose(2, 0, 1), np.clip(data[n], 0, 255))
    np.testing.assert_array_equal(
        C.io.decode_image(found['grey/image/0'][1][4], 1)[:, :, 0], np.clip(data[0, 0], 0, 255)
    )
    assert found['clear/image/0'][1][3] == 4
    with pytest.raises(C.ShapeError, match='is no picture'):
        writer(tmp_path).write_image('b', np.zeros((2, 4, 5)), 0)


def test_distributions_and_texts(tmp_path):
    w = writer(tmp_path)
    numbers = np.random.RandomState(0).randn(1000)
    numbers[:3] = np.nan, np.inf, 0
    w.write_histogram('weights', numbers, 2)
    w.write_histogram('nothing', np.zeros(0), 2)
    w.write_text('notes', '**bold**', 1)
    w.write_value('mine', 3.5, 7)
    w.close()
    found = {tag: (step, value) for tag, step, value in values(w.path)}
    step, value = found['weights']
    parts = dict(fields(value[5]))
    finite = numbers[np.isfinite(numbers)]
    assert step == 2 and parts[3] == 998 and parts[1] == finite.min() and parts[2] == finite.max()
    np.testing.assert_allclose([parts[4], parts[5]], [finite.sum(), (finite**2).sum()])
    limits, sizes = (np.frombuffer(parts[k], '<f8') for k in (6, 7))
    edges = np.concatenate([[-np.inf], limits])
    np.testing.assert_array_equal(
        sizes, [((edges[i] <= finite) & (finite < edges[i + 1])).sum() for i in range(len(limits))]
    )
    assert dict(fields(found['nothing'][1][5]))[3] == 0
    assert b'**bold**' in found['notes'][1][8] and b'text' in found['notes'][1][9]
    assert found['mine'] == (7, {1: b'mine', 2: 3.5})


def test_other_workers_write_nothing(tmp_path):
    w = writer(tmp_path, rank=1)
    w.write_value('a', 1, 1)
    w.flush()
    w.close()
    assert w.path is None and not (tmp_path / 'log').exists()
    assert writer(tmp_path, rank=0).path


def test_files_of_one_second_have_names_of_their_own(tmp_path):
    paths = {writer(tmp_path).path for _ in range(5)}
    assert len(paths) == 5 and all('events.out.tfevents.' in p for p in paths)


def test_what_is_written_can_be_read_before_the_end(tmp_path):
    w = writer(tmp_path)
    w.write_value('a', 1, 1)
    w.flush()
    assert [tag for tag, _, _ in values(w.path)] == ['a']
    del w  # the rest comes with the end
    path = writer(tmp_path)
    path.write_value('b', 1, 1)
    name = path.path
    del path
    assert [tag for tag, _, _ in values(name)] == ['b']


def test_wrong_use(tmp_path):
    w = writer(tmp_path)
    for bad in (
        dict(name=3, value=1, step=1),
        dict(name='a', value='b', step=1),
        dict(name='a', value=1, step=-1),
    ):
        with pytest.raises((ValueError, TypeError)):
            w.write_value(**bad)
    w.close()
    for f in (w.close, w.flush, lambda: w.write_value('a', 1, 1), lambda: w.write_text('a', 'b')):
        with pytest.raises(RuntimeError, match='Attempting to use a closed TensorBoardProgressWriter'):
            f()
    for options in (dict(freq=-1), dict(freq='a'), dict(model=3), dict(rank='a')):
        with pytest.raises((ValueError, TypeError)):
            writer(tmp_path, **options)
    (tmp_path / 'file').write_text('')
    with pytest.raises(RuntimeError, match='events cannot be written'):
        C.logging.TensorBoardProgressWriter(log_dir=str(tmp_path / 'file' / 'inside'))


def test_a_full_disk_is_an_error(tmp_path):
    program = '''
import resource, signal, sys
import cantik as C
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
w = C.logging.TensorBoardProgressWriter(log_dir=sys.argv[1])
w.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    for i in range(1000):
        w.write_value('a', 1, i)
    w.flush()
except RuntimeError as e:
    print('refused' if 'events cannot be written' in str(e) else e)
'''
    done = subprocess.run([sys.executable, '-c', program, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == 'refused\n', done
