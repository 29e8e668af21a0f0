"""Sequences of any lengths side by side: results are those of a run alone."""

import numpy as np
import pytest

import cantik as C

from serving import PROGRAM, Server, in_parallel, save
from serving_models import sequences, expected, random

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


@pytest.mark.parametrize('name', ['tagger', 'both_ways', 'last'])
def test_ragged_requests_padded_and_packed(server, name):
    list_of = sequences()
    lengths = np.array([len(s) for s in list_of])
    alone = [server.outputs(name, {'s': s[None]}) for s in list_of]
    output = 'end' if name == 'last' else 'y'
    for one, here in zip(alone, expected(name, list_of)):
        assert list(one) == [output]
        assert np.array_equal(one[output][0], here)
    padded = np.full((len(list_of), lengths.max(), 5), 9, np.float32)
    for row, s in zip(padded, list_of):
        row[: len(s)] = s
    together = server.outputs(name, {'s': padded, 's:lengths': lengths})
    packed = server.outputs(name, {'s': np.concatenate(list_of), 's:lengths': lengths.astype(np.int32)})
    if name == 'last':
        for made in (together, packed):
            assert np.array_equal(made['end'], np.concatenate([a['end'] for a in alone]))
        return
    assert np.array_equal(together['y:lengths'], lengths)
    assert np.array_equal(packed['y:lengths'], lengths)
    assert np.array_equal(packed['y'], np.concatenate([a['y'][0] for a in alone]))
    for row, n, a in zip(together['y'], lengths, alone):
        assert np.array_equal(row[:n], a['y'][0])
        assert not row[n:].any()


def test_outputs_that_are_asked_for_with_their_lengths(server):
    one = {'s': np.zeros((2, 3, 5), np.float32), 's:lengths': np.array([3, 1])}
    asked = [{'name': 'y'}, {'name': 'y:lengths'}]
    assert set(server.outputs('tagger', one, outputs=asked)) == {'y', 'y:lengths'}
    for name, outputs, text in [
        ('tagger', asked * 2, 'y is asked for more than once'),
        ('tagger', [{'name': 'z:lengths'}], 'has no output z:lengths'),
        ('last', [{'name': 'end:lengths'}], 'has no output end:lengths'),  # it has no steps
    ]:
        status, answer = server.infer(name, one, outputs=outputs)
        assert status == 400 and text in answer['error'], answer


def test_indices_for_sparse_inputs(server):
    words = np.array([[3, 1, 8], [0, 0, 2]])
    y = server.outputs('words', {'word': words})['y']
    rows = np.eye(9, dtype=np.float32)[words]
    assert np.array_equal(server.outputs('words', {'word': rows})['y'], y)
    lengths = np.array([2, 1])
    ragged = server.outputs('words', {'word': words, 'word:lengths': lengths})['y']
    packed = server.outputs('words', {'word': np.array([3, 1, 0]), 'word:lengths': lengths})['y']
    assert np.array_equal(packed, np.concatenate([ragged[0], ragged[1][:1]]))
    assert np.array_equal(packed[:2], y[0][:2])
    for value, text in [
        (np.array([[9]]), 'the index 9, and there are 9 classes'),
        (np.array([[-1]]), 'the index -1, and there are 9 classes'),
        (np.array([[2**40]]), 'an index beyond 32 bits, and there are 9 classes'),
        (np.zeros((1, 2, 9), int), 'indices of classes, [-1, -1], and [1, 2, 9] came; send them without the'),
    ]:
        status, answer = server.infer('words', {'word': value})
        assert status == 400 and text in answer['error'], answer


@pytest.mark.parametrize(
    ('inputs', 'text'),
    [
        (
            {'s': np.zeros((2, 3, 5)), 's:lengths': np.array([4, 1])},
            'a length of the input s is 4, and 3 steps came',
        ),
        ({'s': np.zeros((2, 3, 5)), 's:lengths': np.array([1])}, '2 sequences and 1 lengths'),
        ({'s': np.zeros((2, 3, 5)), 's:lengths': np.array([-1, 1])}, 'negative length'),
        ({'s': np.zeros((2, 3, 5)), 's:lengths': np.array([[1], [1]])}, 'must have the shape [batch]'),
        ({'s': np.zeros((2, 3, 5)), 's:lengths': np.array([3.0, 1])}, 'and FP32 came: send INT64'),
        ({'s': np.zeros((2, 3, 5)), 's:lengths': np.array([2**40, 1])}, 'the longest one is 2147483647'),
        ({'s': np.zeros((4, 5)), 's:lengths': np.array([2, 1])}, '3 steps together, and 4 came'),
        ({'s': np.zeros((4, 5))}, 'has the shape [-1, -1, 5], and [4, 5] came'),
        ({'s': np.zeros((4, 4, 4))}, 'has the shape [-1, -1, 5], and [4, 4, 4] came'),
    ],
)
def test_wrong_lengths(server, inputs, text):
    inputs = {k: v.astype(np.float32) if v.dtype == np.float64 else v for k, v in inputs.items()}
    status, answer = server.infer('tagger', inputs)
    assert status == 400
    assert text in answer['error']


