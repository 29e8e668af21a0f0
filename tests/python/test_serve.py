"""The server over HTTP: the protocol, sequences of any lengths side by side, models that come and go,
streams, and what clients do wrong."""

import json
import shutil
import socket
import subprocess
import threading
import time

import numpy as np
import pytest

import cantik as C

from serving import PROGRAM, Server, arrays, binary, binary_arrays, save

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


def mlp():
    x = C.input_variable(6, name='x')
    return C.layers.Sequential([C.layers.Dense(20, activation=C.relu), C.layers.Dense(4, name='y')])(x)


def tagger(width=5):
    s = C.sequence.input_variable(width, name='s')
    return C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(12)), C.layers.Dense(3, name='y')])(s)


def both_ways():
    s = C.sequence.input_variable(5, name='s')
    states = (C.layers.Recurrence(C.layers.GRU(6)), C.layers.Recurrence(C.layers.GRU(6), go_backwards=True))
    return C.layers.Sequential([states, C.splice, C.layers.Dense(2, name='y')])(s)


def one_hot_tagger():
    s = C.sequence.input_variable(9, is_sparse=True, name='word')
    return C.layers.Sequential([C.layers.Embedding(4), C.layers.Recurrence(C.layers.RNNStep(3, name='y'))])(s)


def centred():
    """Samples that depend on one another: the mean of the batch is subtracted."""
    x = C.input_variable(3, name='x')
    return C.minus(x, C.reduce_mean(x, axis=C.Axis.default_batch_axis()), name='y')


MODELS = {
    'mlp': mlp(),
    'tagger': tagger(),
    'both_ways': both_ways(),
    'words': one_hot_tagger(),
    'centred': centred(),
    'last': C.sequence.last(tagger(), name='end'),
    'wide': C.as_composite(C.plus(C.input_variable(3, np.float64, name='x'), 1, name='y')),
    'free': C.reduce_sum(C.input_variable((C.FreeDimension, 2), name='x'), axis=0, name='y'),
    'two': C.combine(
        [
            C.plus(C.input_variable(2, name='a'), 0, name='same'),
            C.times(C.input_variable(2, name='b'), C.parameter((2, 3), init=1), name='sums'),
        ]
    ),
}


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp('models')
    for name, model in MODELS.items():
        save(model, folder / name)
    save(MODELS['mlp'], folder / 'onnx', ending='onnx')
    with Server(folder) as running:
        yield running


