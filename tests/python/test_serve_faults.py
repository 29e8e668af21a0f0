"""What clients do wrong: bytes that are no requests, sizes that are only declared, clients that vanish or are
slow, more requests than can be carried."""

import json
import resource
import socket
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import cantik as C

from serving import PROGRAM, Server, binary, in_parallel, save, tensor
from serving_models import MODELS, random

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


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
    head = f'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n'.encode()
    for n in (1, 20, len(head), len(head) + 10, len(head) + len(body)):
        raw(server, (head + body)[:n], answer=False)
    # a request in pieces, and two in one piece
    with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
        for i in range(0, len(head + body), 7):
            s.sendall((head + body)[i : i + 7])
        assert s.recv(65536).startswith(b'HTTP/1.1 200')
    close = head.replace(b'\r\n\r\n', b'\r\nConnection: close\r\n\r\n')
    assert raw(server, head + body + close + body).count(b'HTTP/1.1 200 OK') == 2
    chunks = b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\n'
    chunks += b'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    assert raw(server, chunks + b'%x\r\n%s\r\n0\r\n\r\n' % (len(body), body)).startswith(b'HTTP/1.1 200')
    assert server.ask('GET', '/v2/health/live')[0] == 200


@pytest.mark.parametrize('with_the_header', [0, 10, None])
def test_a_body_that_is_expected_may_come_with_its_header(server, with_the_header):
    body = json.dumps({'inputs': [tensor('x', np.zeros((1, 6), np.float32))]}).encode()
    head = (
        'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\n'
        f'Content-Length: {len(body)}\r\n\r\n'
    )
    with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
        s.sendall(head.encode() + body[:with_the_header])
        came = s.recv(len(b'HTTP/1.1 100 Continue\r\n\r\n'), socket.MSG_WAITALL)
        assert came == b'HTTP/1.1 100 Continue\r\n\r\n'
        s.sendall(body[len(body[:with_the_header]) :])
        assert s.recv(65536).startswith(b'HTTP/1.1 200 OK')


def test_slow_clients_are_let_go(tmp_path):
    save(MODELS['mlp'], tmp_path / 'mlp')
    with Server(tmp_path, '--read-time', 0.5, '--idle-time', 0.5) as server:
        slow = [socket.create_connection(('127.0.0.1', server.port), timeout=20) for _ in range(50)]
        for s in slow:
            s.sendall(b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Le')
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
            float(line.split()[1])
            for line in server.ask('GET', '/metrics')[1].decode().splitlines()
            if line.startswith('cantik_refused_total')
        ]
        assert sum(refused) == counts[503]


def test_bytes_of_all_requests_have_a_limit(tmp_path):
    save(MODELS['mlp'], tmp_path / 'mlp')
    with Server(tmp_path, '--most-body', 1000, '--most-bodies', 1500) as server:
        assert server.ask('POST', '/v2/models/mlp/infer', b' ' * 1001)[0] == 413
        with socket.create_connection(('127.0.0.1', server.port)) as half:
            half.sendall(b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n{')
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


def test_answers_that_memory_has_no_room_for(tmp_path):
    """The run has room, its answer not: an answer takes two or three times the memory of the output."""
    grpc = pytest.importorskip('tritonclient.grpc', reason='tools/requirements/test.txt')
    x = C.input_variable(1, name='x')
    save(C.times(x, C.parameter((1, 1024), init=1), name='y'), tmp_path / 'wide')
    with Server(tmp_path) as server:
        client = grpc.InferenceServerClient(server.address)

        def ask(samples):
            given = grpc.InferInput('x', [samples, 1], 'INT8')
            given.set_data_from_numpy(np.ones((samples, 1), np.int8))
            return client.infer('wide', [given]).as_numpy('y').shape

        assert ask(1) == (1, 1024)
        many = 60000  # 234 MiB of the output
        status = Path(f'/proc/{server.process.pid}/status').read_text()
        room = int(status.split('VmSize:')[1].split()[0]) * 1024 + (512 << 20)
        resource.prlimit(server.process.pid, resource.RLIMIT_AS, (room, room))
        with pytest.raises(grpc.InferenceServerException) as e:
            ask(many)
        assert e.value.status() == 'StatusCode.INTERNAL'
        assert e.value.message() == 'std::bad_alloc'  # and no error of the run
        assert ask(1) == (1, 1024)
        given = {'x': np.ones((many, 1), np.int8)}
        body, headers = binary(given)
        for content, fields in [(body, headers), (json.dumps({'inputs': [tensor('x', given['x'])]}), {})]:
            assert server.ask('POST', '/v2/models/wide/infer', content, fields) == (
                500,
                {'error': 'std::bad_alloc'},
            )
            assert ask(1) == (1, 1024)
        client.close()
