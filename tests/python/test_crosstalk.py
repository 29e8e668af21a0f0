"""Values exchanged by name between models: here, with files of CNTK 2.7, and with files that want more than
arrays."""

import os
import pickle
import shutil
import struct
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import cantik as C
import cntk.contrib.crosstalk as cstk
from cantik.contrib.crosstalk import crosstalk_cntk as crct
from cantik.contrib.crosstalk import files

GOLDEN = Path(__file__).resolve().parents[1] / 'golden' / 'crosstalk'
RNN = cstk.RnnAttr(bidirectional=True, op_type='lstm', input_dim=2, hidden_dim=3, forget_bias=0)
CONV = cstk.Conv2DAttr(filter_shape=(2, 3), num_filters=3)


def numbers(shape, first):
    return (first + np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


@pytest.fixture
def talk(tmp_path):
    made = crct.CNTKCrosstalk()
    made.set_workdir(str(tmp_path / 'exchange' / 'of_one_model'))
    return made


def watched(talk, stack=False):
    """The variables that the golden files are of, with other values."""
    x, s = C.input_variable((4, 5)), C.sequence.input_variable(2)
    p = C.parameter((2, 3), init=1)
    talk.watch(p, 'parameter')
    talk.watch({'a': p, 'b': C.parameter((2,), init=0)}, 'dictionary', var_type=crct.DictParameterType)
    convolution = C.layers.Convolution2D((2, 3), 3)(C.reshape(x, (1, 4, 5)))
    talk.watch(convolution, 'convolution', var_type=cstk.Conv2DAttr, attr=CONV)
    talk.watch(convolution, 'convolution_out')
    talk.watch(
        C.parameter((3, 2)),
        'table',
        var_type=cstk.EmbedAttr,
        attr=cstk.EmbedAttr(dict=['c', 'a', 'b'], input_dim=3),
    )
    if stack:
        both = C.optimized_rnnstack(
            s, C.parameter((-1, 3), init=C.glorot_uniform()), 3, 1, bidirectional=True, recurrent_op='lstm'
        )
    else:
        both = C.splice(
            C.layers.Recurrence(C.layers.LSTM(3))(s),
            C.layers.Recurrence(C.layers.LSTM(3), go_backwards=True)(s),
        )
    talk.watch(both, 'recurrence', var_type=cstk.RnnAttr, attr=RNN)
    talk.watch(both, 'recurrence_out')
    talk.set_data({x: numbers((2, 4, 5), 0) / 10, s: [numbers((2, 2), 0) / 10, numbers((3, 2), 5) / 10]})
    return both


# ---- CNTK's files


@pytest.mark.parametrize('stack', [False, True])
def test_values_of_cntk_are_taken(talk, stack):
    for file in GOLDEN.iterdir():
        shutil.copy(file, talk.work_dir)
    both = watched(talk, stack)
    assert not talk.compare('recurrence_out', rtol=1e-4, atol=1e-6)
    talk.load_all_params()
    assert talk.compare('convolution_out', rtol=1e-4, atol=1e-6) and talk.compare(
        'recurrence_out', rtol=1e-4, atol=1e-6
    )
    assert all(
        talk.compare(name) for name in ('parameter', 'dictionary', 'convolution', 'table', 'recurrence')
    )
    np.testing.assert_array_equal(
        talk.vars['table'].var.value, [[4, 5], [0, 1], [2, 3]]
    )  # by words, in this table's order
    if stack:
        np.testing.assert_array_equal(both.parameters[0].value, np.load(GOLDEN / '0_stack_parameter.npy'))


def test_written_files_are_as_those_of_cntk(talk):
    for file in GOLDEN.iterdir():
        shutil.copy(file, talk.work_dir)
    watched(talk)
    talk.load_all_params()
    before = {name: talk.load_raw_value(name) for name in talk.vars}
    talk.next_pass()
    talk.save_all_params()
    assert not (Path(talk.work_dir) / '1_recurrence_out.pkl').exists()
    talk.save_all()
    names = {p.name[2:] for p in Path(talk.work_dir).iterdir() if p.name.startswith('1_')}
    assert names | {'stack_parameter.npy'} == {p.name[2:] for p in GOLDEN.iterdir()}
    for name, value in before.items():
        again = talk.load_raw_value(name)
        assert type(again) is type(value) and talk.compare(name, rtol=1e-4, atol=1e-6)
    # Any NumPy and any CNTK reads them: the names in them are those of both.
    for name in names:
        content = (Path(talk.work_dir) / ('1_' + name)).read_bytes()
        assert b'_core' not in content and b'cantik' not in content


# ---- two models


def test_weights_go_from_one_model_to_another(talk):
    def model():
        x = C.input_variable(3)
        return x, C.layers.Sequential(
            [C.layers.Dense(4, activation=C.tanh, name='inner'), C.layers.Dense(2, name='outer')]
        )(x)

    data = np.eye(3, dtype=np.float32)
    x, first = model()
    for i, p in enumerate(first.parameters):
        talk.watch(p, f'p{i}')
    talk.watch(first, 'out')
    talk.set_data({x: data})
    talk.save_all()
    talk.reset()
    assert talk.vars == {} and talk.data is None and talk.passes == 0
    x, second = model()
    for i, p in enumerate(second.parameters):
        talk.watch(p, f'p{i}')
    talk.watch(second, 'out')
    talk.watch(second.inner.output, 'inner')
    talk.watch(x, 'x')
    talk.set_data({x: data})
    assert not talk.compare('out')
    talk.load_all_params()
    assert (
        talk.compare('out')
        and talk.is_param('p0')
        and not talk.is_param('out')
        and not talk.is_param('inner')
    )
    np.testing.assert_array_equal(talk.fetch('inner'), second.inner.eval({x: data}))
    np.testing.assert_array_equal(talk.fetch('x'), data)


def test_padded_sequences_are_compared(talk):
    x = C.sequence.input_variable(2)
    talk.watch(x + 1, 'z')
    talk.set_data({x: [np.ones((2, 2), np.float32), np.ones((3, 2), np.float32)]})
    padded = np.full((2, 3, 2), 2, np.float32)
    padded[0, 2] = 7
    files.write(talk._get_filename('padded'), padded)
    assert talk.compare('z', 'padded')
    padded[1, 2, 1] = 7
    files.write(talk._get_filename('padded'), padded)
    assert not talk.compare('z', 'padded')
    files.write(talk._get_filename('short'), padded[:, :2])
    assert not talk.compare('z', 'short')


def test_types_of_ones_own(talk):
    box = {'value': np.zeros(2)}
    talk.register_funcs(
        'box',
        setter=lambda var, value, attr: var.update(value=value * attr),
        getter=lambda var, attr: var['value'],
    )
    talk.watch(box, 'mine', var_type='box', attr=3)
    talk.assign('mine', value=np.ones(2))
    np.testing.assert_array_equal(box['value'], [3, 3])
    talk.register_funcs('source', getter=lambda var, attr: np.ones(2))
    talk.watch(box, 'source', var_type='source')
    with pytest.raises(TypeError, match="'source' has no setter"):
        talk.assign('source', value=np.ones(2))
    talk.watch(3, 'unknown')
    with pytest.raises(TypeError, match="'unknown' has no getter"):
        talk.fetch('unknown')


def test_wrong_use(talk):
    p = C.parameter((2,), init=1)
    talk.watch(p, 'p')
    talk.watch(C.layers.Dense(3)(C.input_variable(2)), 'f')
    for error, call in (
        (ValueError, lambda: talk.watch(p, 'p')),
        (KeyError, lambda: talk.fetch('none')),
        (ValueError, lambda: talk.assign('p')),
        (ValueError, lambda: talk.assign('p', value=np.ones(2), load=True)),
        (FileNotFoundError, lambda: talk.load_raw_value('none')),
        (ValueError, lambda: talk.assign('p', value=np.ones(3))),
        (ValueError, lambda: talk.assign('p', value=[1, 2])),
        (FileNotFoundError, lambda: talk.compare('p', 'none')),
        (ValueError, lambda: talk.fetch('f')),
        (ValueError, lambda: crct.CNTKCrosstalk()._get_filename('p')),
        (TypeError, lambda: files.write(talk._get_filename('x'), [os.system])),
        (TypeError, lambda: files.write(talk._get_filename('x'), [np.array([None])])),
    ):
        with pytest.raises(error):
            call()
    for attr in (RNN._replace(bidirectional=False), RNN._replace(op_type='gru')):
        with pytest.raises(NotImplementedError, match='bidirectional=True'):
            crct._recurrence(p, attr)
    with pytest.raises(ValueError, match='does not tell the recurrence'):
        talk.watch(
            C.optimized_rnnstack(
                C.sequence.input_variable(2), C.parameter((-1, 3), init=1), 3, 1, bidirectional=True
            ),
            'stack',
            var_type=cstk.RnnAttr,
            attr=RNN._replace(hidden_dim=4),
        )
        talk.fetch('stack')
    dense = C.layers.Dense(3)(C.input_variable(2))
    assert (
        crct.find_func_param(dense, name='W').shape == (2, 3)
        and crct.find_func_param(dense, shape=(3,)).name == 'b'
    )
    assert crct.find_func_param(dense, name='none', allow_not_found=True) is None
    assert crct.find_func_param(C.layers.Embedding(3)(C.input_variable(2)), name='none').name == 'E'
    with pytest.raises(ValueError, match='has no parameter'):
        crct.find_func_param(dense)


# ---- files that are none


class Runs:
    def __init__(self, what, *arguments):
        self.what, self.arguments = what, arguments

    def __reduce__(self):
        return self.what, self.arguments


HOSTILE = {
    'a call': pickle.dumps(Runs(os.system, 'touch /tmp/never_made_by_a_file'), protocol=2),
    'a call in a list': pickle.dumps([np.ones(2), Runs(eval, '1 + 1')], protocol=4),
    'a class': pickle.dumps(OrderedDict(a=1)),
    'another function of numpy': b'\x80\x03cnumpy\nload\nX\x01\x00\x00\x00x\x85R.',
    'objects': pickle.dumps(np.array([{}, []], dtype=object), protocol=2),
    'an array larger than the file': pickle.dumps(Runs(np.ndarray, (2**40,), '<f4', b'1234')),
    'an array without bytes': pickle.dumps(Runs(np.ndarray, (2**40,))),
    'a memo of 2^32 places': b'\x80\x03]r' + struct.pack('<I', 2**32 - 1) + b'.',
    'an extension': b'\x80\x03\x82\x01.',
    'a persistent name': b'\x80\x03Pname\n.',
    'text': b'hello',
    'nothing': b'',
    'cut off': (GOLDEN / '0_recurrence.pkl').read_bytes()[:400],
    'NULs': bytes(1000),
}


@pytest.mark.parametrize('kind', HOSTILE)
def test_a_file_runs_no_code(talk, kind):
    (Path(talk.work_dir) / '0_bad.pkl').write_bytes(HOSTILE[kind])
    with pytest.raises(ValueError, match='0_bad.pkl is not a file of arrays'):
        talk.load_raw_value('bad')
    assert not os.path.exists('/tmp/never_made_by_a_file')


def test_bytes_changed_one_by_one(talk):
    content, random = (GOLDEN / '0_dictionary.pkl').read_bytes(), np.random.RandomState(0)
    refused = 0
    for i in range(len(content)):
        changed = bytearray(content)
        changed[i] = random.randint(256)
        (Path(talk.work_dir) / '0_bad.pkl').write_bytes(bytes(changed))
        try:
            value = talk.load_raw_value('bad')
        except ValueError:
            refused += 1
        else:
            assert value is None or isinstance(value, (np.ndarray, dict, list, tuple, int, float, str, bytes))
    assert refused > 50


@pytest.mark.parametrize('protocol', [2, 3, 4])
def test_pickles_of_other_programs(talk, protocol):
    value = {
        'a': np.arange(6, dtype=np.int64).reshape(2, 3).T,
        'b': [np.float64(2.5), 'text', None, True],
        'c': (np.ones(2, '>f4'), 10**20),
    }
    (Path(talk.work_dir) / '0_other.pkl').write_bytes(
        pickle.dumps({**value, 'b': [2.5, 'text', None, True]}, protocol=protocol)
    )
    files.write(talk._get_filename('mine'), value)
    for name in ('other', 'mine'):
        found = talk.load_raw_value(name)
        np.testing.assert_array_equal(found['a'], value['a'])
        np.testing.assert_array_equal(found['c'][0], [1, 1])
        assert found['b'][1:] == ['text', None, True] and found['b'][0] == 2.5 and found['c'][1] == 10**20
