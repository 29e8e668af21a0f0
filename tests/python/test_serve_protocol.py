"""The protocol over HTTP: health, metadata, tensors as JSON and as bytes, and requests that are wrong."""

import json
import os
import shutil

import numpy as np
import pytest

from serving import PROGRAM, Server, arrays, binary, binary_arrays, save
from serving_models import MODELS, expected, random

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


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
        ('GET', '/v2/models/a%00b', 404, 'the model a\0b is not loaded'),
        ('GET', '/v2/models/mlp/versions/1%00', 404, 'the model mlp has no version 1\0'),
        ('POST', '/v2/repository/models/a%00b/load', 404, 'no model a\0b in the repository'),
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


def test_labels_of_metrics_are_those_of_prometheus(tmp_path):
    """The text format has the escapes \\\\, \\" and \\n; everything else stands as it is, in UTF-8."""
    save(MODELS['mlp'], tmp_path / 'plain')
    shown = {
        b'tab\t': b'tab\t',
        b'two\nlines': rb'two\nlines',
        b'a"b': rb'a\"b',
        b'a\\b': rb'a\\b',
        b'bell\x07': b'bell\x07',
        'Größe'.encode(): 'Größe'.encode(),
        b'bad\xff': 'bad\ufffd'.encode(),
        b'half\xc3': 'half\ufffd'.encode(),
    }
    for name in shown:
        shutil.copytree(tmp_path / 'plain', tmp_path / os.fsdecode(name))
    with Server(tmp_path) as server:
        lines = server.ask('GET', '/metrics')[1].split(b'\n')
    for label in shown.values():
        line = b'cantik_infer_total{model="%s",version="1",outcome="answered"} 0' % label
        assert line in lines, [line for line in lines if b'infer_total' in line]


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
        ({**changed(), 'outputs': [{'name': 'z:lengths'}]}, 'has no output z:lengths: it has y'),
        ({**changed(), 'outputs': [{'name': 'y:lengths'}]}, 'has no output y:lengths: it has y'),
        ({**changed(), 'outputs': [{'name': 'y'}] * 2}, 'the output y is asked for more than once'),
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
