"""Files in CNTK's text format: agreement with CNTK 2.7, errors that say where, hostile files, sources in
trainings."""

import importlib.util
import json
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import cantik as C

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


def cases():
    spec = importlib.util.spec_from_file_location('ctf_cntk', GOLDEN / 'ctf_cntk.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def steps_of(data):
    parts = [s.argmax(axis=1) for s in data.as_sequences()]
    return sorted([int(step), len(part) - i] for part in parts for i, step in enumerate(part))


@pytest.fixture(scope='module')
def both(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return cases().run(C, str(tmp_path_factory.mktemp('ctf')), steps_of), json.loads(
            (GOLDEN / 'ctf_cntk.json').read_text()
        )


# Numbers that CNTK refuses.
MORE = {'number 1.e2 3'}


@pytest.mark.parametrize('kind', ['texts', 'orders'])
def test_reads_what_cntk_reads(both, kind):
    ours, theirs = both[0][kind], both[1][kind]
    assert set(ours) == set(theirs) and len(ours) > 40
    assert {name for name in ours if json.loads(json.dumps(ours[name])) != theirs[name]} - MORE == set()
    assert sum(v == 'error' for v in theirs.values()) >= 5


@pytest.mark.parametrize('kind', ['positions', 'shares', 'joined', 'truncated'])
def test_minibatches_are_cntks(both, kind):
    ours, theirs = both[0][kind], both[1][kind]
    assert len(ours) == len(theirs)
    for i, (a, b) in enumerate(zip(ours, theirs)):
        assert json.loads(json.dumps(a)) == b, i


def test_atis_comes_as_cntk_brings_it(tmp_path):
    ours, theirs = cases().atis(C, str(tmp_path)), json.loads((GOLDEN / 'ctf_atis.json').read_text())
    assert ours == theirs
    assert [sum(row[i] for row in ours['file']) for i in (0, 1)] == [4978, 66547]
    assert [sum(row[i] for row in ours['random']) for i in (0, 1)] == [2 * 4978, 2 * 66547]


def source(tmp_path, text, streams=None, **arguments):
    path = tmp_path / 'data.ctf'
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    streams = streams or dict(a=C.io.StreamDef('a', 2))
    return C.io.MinibatchSource(C.io.CTFDeserializer(str(path), C.io.StreamDefs(**streams)), **arguments)


def test_an_error_says_where_and_what_to_do(tmp_path):
    s = source(tmp_path, '0 |a 1 2\n0 |a 1 2\n7 |a 1 2 3\n')
    with pytest.raises(RuntimeError) as e:
        s.next_minibatch(10)
    assert str(e.value).splitlines() == [
        f'{tmp_path}/data.ctf is not in CNTK\'s text format: the sample has 3 numbers, but the stream\'s '
        'shape is '
        '2',
        f'  file     {tmp_path}/data.ctf, line 3, column 5',
        '  stream   a, written |a',
        '  sequence 7',
        '  remedy   correct the sample, or give the stream its shape',
    ]


def test_warnings(tmp_path):
    s = source(tmp_path, '|a 1 2\n|a 3\n|a\n')
    with pytest.warns(RuntimeWarning, match='line 2, column 3, stream a: the sample has 1 number') as told:
        s.next_minibatch(10)
    assert len(told) == 1
    with pytest.warns(RuntimeWarning) as told:
        s = source(tmp_path, '0 |a 1 2\n0 |a x\n0 |a 5 6\n', max_errors=3, max_sweeps=1)
        assert s.next_minibatch(10)[s.streams.a].as_sequences()[0].tolist() == [[1, 2], [5, 6]]
    assert [str(w.message) for w in told] == [
        f"{tmp_path}/data.ctf, line 2, column 6: 'x' in a number; it is left out (1 of at most 3)"
    ]
    s = source(tmp_path, '|a x\n|a y\n|a 1 2\n|a 1 2 3\n' * 9, max_errors=3)
    with pytest.raises(RuntimeError, match='no sample of a stream'):
        s.next_minibatch(10)
    s = source(tmp_path, '0 |a 1 2\n' + '0 |a x\n' * 4, max_errors=3)
    with pytest.raises(RuntimeError, match='3 errors before this one have been passed over\n  file .*line 5'):
        s.next_minibatch(10)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        source(tmp_path, '|a 1\n', trace_level=0).next_minibatch(1)


@pytest.mark.parametrize(
    'make, error, text',
    [
        (
            lambda t: source(t, '|a 1\n', dict(a=C.io.StreamDef('a', 1), b=C.io.StreamDef('a', 1))),
            RuntimeError,
            'Alias a is already mapped to input a',
        ),
        (
            lambda t: source(
                t,
                '|a 1\n',
                dict(
                    a=C.io.StreamDef('a', 1, defines_mb_size=True),
                    b=C.io.StreamDef('b', 1, defines_mb_size=True),
                ),
            ),
            RuntimeError,
            'but 2 found: a, b',
        ),
        (
            lambda t: source(t, '|a 1\n', dict(a=C.io.StreamDef('a', 3000000000, is_sparse=True))),
            RuntimeError,
            'maximum allowed value',
        ),
        (
            lambda t: source(t, '|a 1\n', dict(a=C.io.StreamDef('a', (2, 3)))),
            TypeError,
            'a number in a text file',
        ),
        (lambda t: source(t, '|a 1\n', dict(a=C.io.StreamDef('a'))), ValueError, 'shape of the stream a'),
        (
            lambda t: source(t, '|a 1\n', dict(a=C.io.StreamDef(shape=1))),
            ValueError,
            'stream name for key a must be specified',
        ),
        (
            lambda t: source(t, '|a 1\n', dict(a=C.io.StreamDef('#', 1))),
            ValueError,
            'which a text file cannot hold',
        ),
        (
            lambda t: C.io.MinibatchSource(
                C.io.CTFDeserializer(str(t / 'none'), C.io.StreamDefs(a=C.io.StreamDef('a', 1)))
            ),
            RuntimeError,
            'No such file',
        ),
        (
            lambda t: C.io.MinibatchSource(
                C.io.CTFDeserializer(str(t), C.io.StreamDefs(a=C.io.StreamDef('a', 1)))
            ),
            RuntimeError,
            'not a regular file',
        ),
        (lambda t: C.io.MinibatchSource([]), ValueError, 'Could not find deserializers'),
        (lambda t: source(t, '|a 1 2\n')['b'], RuntimeError, 'No stream found'),
        (lambda t: source(t, '|a 1 2\n').restore_from_checkpoint({}), ValueError, 'minibatchSourcePosition'),
        (
            lambda t: source(t, '|a 1 2\n').next_minibatch(1, num_data_partitions=2, partition_index=2),
            ValueError,
            'partition must be from 0 to partitions - 1 = 1, and is 2',
        ),
        (
            lambda t: source(t, '|a 1 2\n', max_samples=1).restore_from_checkpoint(
                {'minibatchSourcePosition': 2**64 - 1}
            ),
            ValueError,
            'does not fit',
        ),
        (
            lambda t: source(t, '|a 1 2\n', truncation_length=1).restore_from_checkpoint(
                {
                    'minibatchSourcePosition': 0,
                    'truncatedSequences': [[dict(sequence=1, done=0, lastPart=0, sweepEnd=True)]],
                }
            ),
            RuntimeError,
            'stopped in sequence 1, but the data have 1',
        ),
        (
            lambda t: source(t, '|a 1 2\n', truncation_length=1).restore_from_checkpoint(
                {
                    'minibatchSourcePosition': 0,
                    'truncatedSequences': [[dict(sequence=0, done=1, lastPart=0, sweepEnd=True)]],
                }
            ),
            RuntimeError,
            'step 1 of a sequence that has 1',
        ),
    ],
)
def test_wrong_use(tmp_path, make, error, text):
    with pytest.raises(error, match=text):
        make(tmp_path)


GOOD = b'0 |a 1.5 -2e1 |s 3:1 1:2|# note\n0 |a 3 4 |s\n12 |a 5 6 |s 4:0.5\r\n13\t|s 0:1 |a 7 8'
STREAMS = dict(a=C.io.StreamDef('a', 2), s=C.io.StreamDef('s', 5, is_sparse=True))


def read(tmp_path, text, **arguments):
    s = source(tmp_path, text, STREAMS, max_sweeps=1, trace_level=0, **arguments)
    rows = 0
    for _ in range(1000):
        batch = s.next_minibatch(2)
        if not batch:
            return rows
        for info, data in batch.items():
            values = data.as_sequences(
                C.sequence.input_variable(info.sample_shape[0], is_sparse=data.is_sparse)
            )
            assert len(values) == data.num_sequences and sum(v.shape[0] for v in values) == data.num_samples
            assert all(v.shape[1] == info.sample_shape[0] for v in values)
        rows += batch[s.streams.a].num_samples
    raise AssertionError('no end')


def test_every_prefix_and_many_changes_are_read_or_refused(tmp_path):
    assert read(tmp_path, GOOD) == 4
    good = bad = 0
    rng = random.Random(1)
    texts = [GOOD[:n] for n in range(len(GOOD))] + [GOOD[n:] for n in range(len(GOOD))]
    for _ in range(1500):
        text = bytearray(GOOD)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            what = rng.choice(
                [
                    b'|',
                    b'\n',
                    b' ',
                    b':',
                    b'\0',
                    b'9' * 30,
                    b'e',
                    b'-',
                    b'.',
                    b'#',
                    bytes([rng.randrange(256)]),
                    GOOD[at : at + 9],
                ]
            )
            text[at : at + rng.randint(0, 2)] = what
        texts.append(bytes(text))
    for text in texts:
        try:
            read(
                tmp_path,
                text,
                max_errors=rng.choice([0, 0, 3, 1000]),
                truncation_length=rng.choice([0, 0, 0, 1]),
            )
            good += 1
        except RuntimeError as e:
            assert 'data.ctf' in str(e), text
            bad += 1
    assert good > 300 and bad > 300


def test_a_file_that_changes_after_it_was_opened(tmp_path):
    lines = b''.join(b'%d |a 1 2\n' % i for i in range(1000))
    s = source(tmp_path, lines)
    (tmp_path / 'data.ctf').write_bytes(lines[:100])
    with pytest.raises(RuntimeError, match='shorter'):
        s.next_minibatch(10)
    s = source(tmp_path, lines)
    with open(str(tmp_path / 'data.ctf'), 'r+b') as f:
        f.write(b'x' * len(lines))
    with pytest.raises(RuntimeError, match='it has changed since it was opened'):
        s.next_minibatch(10)
    s = source(tmp_path, lines)
    with open(str(tmp_path / 'data.ctf'), 'ab') as f:
        f.write(b'1000 |a 1 2\n')
    with pytest.raises(RuntimeError, match='it has changed since it was opened'):
        s.next_minibatch(10)
    s = source(tmp_path, lines)
    (tmp_path / 'data.ctf').unlink()
    assert len(s.next_minibatch(10)[s.streams.a].as_sequences()) == 10  # it is there as long as it is open


@pytest.mark.parametrize(
    'arguments',
    [{}, dict(randomize=False), dict(truncation_length=2, randomize=False), dict(truncation_length=3)],
)
def test_a_restored_source_goes_on_the_same(tmp_path, arguments):
    text = ''.join(f'{i} |a {i} {t}\n' for i in range(30) for t in range(1 + i * 7 % 5))

    def values(batch, s):
        data = batch[s.streams.a]
        return [x.tolist() for x in data.as_sequences()], data.end_of_sweep

    (tmp_path / 'other').mkdir()
    s, other = source(tmp_path, text, **arguments), source(tmp_path / 'other', text, **arguments)
    for _ in range(25):
        state = s.get_checkpoint_state()
        other.restore_from_checkpoint(state)
        expected = values(s.next_minibatch(7), s)
        assert values(other.next_minibatch(7), other) == expected
        assert other.current_position == s.current_position


def test_rows_lie_where_they_were_read(tmp_path):
    s = source(tmp_path, ''.join(f'{i // 3} |a {i} 0\n' for i in range(12)), randomize=False)
    first, second = (s.next_minibatch(6)[s.streams.a].data.data for _ in range(2))
    addresses = [x.asarray().__array_interface__['data'][0] for x in (first, second)]
    assert s.next_minibatch(6)[s.streams.a].data.data.asarray().tolist() == first.asarray().tolist()
    assert first.is_read_only and len(set(addresses)) == 2


def test_training_loops_take_a_source(tmp_path):
    rng = np.random.RandomState(0)
    x = rng.randint(-8, 9, (64, 3)).astype(np.float32) / 4
    y = (x @ np.array([[1], [-2], [0.5]], np.float32)).astype(np.float32)
    text = ''.join('|x {:g} {:g} {:g} |y {:g}\n'.format(*a, *b) for a, b in zip(x, y))
    streams = dict(x=C.io.StreamDef('x', 3), y=C.io.StreamDef('y', 1))

    def criterion():
        C.cntk_py.reset_random_seed(0)
        a, b = C.input_variable(3), C.input_variable(1)
        z = C.layers.Dense(1)(a)
        return C.squared_error(z, b), a, b, z

    loss, _a, _b, z = criterion()
    result = loss.train(
        (x, y), minibatch_size=16, max_epochs=5, parameter_learners=[C.sgd(z.parameters, 0.05)]
    )
    loss2, _a2, _b2, z2 = criterion()
    s = source(tmp_path, text, streams, randomize=False, max_sweeps=5)
    result2 = loss2.train(
        s,
        minibatch_size=16,
        epoch_size=64,
        max_epochs=5,
        streams=s.streams.values(),
        parameter_learners=[C.sgd(z2.parameters, 0.05)],
    )
    for p, q in zip(z.parameters, z2.parameters):
        assert np.array_equal(p.value, q.value)
    assert [e.loss for e in result.epoch_summaries] == [e.loss for e in result2.epoch_summaries] and len(
        result2.epoch_summaries
    ) == 5

    loss3, a3, b3, z3 = criterion()
    s = source(tmp_path, text, streams, randomize=False, max_sweeps=5)
    trainer = C.Trainer(z3, loss3, [C.sgd(z3.parameters, 0.05)])
    while True:
        batch = s.next_minibatch(16, input_map={a3: s.streams.x, b3: s.streams.y})
        if not batch:
            break
        trainer.train_minibatch(batch)
    for p, q in zip(z.parameters, z3.parameters):
        assert np.array_equal(p.value, q.value)


def test_a_test_takes_a_source(tmp_path):
    text = ''.join(f'|a {i} {i + 1} |b {i % 3}\n' for i in range(10))
    streams = dict(a=C.io.StreamDef('a', 2), b=C.io.StreamDef('b', 1))
    x, y = C.input_variable(2), C.input_variable(1)
    loss = C.squared_error(C.reduce_sum(x), y)
    expected = np.mean([(2 * i + 1 - i % 3) ** 2 for i in range(10)])
    for arguments, metric, samples in (
        (dict(max_sweeps=1), expected, 10),
        (
            dict(max_samples=15),
            (10 * expected + np.sum([(2 * i + 1 - i % 3) ** 2 for i in range(5)])) / 15,
            15,
        ),
    ):
        s = source(tmp_path, text, streams, randomize=False, **arguments)
        result = loss.test(s, minibatch_size=4, streams=(s.streams.a, s.streams.b))
        assert result.samples == samples and result.metric == pytest.approx(metric, rel=1e-6)
    s = source(tmp_path, text, streams)
    with pytest.raises(ValueError, match='must have a limited number of samples or sweeps'):
        loss.test(s, minibatch_size=4, model_inputs_to_streams={x: s.streams.a, y: s.streams.b})


def test_sequences_reach_a_network(tmp_path):
    s = source(tmp_path, '0 |a 1 2\n0 |a 3 4\n1 |a 5 6\n', randomize=False)
    x = C.sequence.input_variable(2)
    batch = s.next_minibatch(3, input_map={x: s.streams.a})
    value = C.core.Value.create(x, batch[x].as_sequences())
    assert [v.tolist() for v in value.as_sequences()] == [[[1, 2], [3, 4]], [[5, 6]]]
    assert batch[x].shape == (2, 2, 2) and batch[x].mask.tolist() == [[2, 1], [2, 0]]


def test_a_class_of_the_users_is_asked(tmp_path):
    class Doubled(C.io.MinibatchSource):
        def next_minibatch(self, size, *args, **kwargs):
            return super().next_minibatch(2 * size)

    a = C.input_variable(2)
    z = C.layers.Dense(1)(a)
    (tmp_path / 'd.ctf').write_text('|a 1 2\n' * 8)
    s = Doubled(
        C.io.CTFDeserializer(str(tmp_path / 'd.ctf'), C.io.StreamDefs(a=C.io.StreamDef('a', 2))), max_sweeps=1
    )
    trainer = C.Trainer(z, C.reduce_sum(z), [C.sgd(z.parameters, 0.0001)])
    C.training_session(
        trainer=trainer, mb_source=s, mb_size=2, model_inputs_to_streams={a: s.streams.a}
    ).train()
    assert s.get_checkpoint_state() == {'minibatchSourcePosition': 8}
    assert trainer.total_number_of_samples_seen == 8


def test_a_path_of_no_letters():
    streams = C.io.StreamDefs(x=C.io.StreamDef(field='x', shape=1))
    pictures = C.io.StreamDefs(x=C.io.StreamDef(field='image', transforms=[]))
    for data in (
        C.io.CTFDeserializer('', streams),
        C.io.CTFDeserializer('', streams={}),
        C.io.CBFDeserializer('', streams),
        C.io.ImageDeserializer('', pictures),
        C.io.Base64ImageDeserializer('', pictures),
    ):
        with pytest.raises(ValueError, match="ParseValue: No value given for 'file'"):
            C.io.MinibatchSource(data)


def test_written_lines():
    write = C.io.sequence_to_cntk_text_format
    assert write(3, {'W': [{4: 1.0}, {7: 2.0}]}) == '3\t|W 4:1.0\n3\t|W 7:2.0'
    assert write(3, {'W': [{}, {7: 2, 3: 1e-9, np.int64(1): np.float32(0.1)}]}) == (
        '3\t|W \n3\t|W 1:0.1 3:1e-09 7:2'
    )
    assert write(0, {'b': [{4: 0.123456789}], 'a': np.array([[1, 2], [3, 4]])}) == (
        '0\t|a 1 2 |b 4:0.123456789\n0\t|a 3 4'
    )
    assert write(0, {'a': np.array([[1e10, 0.123456789]])}) == '0\t|a 10000000000.0 0.123456789'
    assert write(0, {'a': [[1, 2.5], [3, 0.1]]}) == '0\t|a 1.0 2.5\n0\t|a 3.0 0.1'
    assert write(0, {'a': np.array([True, False])}) == '0\t|a 1\n0\t|a 0'
    rows = scipy.sparse.csr_matrix(np.array([[0, 1.5], [3, 0]]))
    assert write(0, {'a': rows}) == '0\t|a 1:1.5\n0\t|a 0:3.0'


@pytest.mark.parametrize(
    'data, text',
    [
        ({4: 1.0}, "the stream 'W' must be an array, or a list with a dictionary for each step"),
        ([{-4: 1.0}], 'an index of a sparse sample must be at least 0, and is -4'),
        ([{1.5: 1.0}], 'an index of a sparse sample must be a whole number'),
        ([{4: 'a'}], 'a sample of a stream must be numbers'),
        ([{4: [1.0]}], 'a number of a sparse sample must be a number'),
        ([{4: 1j}], 'must be real numbers'),
        (scipy.sparse.coo_matrix(np.eye(2)), "the stream 'W' must be"),
    ],
)
def test_what_cannot_be_written(data, text):
    with pytest.raises(ValueError, match=text):
        C.io.sequence_to_cntk_text_format(3, {'W': data})


def test_written_lines_are_read(tmp_path):
    lines = C.io.sequence_to_cntk_text_format(0, {'a': [{1: 0.5}, {}, {0: 2.0, 1: 1.0}]})
    (tmp_path / 'd.ctf').write_text(lines + '\n')
    streams = C.io.StreamDefs(a=C.io.StreamDef('a', 2, is_sparse=True))
    data = C.io.CTFDeserializer(str(tmp_path / 'd.ctf'), streams)
    s = C.io.MinibatchSource(data, randomize=False, max_sweeps=1)
    rows = s.next_minibatch(3)[s.streams.a].as_sequences(C.sequence.input_variable(2, is_sparse=True))
    assert rows[0].toarray().tolist() == [[0, 0.5], [0, 0], [2, 1]]


def test_a_stream_has_the_entries_of_cntk():
    stream = C.io.StreamDef
    rest = {'defines_mb_size': False, 'max_sequence_length': 65535}
    assert stream() == {'stream_alias': None, 'is_sparse': False, **rest}
    assert list(stream('f', 3, True, [1], (2, 2), 's', 'm', True, True, 5)) == [
        *('stream_alias', 'is_sparse', 'dim', 'transforms', 'context', 'scp', 'mlf', 'broadcast'),
        *('defines_mb_size', 'max_sequence_length'),
    ]
    assert stream(shape=3).stream_alias is None and stream('a').is_sparse is False
    assert stream(is_sparse=True).is_sparse is True
    assert stream(shape=2, mlf='a').is_sparse is True and stream(shape=2, context=3).context == 3
    with pytest.raises(AttributeError, match="no attribute 'dim'"):
        stream('a').dim
    with pytest.raises(ValueError, match='stream name for key x must be specified'):
        C.io.CTFDeserializer('f', C.io.StreamDefs(x=stream(shape=3)))
    assert C.io.CBFDeserializer('f', C.io.StreamDefs(x=stream()))['input'] == {'x': {}}


@pytest.mark.parametrize(
    'options, is_random',
    [
        ({}, True),
        ({'randomization_window_in_chunks': 0}, False),
        ({'randomization_window_in_samples': 50}, True),
        ({'randomization_window_in_chunks': 0, 'randomization_window_in_samples': 50}, True),
        ({'randomize': False}, False),
        # CNTK 2.7 takes both here, and keeps the file's order.
        (
            {
                'randomize': False,
                'randomization_window_in_chunks': 7,
                'randomization_window_in_samples': 5,
            },
            False,
        ),
    ],
)
def test_windows_of_the_order(tmp_path, options, is_random):
    (tmp_path / 'd.ctf').write_text(''.join(f'|a {i}\n' for i in range(100)))
    data = C.io.CTFDeserializer(str(tmp_path / 'd.ctf'), C.io.StreamDefs(a=C.io.StreamDef('a', 1)))
    source = C.io.MinibatchSource(data, max_sweeps=1, randomization_seed=1, **options)
    found = source.next_minibatch(100)[source.streams.a].asarray().ravel().tolist()
    assert (found != list(range(100))) == is_random and sorted(found) == list(range(100))
    for chunks in (7, C.io.MinibatchSource.default_randomization_window_in_chunks):
        with pytest.raises(RuntimeError, match='mutually exclusive'):
            C.io.MinibatchSource(
                data, randomization_window_in_chunks=chunks, randomization_window_in_samples=5
            )


@pytest.mark.parametrize(
    'word, skips',
    [('false', False), ('False', False), ('f', False), ('0', False), (0, False)]
    + [('true', True), ('T', True), ('1', True), (1, True)],
)
def test_words_and_numbers_of_a_description(tmp_path, word, skips):
    """A description may have texts, as CNTK's configurations do."""
    (tmp_path / 'd.ctf').write_text('0 |a 1\n0 |a 2\n1 |a 3\n')
    data = C.io.CTFDeserializer(str(tmp_path / 'd.ctf'), C.io.StreamDefs(a=C.io.StreamDef('a', 1)))
    data['skipSequenceIds'], data['chunkSizeInBytes'], data['maxErrors'] = word, '1000', '2'
    source = C.io.MinibatchSource(data, randomize=False, max_sweeps=1)
    assert source.next_minibatch(9)[source.streams.a].num_sequences == (3 if skips else 2)
    for key, wrong, said in (
        ('skipSequenceIds', 'yes', 'True or False'),
        ('cacheIndex', 2, 'True or False'),
        ('chunkSizeInBytes', '1e3', 'a whole number'),
        ('maxErrors', 'x', 'a whole number'),
    ):
        with pytest.raises(TypeError, match=f'{key} must be {said}, not '):
            C.io.MinibatchSource(type(data)(data, **{key: wrong}))