def test_sequences_without_steps_that_an_operator_refuses(server):
    for given in (
        {'s': np.zeros((1, 0, 5), np.float32)},
        {'s': np.zeros((2, 3, 5), np.float32), 's:lengths': np.array([3, 0])},
    ):
        status, answer = server.infer('last', given)
        assert status == 400 and 'it has 0 steps' in answer['error'], answer


def test_samples_of_hostile_sizes(tmp_path):
    """The product of all axes is 0, that of a sample's beyond 64 bits."""
    s = C.sequence.input_variable((C.FreeDimension, C.FreeDimension), name='s')
    save(C.plus(s, 1, name='y'), tmp_path / 'm')
    with Server(tmp_path) as server:
        given = {'name': 's', 'datatype': 'FP32', 'shape': [1, 0, 2**40, 2**40], 'data': []}
        status, answer = server.ask('POST', '/v2/models/m/infer', {'inputs': [given]})
        assert (status, answer['error']) == (
            400,
            'the shape [1099511627776, 1099511627776] of s is too large',
        )
        assert server.outputs('m', {'s': np.ones((1, 2, 3, 4), np.float32)})['y'].shape == (1, 2, 3, 4)


def test_the_bits_alone_and_in_company(server):
    """16 clients, sequences of all lengths, batches of all sizes: minibatches are mixed, results are not."""
    alone = [(s, server.outputs('both_ways', {'s': s[None]})['y']) for s in sequences(16)]
    rows = [
        (x, server.outputs('mlp', {'x': x})['y']) for x in (random(1 + i % 5, 6, seed=i) for i in range(16))
    ]
    free = [random(2, 1 + i % 3, 2, seed=i) for i in range(16)]

    def client(i):
        connection = server.connection()
        for turn in range(15):
            s, y = alone[(i + turn) % 16]
            assert np.array_equal(server.outputs('both_ways', {'s': s[None]}, connection)['y'], y)
            x, y = rows[(i + turn) % 16]
            assert np.array_equal(server.outputs('mlp', {'x': x}, connection)['y'], y)
            v = free[(i + turn) % 16]
            made = server.outputs('free', {'x': v}, connection)['y']
            np.testing.assert_allclose(made.reshape(2, 2), v.sum(1), rtol=1e-5)

    in_parallel(16, client)
    text = server.ask('GET', '/metrics')[1].decode()
    batches = dict(line.rsplit(' ', 1) for line in text.splitlines() if 'batch_requests_' in line)
    labels = '{model="both_ways",version="1"}'
    runs, requests = (float(batches[f'cantik_batch_requests_{k}{labels}']) for k in ('count', 'sum'))
    assert runs < requests  # some ran side by side


def test_models_that_mix_samples_run_each_request_alone(server):
    def client(i):
        x = random(2, 3, seed=i)
        for _ in range(10):
            np.testing.assert_allclose(server.outputs('centred', {'x': x})['y'], x - x.mean(0), atol=1e-6)

    in_parallel(8, client)


def test_a_model_runs_alone_where_others_would_widen_its_samples_or_stand_beside_them(server):
    long, pair = np.full((1, 9, 1), 5, np.float32), np.array([[1, 0]], np.float32)
    short = np.full((1, 1, 1), -1, np.float32)

    def client(i):
        connection = server.connection()
        for _ in range(40):
            if i % 2:
                server.outputs('widest', {'s': long}, connection)
                server.outputs('beside_others', {'a': pair[:, ::-1], 'b': pair}, connection)
                continue
            assert server.outputs('widest', {'s': short}, connection)['y'].ravel() == -1
            cosines = server.outputs('beside_others', {'a': pair, 'b': pair}, connection)['y']
            assert np.array_equal(cosines, [[1, 1]])

    in_parallel(8, client)


def test_a_wrong_request_leaves_the_others_their_results(server):
    """What a run finds out only (lengths of two inputs that differ) fails the request at fault."""
    good = random(3, 6)
    y = expected('mlp', good)

    def client(i):
        for _ in range(20):
            if i % 2:
                assert server.infer('mlp', {'x': good[:, :5]})[0] == 400
            else:
                assert np.array_equal(server.outputs('mlp', {'x': good})['y'], y)

    in_parallel(6, client)