def random(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def expected(name, *values):
    """What the model says here: an array for each sequence, or one for the batch."""
    model = MODELS[name]
    return model.eval(dict(zip(model.arguments, values)))


# ---- the protocol


def test_health_and_metadata(server):
    assert server.ask('GET', '/v2/health/live')[0] == 200
    assert server.ask('GET', '/v2/health/ready')[0] == 200
    status, about = server.ask('GET', '/v2')
    assert status == 200
    assert about['name'] == 'cantik'
    assert about['extensions'] == ['binary_tensor_data', 'model_repository', 'sequence']
    assert server.ask('GET', '/v2/models/tagger/versions/1/ready')[0] == 200
    assert server.ask('GET', '/v2/models/tagger')[1] == {
        'name': 'tagger',
        'versions': ['1'],
        'platform': 'cantik',
        'inputs': [{'name': 's', 'datatype': 'FP32', 'shape': [-1, -1, 5]}],
        'outputs': [{'name': 'y', 'datatype': 'FP32', 'shape': [-1, -1, 3]}],
    }
    assert server.ask('GET', '/v2/models/free')[1]['inputs'][0]['shape'] == [-1, -1, 2]
    assert server.ask('GET', '/v2/models/wide')[1]['inputs'][0]['datatype'] == 'FP64'


@pytest.mark.parametrize(
    ('method', 'path', 'status', 'text'),
    [
        ('GET', '/v2/models/none', 404, 'the model none is not loaded'),
        ('GET', '/v2/models/mlp/versions/7', 404, 'has no version 7'),
        ('GET', '/v2/models/mlp/versions/x/ready', 404, 'has no version x'),
        ('GET', '/v3', 404, 'nothing at this address'),
        ('GET', '/v2/models/mlp/else', 404, 'nothing at this address'),
        ('GET', '/%zz', 400, 'without two digits'),
        ('GET', '/v2/models/mlp/infer', 405, 'asked by POST'),
        ('DELETE', '/v2/health/live', 405, 'asked by GET'),
        ('POST', '/v2/models/..%2F..%2Fetc/infer', 404, 'is not loaded'),
        ('POST', '/v2/repository/models/../load', 404, 'no model ..'),
    ],
)
def test_addresses_that_are_not_there(server, method, path, status, text):
    body = {'inputs': []} if method == 'POST' else None
    came, answer = server.ask(method, path, body)
    assert (came, text in answer['error']) == (status, True), answer


def test_json_and_bytes_give_the_bits_of_a_run_here(server):
    x = random(7, 6)
    y = expected('mlp', x)
    assert np.array_equal(server.outputs('mlp', {'x': x})['y'], y)
    body, headers = binary({'x': x}, ['y'])
    status, content = server.ask('POST', '/v2/models/mlp/versions/1/infer', body, headers)
    assert status == 200
    assert np.array_equal(binary_arrays(content, server.fields)['y'], y)
    # bytes in, JSON out
    head = {
        'inputs': [
            {'name': 'x', 'datatype': 'FP32', 'shape': [7, 6], 'parameters': {'binary_data_size': 168}}
        ]
    }
    text = json.dumps(head).encode()
    fields = {'Inference-Header-Content-Length': str(len(text))}
    status, answer = server.ask('POST', '/v2/models/mlp/infer', text + x.tobytes(), fields)
    assert np.array_equal(arrays(answer)['y'], y)
    # a file of ONNX's
    (made,) = server.outputs('onnx', {'x': x}).values()
    np.testing.assert_allclose(made, y, rtol=1e-6)


def test_id_outputs_and_their_order(server):
    a, b = random(2, 2), random(2, 2, seed=2)
    status, answer = server.infer('two', {'b': b, 'a': a}, id='one', outputs=[{'name': 'sums'}])
    assert status == 200
    assert (answer['id'], answer['model_name'], answer['model_version']) == ('one', 'two', '1')
    assert [o['name'] for o in answer['outputs']] == ['sums']
    both = server.outputs('two', {'a': a, 'b': b}, outputs=[{'name': 'sums'}, {'name': 'same'}])
    assert list(both) == ['sums', 'same']
    assert np.array_equal(both['same'], a)


def test_datatypes(server):
    x = np.array([[0, 1, 1, 0, 1, 0]], np.float32)
    y = expected('mlp', x)
    for dtype in (
        'bool',
        'uint8',
        'uint16',
        'uint32',
        'uint64',
        'int8',
        'int16',
        'int32',
        'int64',
        'float16',
    ):
        body, headers = binary({'x': x.astype(dtype)})
        status, content = server.ask('POST', '/v2/models/mlp/infer', body, headers)
        assert status == 200, (dtype, content)
        assert np.array_equal(binary_arrays(content, server.fields)['y'], y)
        if dtype != 'float16':
            assert np.array_equal(server.outputs('mlp', {'x': x.astype(dtype)})['y'], y)
    bfloat16 = (x.view(np.uint32) >> 16).astype(np.uint16)
    body, headers = binary({'x': bfloat16})
    status, content = server.ask(
        'POST',
        '/v2/models/mlp/infer',
        body.replace(b'UINT16', b'BF16  ').replace(b'BF16  "', b'BF16"  '),
        headers,
    )
    assert status == 200, content
    assert np.array_equal(binary_arrays(content, server.fields)['y'], y)
    wide = server.outputs('wide', {'x': random(2, 3)})['y']
    assert wide.dtype == np.float64
    assert np.array_equal(wide, random(2, 3).astype(np.float64) + 1)


def test_numbers_that_a_type_cannot_hold_are_refused(server):
    for value, text in [
        (np.full((1, 6), 2**24 + 1, np.int64), 'cannot hold exactly'),
        (np.zeros((1, 6), np.float64), 'send FP32'),
    ]:
        body, headers = binary({'x': value})
        status, answer = server.ask('POST', '/v2/models/mlp/infer', body, headers)
        assert status == 400
        assert text in answer['error']


def changed(**change):
    one = {'name': 'x', 'datatype': 'FP32', 'shape': [1, 6], 'data': [0] * 6}
    return {'inputs': [{k: v for k, v in {**one, **change}.items() if v is not None}]}


@pytest.mark.parametrize(
    ('body', 'text'),
    [
        ('', 'no JSON'),
        ('[1', 'no JSON'),
        ('[]', 'must be a JSON object'),
        ('{}', 'the input x is not in the request: the model mlp reads x'),
        ({'inputs': 3}, "'inputs' must be an array"),
        ({'inputs': [3]}, "'inputs' must have objects"),
        ({'inputs': [{}]}, "has no 'name'"),
        (changed(name='z'), 'the model mlp has no input z: it has x'),
        (changed(name='x:lengths'), 'has no input x:lengths'),
        (changed(datatype=None), "has no 'datatype'"),
        (changed(shape=None), "has no 'shape'"),
        (changed(data=None), "neither 'data' nor"),
        (changed(datatype='FP31'), "'FP31' is no datatype of the protocol: it has BOOL, "),
        (changed(datatype='BYTES'), 'BYTES is not among them'),
        (changed(shape=[1, 5]), 'of the shape [1, 5] has more than 5 numbers'),
        (changed(shape=[1, 5], data=[0] * 5), 'the input x has the shape [-1, 6], and [1, 5] came'),
        (changed(shape=[6]), 'has the shape [-1, 6], and [6] came'),
        (changed(shape=[0, 6], data=[]), 'has no samples'),
        (changed(shape=[-1, 6]), 'negative axis'),
        (changed(shape=[2**62, 6]), 'too large'),
        (changed(shape=[10**9, 6]), 'too short for'),
        (changed(shape=['a']), 'whole numbers'),
        (changed(data=[0] * 5), 'has 6 numbers; 5 came'),
        (changed(data=[0] * 7), 'more than 6 numbers'),
        (changed(data=[0] * 5 + ['a']), 'at place 5 no number'),
        (changed(data=[0] * 5 + [None]), 'at place 5 no number'),
        (changed(data=[0] * 5 + [1e39]), 'at place 5 no number'),
        (changed(datatype='INT8', data=[0] * 5 + [128]), 'at place 5 no number of the datatype INT8: 128'),
        (changed(datatype='INT32', data=[0] * 5 + [1.5]), 'at place 5 no number'),
        (changed(datatype='BOOL', data=[0] * 5 + [2]), 'at place 5 no number'),
        (changed(parameters={'binary_data_size': 24}), 'both'),
        (changed(data=None, parameters={'binary_data_size': 24}), '0 are left in the body'),
        (changed(data=None, parameters={'binary_data_size': -1}), 'must be a whole number'),
        (changed(parameters={'shared_memory_region': 'a'}), 'shared memory'),
        ({**changed(), 'outputs': [{'name': 'z'}]}, 'has no output z: it has y'),
        ({**changed(), 'outputs': [{'name': 'y', 'parameters': {'classification': 3}}]}, 'classification'),
        ({**changed(), 'parameters': {'sequence_id': 1}}, 'reads no sequences'),
        ({**changed(), 'id': 3}, "'id' must be a string"),
        ({'inputs': changed()['inputs'] * 2}, 'came more than once'),
        ('[' * 5000, 'no JSON'),
    ],
)
def test_wrong_requests_say_what_is_wrong(server, body, text):
    status, answer = server.ask('POST', '/v2/models/mlp/infer', body)
    assert status == 400, answer
    assert text in answer['error'], answer


def test_wrong_bytes_and_fields(server):
    body, headers = binary({'x': random(1, 6)})
    for content, fields, status, text in [
        (body + b'1', headers, 400, 'belong to no input'),
        (body[:-1], headers, 400, 'are left in the body'),
        (body, {'Inference-Header-Content-Length': 'a'}, 400, 'must be a number'),
        (body, {'Inference-Header-Content-Length': '100000'}, 400, 'the body has'),
        (body, {**headers, 'Content-Encoding': 'gzip'}, 415, 'gzip'),
    ]:
        came, answer = server.ask('POST', '/v2/models/mlp/infer', content, fields)
        assert (came, text in answer['error']) == (status, True), answer


def test_results_that_json_has_no_word_for(server):
    x = np.full((1, 3), 1.7e308)
    status, answer = server.infer('wide', {'x': x})
    assert status == 200
    body, headers = binary({'x': np.full((1, 3), np.nan)})
    plain = body.replace(b'"binary_data_output": true', b'"binary_data_output":false')
    status, answer = server.ask('POST', '/v2/models/wide/infer', plain, headers)
    assert status == 500
    assert 'ask for binary data' in answer['error']
    status, content = server.ask('POST', '/v2/models/wide/infer', body, headers)
    assert np.isnan(binary_arrays(content, server.fields)['y']).all()


# ---- sequences


def sequences(count=12, width=5):
    draw = np.random.default_rng(3)
    return [draw.normal(size=(n, width)).astype(np.float32) for n in draw.integers(1, 20, count)]


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
    status, answer = server.infer('words', {'word': np.array([[9]])})
    assert status == 400
    assert 'the index 9, and there are 9 classes' in answer['error']


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


def in_parallel(count, work):
    """work(i) in so many threads; the first exception."""
    wrong = []

    def guarded(i):
        try:
            work(i)
        except BaseException as e:
            wrong.append(e)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if wrong:
        raise wrong[0]


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


# ---- streams


def test_streams_carry_their_states(server):
    list_of = sequences(6)
    whole = [server.outputs('tagger', {'s': s[None]})['y'][0] for s in list_of]

    def client(i):
        s, connection, made = list_of[i], server.connection(), []
        cuts = list(range(0, len(s), 1 + i % 3)) + [len(s)]
        for begin, end in zip(cuts, cuts[1:]):
            part = {'sequence_id': f's{i}', 'sequence_start': begin == 0, 'sequence_end': end == len(s)}
            made.append(
                server.outputs('tagger', {'s': s[None, begin:end]}, connection, parameters=part)['y'][0]
            )
        assert np.array_equal(np.concatenate(made), whole[i])

    in_parallel(6, client)
    status, answer = server.infer('tagger', {'s': list_of[0][None]}, parameters={'sequence_id': 's0'})
    assert status == 400
    assert 'the sequence s0 has not begun' in answer['error']


def test_streams_begin_anew_and_have_whole_numbers_as_ids(server):
    s = sequences(1)[0][None]
    first = server.outputs('tagger', {'s': s}, parameters={'sequence_id': 7, 'sequence_start': True})['y']
    second = server.outputs('tagger', {'s': s}, parameters={'sequence_id': 7})['y']
    again = server.outputs(
        'tagger', {'s': s}, parameters={'sequence_id': 7, 'sequence_start': True, 'sequence_end': True}
    )['y']
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


def test_wrong_streams(server):
    s = random(2, 3, 5)
    start = {'sequence_id': 'a', 'sequence_start': True}
    status, answer = server.infer('tagger', {'s': s}, parameters=start)
    assert (status, 'has one sequence' in answer['error']) == (400, True)
    status, answer = server.infer('both_ways', {'s': s[:1]}, parameters=start)
    assert (status, 'future_value' in answer['error'].lower() or 'ahead' in answer['error']) == (400, True), (
        answer
    )


def test_streams_have_a_limit_and_a_time(tmp_path):
    save(MODELS['tagger'], tmp_path / 'tagger')
    with Server(tmp_path, '--most-streams', 2, '--stream-idle-time', 0.3) as server:
        s = {'s': random(1, 2, 5)}
        for name in 'ab':
            server.outputs('tagger', s, parameters={'sequence_id': name, 'sequence_start': True})
        status, answer = server.infer('tagger', s, parameters={'sequence_id': 'c', 'sequence_start': True})
        assert (status, 'carries 2 sequences' in answer['error']) == (503, True)
        assert server.fields['Retry-After'] == '1'
        time.sleep(0.4)
        server.outputs(
            'tagger', s, parameters={'sequence_id': 'c', 'sequence_start': True, 'sequence_end': True}
        )
        assert server.infer('tagger', s, parameters={'sequence_id': 'a'})[0] == 400


# ---- models come and go


def test_models_are_replaced_while_they_are_used(tmp_path):
    x = C.input_variable(2, name='x')
    save(C.plus(x, 1, name='y'), tmp_path / 'm')
    (tmp_path / 'broken' / '1').mkdir(parents=True)
    (tmp_path / 'broken' / '1' / 'model.cntk').write_bytes(b'no model')
    (tmp_path / 'empty').mkdir()
    with Server(tmp_path) as server:
        index = {e['name']: e for e in server.ask('POST', '/v2/repository/index')[1]}
        assert index['m']['state'] == 'READY'
        assert index['broken']['state'] == 'UNAVAILABLE'
        assert 'version 1' in index['broken']['reason']
        assert 'number of a version' in index['empty']['reason']
        stop, seen = threading.Event(), set()

        def client(_):
            connection = server.connection()
            while not stop.is_set():
                y = server.outputs('m', {'x': np.zeros((1, 2), np.float32)}, connection)['y']
                seen.add(float(y[0, 0]))

        clients = threading.Thread(target=in_parallel, args=(4, client))
        clients.start()
        for added in range(2, 7):
            shutil.rmtree(tmp_path / 'm')
            save(C.plus(x, added, name='y'), tmp_path / 'm', version=added)
            assert server.ask('POST', '/v2/repository/models/m/load')[0] == 200
            assert server.outputs('m', {'x': np.zeros((1, 2), np.float32)})['y'][0, 0] == added
        # One that cannot be loaded leaves the old one in its place.
        (tmp_path / 'm' / '7').mkdir()
        (tmp_path / 'm' / '7' / 'model.cntk').write_bytes(b'no model')
        status, answer = server.ask('POST', '/v2/repository/models/m/load')
        assert (status, 'version 7' in answer['error']) == (400, True)
        assert server.outputs('m', {'x': np.zeros((1, 2), np.float32)})['y'][0, 0] == 6
        stop.set()
        clients.join()
        assert seen <= {1, 2, 3, 4, 5, 6}
        assert server.ask('POST', '/v2/repository/models/m/unload')[0] == 200
        assert server.ask('GET', '/v2/models/m/ready')[0] == 404
        assert server.ask('POST', '/v2/repository/models/m/unload')[0] == 404
        assert server.ask('POST', '/v2/repository/models/none/load')[0] == 404
        assert [e['event'] for e in server.events if e['event'] == 'unload'] == ['unload']


def test_versions(tmp_path):
    x = C.input_variable(2, name='x')
    for version in (1, 2, 10):
        save(C.plus(x, version, name='y'), tmp_path / 'm', version)
    with Server(tmp_path) as server:
        zero = {'x': np.zeros((1, 2), np.float32)}
        assert server.ask('GET', '/v2/models/m')[1]['versions'] == ['10', '2', '1']
        assert server.outputs('m', zero)['y'][0, 0] == 10
        assert server.outputs('m/versions/2', zero)['y'][0, 0] == 2


# ---- what clients do wrong


def raw(server, content, answer=True):
    """Bytes on a connection of their own; what comes back until it is closed."""
    with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
        s.sendall(content)
        if not answer:
            return b''
        came = b''
        while part := s.recv(65536):
            came += part
        return came


def test_bytes_that_are_no_http(server):
    assert raw(server, b'\x00\x01\x02 what\r\n\r\n').startswith(b'HTTP/1.1 400')
    assert raw(server, b'GET /' + b'a' * 20000 + b' HTTP/1.1\r\n\r\n').startswith(b'HTTP/1.1 4')
    assert server.ask('GET', '/v2/health/live')[0] == 200


def test_declared_sizes_take_no_memory(server):
    before = server.memory()
    for declared in (10**10, 2**63, 2**64 - 1):
        head = f'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {declared}\r\n\r\n'
        assert raw(server, head.encode()).split(b'\r\n')[0].split()[1] in (b'413', b'400')
    body = {
        'inputs': [
            {'name': 'x', 'datatype': 'FP32', 'shape': [10**9, 6], 'parameters': {'binary_data_size': 10**10}}
        ]
    }
    assert server.ask('POST', '/v2/models/mlp/infer', body)[0] == 400
    steps = np.zeros((1, 65537), np.int8)
    body, headers = binary({'word': steps})
    status, answer = server.ask('POST', '/v2/models/words/infer', body, headers)
    assert (status, 'at most 65536' in answer['error']) == (413, True)
    assert server.memory() - before < 32 << 20


def test_clients_that_vanish_and_half_requests(server):
    body = json.dumps(
        {'inputs': [{'name': 'x', 'datatype': 'FP32', 'shape': [1, 6], 'data': [0] * 6}]}
    ).encode()
    head = f'POST /v2/models/mlp/infer HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n'.encode()
    for n in (1, 20, len(head), len(head) + 10, len(head) + len(body)):
        raw(server, (head + body)[:n], answer=False)
    # a request in pieces, and two in one piece
    with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
        for i in range(0, len(head + body), 7):
            s.sendall((head + body)[i : i + 7])
        assert s.recv(65536).startswith(b'HTTP/1.1 200')
    close = head.replace(b'\r\n\r\n', b'\r\nConnection: close\r\n\r\n')
    assert raw(server, head + body + close + body).count(b'HTTP/1.1 200 OK') == 2
    chunks = b'POST /v2/models/mlp/infer HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    assert raw(server, chunks + b'%x\r\n%s\r\n0\r\n\r\n' % (len(body), body)).startswith(b'HTTP/1.1 200')
    assert server.ask('GET', '/v2/health/live')[0] == 200


def test_slow_clients_are_let_go(tmp_path):
    save(MODELS['mlp'], tmp_path / 'mlp')
    with Server(tmp_path, '--read-time', 0.5, '--idle-time', 0.5) as server:
        slow = [socket.create_connection(('127.0.0.1', server.port), timeout=20) for _ in range(50)]
        for s in slow:
            s.sendall(b'POST /v2/models/mlp/infer HTTP/1.1\r\nContent-Le')
        assert server.ask('GET', '/v2/health/live')[0] == 200
        for s in slow:
            assert s.recv(10) == b''
            s.close()


def test_overload_is_answered_at_once(tmp_path):
    s = C.sequence.input_variable(20, name='s')
    # Of its last step alone: the clients read an answer in much less time than the server takes to make it.
    save(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(300))(s), name='y'), tmp_path / 'slow')
    with Server(tmp_path, '--most-waiting', 2, '--most-connections', 40) as server:
        counts, value = {200: 0, 503: 0}, {'s': random(1, 300, 20)}
        server.outputs('slow', value)
        before, lock = server.memory(), threading.Lock()

        def client(_):
            connection = server.connection()
            for _ in range(3):
                status, _ = server.infer('slow', value, connection)
                with lock:
                    counts[status] += 1

        in_parallel(20, client)
        assert counts[200] > 0
        assert counts[503] > 0
        assert sum(counts.values()) == 60
        assert server.memory() - before < 64 << 20
        refused = [
            line
            for line in server.ask('GET', '/metrics')[1].decode().splitlines()
            if line.startswith('cantik_refused')
        ]
        assert float(refused[0].split()[1]) == counts[503]


