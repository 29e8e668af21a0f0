"""Files of optimizers' states: data, whatever they say; MXNet's and ours are one format."""

import os
import pickle
import pickletools
import random
import struct
from pathlib import Path

import numpy as np
import pytest

import cantik.mxnet as mx
from cantik.mxnet.optimizer_states import read_states, write_states
from mxnet_states import OPTIMIZERS, leaves

KEPT = np.load(Path(__file__).resolve().parents[1] / 'golden' / 'mxnet_states.npz')
LABELS = ['{} {}'.format(name, ' '.join(sorted(more))) for name, more in OPTIMIZERS]


def kept_file(name):
    return KEPT[name].tobytes()


def check_numbers(states, label):
    for index, state in states.items():
        for i, array in enumerate(leaves(state)):
            wanted = KEPT[f'{label}/{index}/{i}']
            assert array.dtype == wanted.dtype
            np.testing.assert_array_equal(array, wanted)
    assert sum(len(leaves(s)) for s in states.values()) == sum(k.startswith(label + '/') for k in KEPT) - 1


def test_a_file_runs_no_code(tmp_path):
    """The program of the report: states that would run code are refused, and it does not run."""

    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / 'was here'),)

    data = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=2), name='softmax')
    module = mx.mod.Module(data)
    module.bind([('data', (2, 3))], [('softmax_label', (2,))])
    module.init_params()
    module.init_optimizer(optimizer='adam')
    path = str(tmp_path / 'evil.states')
    for protocol in range(6):
        for states in (Evil(), {0: Evil()}, {0: (Evil(), None)}, {0: [Evil]}):
            with open(path, 'wb') as f:
                f.write(pickle.dumps(states, protocol)) if states != {0: [Evil]} else f.write(
                    pickle.dumps({0: [os.system]}, protocol)
                )
            with pytest.raises(mx.MXNetError, match='this is no file of optimizer states'):
                module.load_optimizer_states(path)
            assert not (tmp_path / 'was here').exists()
    with pytest.raises(
        mx.MXNetError, match=r'names (posix|os|nt)\.system, and holds more than arrays and numbers'
    ):
        read_states(pickle.dumps({0: os.system}, 4))


@pytest.mark.parametrize('label', LABELS)
def test_files_of_mxnet(label):
    states = read_states(kept_file(label + '/file'))
    assert sorted(states) == [0, 1]
    check_numbers(states, label)


@pytest.mark.parametrize('protocol', [2, 3, 5])
def test_files_of_other_pickles(protocol):
    check_numbers(read_states(kept_file(f'adam in protocol {protocol}')), 'adam ')


def test_a_file_with_an_optimizer_is_refused_by_name():
    with pytest.raises(mx.MXNetError, match=r'names mxnet\.optimizer\.optimizer\.Adam'):
        read_states(kept_file('with the optimizer'))
    with pytest.raises(mx.MXNetError, match='the program makes its optimizer, files keep numbers'):
        mx.optimizer.get_updater(mx.optimizer.create('adam')).get_states(dump_optimizer=True)


def test_our_files_are_mxnets():
    """The format is that of MXNet's own pickles: an ordinary reader of pickles finds its class and its bytes
    in them."""
    a = mx.nd.array([[1, 2.5]])
    states = {
        0: (a, None),
        1: mx.nd.array([3], dtype='float16'),
        'name': [1, -1, 300, -70000, 2**40, -(2**40), 0.5, True, False, None, 'text', ()],
        2: ((a, a), a),
    }
    content = write_states(states)
    found = read_states(content)
    assert (
        list(found) == [0, 1, 'name', 2]
        and found['name'] == states['name']
        and found[0][1] is None
        and found[1].dtype == np.float16
    )
    assert found[2][0][0].asnumpy().tolist() == [[1, 2.5]]
    seen = []

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            seen.append((module, name))
            return {
                ('mxnet.ndarray.ndarray', 'NDArray'): lambda handle: Content(),
                ('builtins', 'bytearray'): bytearray,
            }[module, name]

    class Content:
        def __setstate__(self, state):
            self.handle = state['handle']

    import io

    plain = Reader(io.BytesIO(content)).load()
    assert set(seen) == {('mxnet.ndarray.ndarray', 'NDArray'), ('builtins', 'bytearray')}
    assert bytes(plain[0][0].handle) == struct.pack('<IiI2qiii2f', 0xF993FAC9, 0, 2, 1, 2, 1, 0, 0, 1, 2.5)
    with pytest.raises(TypeError, match="the optimizer state of 0 holds set"):
        write_states({0: {1, 2}})


def test_an_updater_goes_on(tmp_path):
    for name, more in OPTIMIZERS:
        first, second = (
            mx.optimizer.get_updater(mx.optimizer.create(name, learning_rate=0.1, **more)) for _ in range(2)
        )
        w = mx.nd.array([1.0, 2.0])
        first(0, mx.nd.array([0.5, 1.0]), w)
        second.set_states(first.get_states())
        assert list(second.states) == [0]
        for a, b in zip(leaves(first.states[0]), leaves(second.states[0])):
            np.testing.assert_array_equal(a, b)


