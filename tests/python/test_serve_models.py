"""Models come and go while they are used, and have versions."""

import shutil
import threading

import numpy as np
import pytest

import cantik as C

from serving import PROGRAM, Server, in_parallel, save

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


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


def test_a_sparse_input_without_a_batch_is_refused_with_its_name(tmp_path):
    """Its index was read as the numbers of a dense tensor, beyond the end of the request."""
    w = C.input_variable(9, is_sparse=True, dynamic_axes=[], name='w')
    save(C.times(w, C.parameter((9, 3), init=1), name='y'), tmp_path / 'm')
    with Server(tmp_path) as server:
        (entry,) = server.ask('POST', '/v2/repository/index')[1]
        assert entry['state'] == 'UNAVAILABLE'
        assert 'the input w is sparse and has no batch axis' in entry['reason']
        assert server.infer('m', {'w': np.array(4)})[0] == 404
        assert server.ask('GET', '/v2/health/live')[0] == 200