def test_bytes_of_all_requests_have_a_limit(tmp_path):
    save(MODELS['mlp'], tmp_path / 'mlp')
    with Server(tmp_path, '--most-body', 1000, '--most-bodies', 1500) as server:
        assert server.ask('POST', '/v2/models/mlp/infer', b' ' * 1001)[0] == 413
        with socket.create_connection(('127.0.0.1', server.port)) as half:
            half.sendall(b'POST /v2/models/mlp/infer HTTP/1.1\r\nContent-Length: 900\r\n\r\n{')
            while b'cantik_body_bytes 900' not in server.ask('GET', '/metrics')[1]:
                time.sleep(0.01)
            status, answer = server.ask('POST', '/v2/models/mlp/infer', b' ' * 900)
            assert status == 503
            assert server.fields['Retry-After'] == '1'
        for _ in range(100):
            status, answer = server.ask('POST', '/v2/models/mlp/infer', b' ' * 900)
            if status == 400:
                break
            time.sleep(0.01)
        assert 'no JSON' in answer['error']


def test_requests_that_came_are_finished(tmp_path):
    s = C.sequence.input_variable(20, name='s')
    save(C.layers.Recurrence(C.layers.LSTM(300), name='y')(s), tmp_path / 'slow')
    server = Server(tmp_path)
    value, statuses = {'s': random(1, 3000, 20)}, []
    threads = [
        threading.Thread(target=lambda: statuses.append(server.infer('slow', value)[0])) for _ in range(3)
    ]
    for t in threads:
        t.start()
    while b'cantik_body_bytes 0' in server.ask('GET', '/metrics')[1]:
        time.sleep(0.005)
    time.sleep(0.3)
    assert server.end() == 0
    for t in threads:
        t.join()
    assert statuses == [200] * 3
    assert [e['event'] for e in server.events[-2:]] == ['stop', 'end']


