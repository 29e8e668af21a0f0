"""Files in CNTK's binary format: agreement with CNTK 2.7, conversion, what CNTK refuses."""

import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


def cases():
    spec = importlib.util.spec_from_file_location('cbf_cntk', GOLDEN / 'cbf_cntk.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steps_of(data):
    counts = {}
    for part in (s.argmax(axis=1) for s in data.as_sequences()):
        for i, step in enumerate(part):
            counts[int(step)] = counts.get(int(step), 0) + len(part) - i
    return sorted([step, count] for step, count in counts.items())


@pytest.fixture(scope='module')
def both(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of sequences that another file lacks
        ours = cases().run(C, str(tmp_path_factory.mktemp('cbf')), steps_of)
    return json.loads(json.dumps(ours)), json.loads((GOLDEN / 'cbf_cntk.json').read_text())


# What CNTK refuses.
MORE = {'doubles'}


def test_reads_what_cntk_reads(both):
    ours, theirs = both[0]['files'], both[1]['files']
    assert set(ours) == set(theirs) and len(ours) > 20
    assert {name for name in ours if ours[name] != theirs[name]} == MORE
    assert {name for name in theirs if theirs[name] == 'error'} - MORE == {
        'no frames',
        'no samples',
        'no stream',
    }


@pytest.mark.parametrize('kind', ['shares', 'joined', 'truncated'])
def test_minibatches_are_cntks(both, kind):
    ours, theirs = both[0][kind], both[1][kind]
    assert len(ours) == len(theirs) and 'error' not in theirs
    for i, (a, b) in enumerate(zip(ours, theirs)):
        assert a == b, i


def test_doubles_stay_doubles(tmp_path):
    path = str(tmp_path / 'd.cbf')
    cases().write(path, [('x', False, True, 2)], [[[[[0.1, 2**53 + 2]]]]])
    batch = C.io.MinibatchSource(C.io.CBFDeserializer(path)).next_minibatch(1)
    (data,) = batch.values()
    assert data.as_sequences()[0].tolist() == [[0.1, 2**53 + 2]]


def chunks_of(path, chunks):
    cases().write(path, cases().XY, chunks)
    source = C.io.MinibatchSource(C.io.CBFDeserializer(path), max_sweeps=1)
    batches = iter(lambda: source.next_minibatch(3), {})
    return [int(s[0][0]) for b in batches for s in b[source.streams.x].as_sequences()]


def test_empty_chunks_do_no_harm(tmp_path):
    full = cases().in_chunks([1, 2, 1, 1, 3], 2)
    found = chunks_of(str(tmp_path / 'e.cbf'), [[], full[0], [], full[1], full[2], []])
    assert sorted(found) == [0, 1, 2, 3, 4]


def test_joins_as_the_second_too(tmp_path):
    path, text = str(tmp_path / 'a.cbf'), tmp_path / 'z.ctf'
    cases().write(path, cases().XY, cases().in_chunks([1, 2, 1, 3], 2))
    text.write_text('2 |z 2\n0 |z 0\n9 |z 9\n')
    z = C.io.CTFDeserializer(str(text), C.io.StreamDefs(z=C.io.StreamDef('z', 1)))
    with pytest.warns(RuntimeWarning, match='1 sequences of .* are left out'):
        source = C.io.MinibatchSource([z, C.io.CBFDeserializer(path)], randomize=False, max_sweeps=1)
    batch = source.next_minibatch(10)
    assert [s[0].tolist() for s in batch[source.streams.x].as_sequences()] == [[2, 0], [0, 0]]


def test_a_size_is_not_defined_by_a_stream(tmp_path):
    with pytest.warns(RuntimeWarning, match='defines_mb_size of x is not used'):
        C.io.CBFDeserializer('a.cbf', C.io.StreamDefs(x=C.io.StreamDef('x', 2, defines_mb_size=True)))


def test_descriptions_have_cntks_keys():
    d = C.io.CBFDeserializer('a.cbf', C.io.StreamDefs(x=C.io.StreamDef('zz', 2, is_sparse=True)))
    assert d['input'] == {'x': {'alias': 'zz'}} and d['type'] == 'CNTKBinaryFormatDeserializer'


class Steps(C.io.UserDeserializer):
    """Sequences of several shapes and kinds of numbers."""

    def __init__(self, dtype=np.float32):
        super().__init__()
        self.dtype = dtype

    def stream_infos(self):
        return [
            C.io.StreamInformation('image', 0, 'dense', self.dtype, (2, 3)),
            C.io.StreamInformation('words', 1, 'sparse', np.float32, (4,)),
        ]

    def num_chunks(self):
        return 3

    def get_chunk(self, chunk_id):
        import scipy.sparse

        rs = np.random.RandomState(chunk_id)
        lengths = [1 + n % 3 for n in range(5)]
        return {
            'image': [rs.rand(n, 2, 3).astype(self.dtype) for n in lengths],
            'words': [scipy.sparse.csr_matrix((rs.rand(n, 4) > 0.5).astype(np.float32)) for n in lengths],
        }


def everything(deserializer):
    source = C.io.MinibatchSource(deserializer, randomize=False, max_sweeps=1)
    image, words = source.streams.image, source.streams.words
    found = []
    for batch in iter(lambda: source.next_minibatch(4), {}):
        found += [s.reshape(len(s), -1).tolist() for s in batch[image].as_sequences()]
        variable = C.sequence.input_variable(4, is_sparse=True)
        found += [s.toarray().tolist() for s in batch[words].as_sequences(variable)]
    return found


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_data_of_a_program_become_files(tmp_path, dtype):
    path, text = str(tmp_path / 'a.cbf'), str(tmp_path / 'a.ctf')
    C.io.write_cbf(path, Steps(dtype), chunk_size_in_bytes=200)
    assert everything(C.io.CBFDeserializer(path)) == everything(Steps(dtype))
    C.io.write_ctf(text, [C.io.CBFDeserializer(path)])
    if dtype == np.float32:
        defs = dict(image=C.io.StreamDef('image', 6), words=C.io.StreamDef('words', 4, is_sparse=True))
        assert everything(C.io.CTFDeserializer(text, C.io.StreamDefs(**defs))) == everything(Steps(dtype))


def test_element_types_of_files(tmp_path):
    with pytest.raises(TypeError) as e:
        C.io.write_cbf(str(tmp_path / 'a.cbf'), Steps(np.float16))
    assert "elements of float16, and a file in CNTK's binary format has float32 or float64" in str(e.value)
    with pytest.raises(TypeError):
        C.io.write_cbf(str(tmp_path / 'a.cbf'), [])
    assert not (tmp_path / 'a.cbf').exists()
