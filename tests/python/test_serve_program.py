"""The program cantik-serve, and real clients over HTTP: curl and tritonclient."""

import json
import subprocess

import numpy as np
import pytest

from serving import PROGRAM, arrays
from serving_models import MODELS, expected, random

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


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