# ---- the program


def test_the_program_says_what_is_wrong(tmp_path):
    def said(*words):
        done = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout + done.stderr

    assert said()[0] == 2
    assert 'usage: cantik-serve' in said('--help')[1]
    for words, text in [
        (['--models', str(tmp_path / 'none')], 'is not there'),
        (['--models', str(tmp_path), '--port', '70000'], '--port takes a number that fits'),
        (['--models', str(tmp_path), '--address', 'here'], "'here' is no address"),
        (['--models', str(tmp_path), '--most-rows', '0'], 'most_rows of a server must be above 0'),
        (['--models', str(tmp_path), '--what'], 'there is no option --what'),
        (['--models'], 'takes a value'),
        (['--models', str(tmp_path), '--certificate', 'a'], 'one of them is missing'),
    ]:
        status, came = said(*words)
        assert status == 2
        assert text in came, came


def test_curl(server):
    body = json.dumps({'inputs': [{'name': 'x', 'datatype': 'FP32', 'shape': [1, 6], 'data': [0] * 6}]})
    command = [
        'curl',
        '-sS',
        '-H',
        'Expect: 100-continue',
        '-d',
        body,
        f'http://{server.address}/v2/models/mlp/infer',
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert np.array_equal(arrays(json.loads(done.stdout))['y'], expected('mlp', np.zeros((1, 6), np.float32)))


def test_tritonclient_over_http(server):
    http = pytest.importorskip('tritonclient.http', reason='tools/requirements/test.txt')
    client = http.InferenceServerClient(server.address)
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready('mlp', '1')
    assert client.get_server_metadata()['name'] == 'cantik'
    assert {m['name'] for m in client.get_model_repository_index()} == {*MODELS, 'onnx'}
    client.load_model('mlp')
    x = random(3, 6)
    for as_bytes in (True, False):
        given = http.InferInput('x', [3, 6], 'FP32')
        given.set_data_from_numpy(x, binary_data=as_bytes)
        for wanted in (None, [http.InferRequestedOutput('y', binary_data=as_bytes)]):
            made = client.infer('mlp', [given], outputs=wanted, request_id='7')
            assert np.array_equal(made.as_numpy('y'), expected('mlp', x))
            assert made.get_response()['id'] == '7'
    s = http.InferInput('s', [1, 2, 5], 'FP32')
    s.set_data_from_numpy(random(1, 2, 5))
    client.infer('tagger', [s], sequence_id=9, sequence_start=True, sequence_end=True)
    with pytest.raises(Exception, match='the model none is not loaded'):
        client.infer('none', [given])
    client.close()