def programs():
    """Files that are no files of states, each with a reason."""
    array = kept_file('adam /file')
    yield b'', 'exhausted before seeing STOP'
    yield b'.', 'lacks its operand'
    yield b'N.', 'got NoneType for dict'
    yield b'\x80\x04]q\x00(h\x00e.', 'got list for dict'
    yield b'}(K\x00K\x01K\x02u.', 'a key without a value'
    yield b'}NK\x01s.', 'a key is NoneType'
    yield b'}K\x00h\x07s.', 'asks for an object'
    yield b'}(K\x00K\x01t.', 'got tuple for dict'
    yield b'u.', 'lacks its mark'
    yield b'}K\x00cos\nsystem\n.', r'names os\.system'
    yield b'}K\x00cbuiltins\neval\n(Vprint(1)\ntRs.', r'names builtins\.eval'
    yield b'}K\x00c__builtin__\ngetattr\ns.', r'names __builtin__\.getattr'
    yield b'}K\x00cmxnet.ndarray.ndarray\nNDArray\ns.', 'a state is mxnet.ndarray.ndarray.NDArray'
    yield b'}K\x00cmxnet.ndarray.ndarray\nNDArray\nN\x85Rs.', 'an array without numbers'
    yield b'}K\x00cmxnet.ndarray.ndarray\nNDArray\nK\x01\x85Rs.', 'other arguments'
    yield b'}K\x00cmxnet.ndarray.ndarray\nNDArray\nN\x85R}bs.', 'the content of an array'
    yield b'}K\x00(cmxnet.ndarray.ndarray\nNDArray\nosR.', 'the instruction OBJ'
    yield b'(imxnet.ndarray.ndarray\nNDArray\n.', 'the instruction INST'
    yield b'\x80\x02}K\x00Ppersistent\ns.', 'the instruction PERSID'
    yield b'}K\x00\x82\x01s.', 'the instruction EXT1'
    yield b'}K\x00' + b'\x85' * 0 + b'N' + b'\x85' * 20 + b's.', 'deeper than 8 levels'
    yield b'}K\x00]q\x01h\x01as.', 'deeper than 8 levels'
    yield b'}K\x00B\xff\xff\xff\xff', 'expected'
    yield b'}K\x00\x8e' + b'\xff' * 8, 'byte count > sys.maxsize'
    yield b'}K\x00\x8bF\x00\x00\x00' + b'\x01' * 70 + b'K\x01s.', 'the instruction LONG4'
    yield b'}I' + b'9' * 10000 + b'\nNs.', 'this is no file'
    yield array[:-1], 'exhausted before seeing STOP'
    yield array.replace(b'handle', b'handel'), 'the content of an array'
    yield array.replace(b'\xc9\xfa\x93\xf9', b'\xc9\xfa\x93\xf8', 1), 'Invalid NDArray file format'


@pytest.mark.parametrize(
    'content, why', list(programs()), ids=lambda x: None if isinstance(x, bytes) else x[:30] or 'refused'
)
def test_wrong_files(content, why):
    with pytest.raises(mx.MXNetError, match=why):
        read_states(content)


def test_sharing_costs_nothing():
    """An object that a file names again and again is read once: 7 levels of 200 references each."""
    content = b'N'
    for level in range(7):
        content = b'(' + content + b'\x94' + 199 * (b'h' + bytes([level])) + b't'
    found = read_states(b'}K\x00' + content + b's.')
    assert len(found[0]) == 200 and found[0][0] is found[0][199]


def test_any_bytes():
    """Flipped, cut, doubled and mixed files of ours and of MXNet's: an error or states of numbers, in little
    time, and nothing is called."""
    numbers = random.Random(7)
    files = [
        kept_file(name)
        for name in KEPT
        if name.endswith('/file') or 'protocol' in name or 'optimizer' in name
    ]
    codes = [op.code.encode('latin-1') for op in pickletools.opcodes]

    def check(value, depth=0):
        assert depth <= 9
        if isinstance(value, (tuple, list)):
            for v in value:
                check(v, depth + 1)
        else:
            assert value is None or type(value) in (int, float, bool, str) or isinstance(value, mx.nd.NDArray)

    before = set(os.environ)
    read = 0
    for _ in range(4000):
        content = bytearray(numbers.choice(files))
        for _ in range(numbers.randint(1, 4)):
            at = numbers.randrange(len(content))
            how = numbers.randrange(5)
            if how == 0:
                content[at] = numbers.randrange(256)
            elif how == 1:
                del content[at : at + numbers.randint(1, 8)]
            elif how == 2:
                content[at:at] = numbers.choice(codes)
            elif how == 3:
                other = numbers.choice(files)
                content[at:at] = other[numbers.randrange(len(other)) :][:40]
            else:
                content[at] ^= 1 << numbers.randrange(8)
            if not content:
                content = bytearray(b'.')
        try:
            states = read_states(content)
        except mx.MXNetError:
            continue
        read += 1
        for key, value in states.items():
            assert type(key) in (int, str)
            check(value)
    assert set(os.environ) == before and read > 100  # some changes leave a file of numbers
