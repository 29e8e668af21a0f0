"""Who gets what where there is too little for all: connections, bytes of requests, places in line, time."""

import json
import select
import socket
import struct
import threading
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

import cantik as C

from serving import PROGRAM, Server, save
from serving_models import MODELS, random

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)

HALF = b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Le'


class Client:
    """A connection from an address of this machine."""

    def __init__(self, server, address='127.0.0.1'):
        self.socket = socket.create_connection(('127.0.0.1', server.port), 20, (address, 0))

    def send(self, content):
        self.socket.sendall(content)

    def status(self):
        """Of the next answer; None where the connection has ended."""
        try:
            return int(self.socket.recv(1 << 16).split()[1])
        except (IndexError, ConnectionError):
            return None

    def ask(self):
        """Whether the server is alive."""
        self.send(b'GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n')
        return self.status()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def metric(server, name, connection=None):
    for line in server.ask('GET', '/metrics', connection=connection)[1].decode().splitlines():
        if line.startswith(name + ' '):
            return float(line.split()[1])
    raise KeyError(name)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp('models')
    save(MODELS['mlp'], place / 'mlp')
    return place


def test_slow_connections_give_way_to_others(folder):
    with Server(folder, '--most-connections', 20, '--threads', 1) as server, ExitStack() as open_:
        slow = [open_.enter_context(Client(server)) for _ in range(19)]
        for s in slow:
            s.send(HALF)
        good = open_.enter_context(Client(server))
        assert good.ask() == 200
        # Newcomers take the places of those that have been slow for longest, not of one that asks.
        for _ in range(30):
            open_.enter_context(Client(server)).send(HALF)
            assert good.ask() == 200
        assert [s.status() for s in slow] == [None] * 19
        # As many as may are open, so this question gave one more place away.
        assert metric(server, 'cantik_closed_total{reason="gave_way"}') >= 31
        assert metric(server, 'cantik_refused_total{reason="connections"}') == 0


def test_connections_that_are_answered_do_not_give_way(tmp_path):
    s = C.sequence.input_variable(20, name='s')
    save(C.layers.Recurrence(C.layers.LSTM(300), name='y')(s), tmp_path / 'slow')
    with Server(tmp_path, '--most-connections', 3, '--threads', 1) as server, ExitStack() as open_:
        inputs = [{'name': 's', 'datatype': 'FP32', 'shape': [1, 1000, 20], 'data': [0.5] * 20000}]
        body = json.dumps({'inputs': inputs}).encode()
        asking = [open_.enter_context(Client(server)) for _ in range(2)]
        for a in asking:
            a.send(
                b'POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n' % len(body)
                + body
            )
        with closing(server.connection()) as asks:
            questions = 1
            while metric(server, 'cantik_requests_total', asks) < questions + len(asking):
                questions += 1
        for _ in range(5):
            open_.enter_context(Client(server)).send(HALF)
        assert [a.status() for a in asking] == [200, 200]


def test_the_address_with_most_connections_gives_way(folder):
    with Server(folder, '--most-connections', 20, '--threads', 1) as server, ExitStack() as open_:
        first = open_.enter_context(Client(server))
        assert first.ask() == 200
        many = [open_.enter_context(Client(server, '127.0.0.2')) for _ in range(19)]
        assert [m.ask() for m in many] == [200] * 19
        for _ in range(10):
            assert open_.enter_context(Client(server, '127.0.0.3')).ask() == 200
        assert first.ask() == 200
        assert [m.status() for m in many[:10]] == [None] * 10
        assert many[10].ask() == 200


def test_declared_sizes_hold_no_room_of_others(folder):
    with Server(folder, '--most-body', 1 << 20, '--most-bodies', 4 << 20) as server, ExitStack() as open_:
        for _ in range(10):
            one = open_.enter_context(Client(server))
            one.send(b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n{')
        while metric(server, 'cantik_body_bytes') < 10 * 65536:
            time.sleep(0.01)
        assert server.ask('POST', '/v2/models/mlp/infer', b' ' * 1000000)[0] == 400


def test_bodies_that_stop_give_way(folder):
    limits = ('--most-body', 1 << 20, '--most-bodies', 1200000, '--threads', 1)
    with Server(folder, *limits) as server, Client(server) as stopped:
        head = b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n'
        stopped.send(head + b' ' * 900000)
        while metric(server, 'cantik_body_bytes') < 900000:
            time.sleep(0.01)
        # The room is that of the first one for as long as bytes come, and for two seconds after the last.
        assert server.ask('POST', '/v2/models/mlp/infer', b' ' * 900000)[0] == 503
        while server.ask('POST', '/v2/models/mlp/infer', b' ' * 900000)[0] == 503:
            time.sleep(0.1)
        assert stopped.status() is None
        assert metric(server, 'cantik_refused_total{reason="bytes"}') > 0


def test_an_address_leaves_room_for_others(folder):
    limits = ('--most-body', 1 << 20, '--most-bodies', 4 << 20)
    with Server(folder, *limits) as server, ExitStack() as open_:
        head = b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n'
        many = [open_.enter_context(Client(server, '127.0.0.2')) for _ in range(4)]
        for m in many:
            m.send(head + b' ' * 900000)
        statuses = [m.status() for m in many if has_answer(m)]
        assert statuses
        assert set(statuses) == {503}
        other = open_.enter_context(Client(server, '127.0.0.3'))
        other.send(head + b' ' * 1000000)
        assert other.status() == 400


def has_answer(client):
    return bool(select.select([client.socket], [], [], 0.5)[0])


def test_requests_have_to_keep_coming(folder):
    with Server(folder, '--least-rate', 100) as server, Client(server) as slow, Client(server) as steady:
        body = b' ' * 2000
        steady.send(b'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n')
        slow.send(HALF)
        slow.socket.settimeout(0.25)
        ended = sent = 0
        while sent < len(body):  # in eight seconds
            steady.send(body[sent : sent + 60])
            sent += 60
            try:
                if not ended:
                    slow.send(b'a')
                    ended = slow.socket.recv(1) == b''
                else:
                    time.sleep(0.25)
            except TimeoutError:
                pass
        assert ended
        assert steady.status() == 400
        assert metric(server, 'cantik_closed_total{reason="slow"}') == 1


def test_who_asks_for_little_is_answered_beside_who_asks_for_much(tmp_path):
    s = C.sequence.input_variable(20, name='s')
    save(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(300))(s), name='y'), tmp_path / 'slow')
    with Server(tmp_path, '--most-waiting', 2) as server:
        value = {'s': random(1, 300, 20)}
        inputs = [
            {'name': 's', 'datatype': 'FP32', 'shape': [1, 300, 20], 'data': value['s'].ravel().tolist()}
        ]
        body = json.dumps({'inputs': inputs}).encode()
        text = (
            b'POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n' % len(body) + body
        )
        server.outputs('slow', value)
        stop, statuses = threading.Event(), []

        def greedy():
            with Client(server) as client:
                while not stop.is_set():
                    client.send(text)
                    statuses.append(client.status())

        threads = [threading.Thread(target=greedy) for _ in range(12)]
        for t in threads:
            t.start()
        while statuses.count(503) < 100:
            time.sleep(0.01)
        with Client(server, '127.0.0.2') as little:
            answered = []
            for _ in range(5):
                little.send(text)
                answered.append(little.status())
                time.sleep(0.3)
        stop.set()
        for t in threads:
            t.join()
        assert answered == [200] * 5
        assert metric(server, 'cantik_refused_total{reason="overtaken"}') > 0


def test_after_a_refusal_others_are_read_first(tmp_path):
    save(MODELS['tagger'], tmp_path / 'tagger')

    def begins(sequence):
        inputs = [{'name': 's', 'datatype': 'FP32', 'shape': [1, 1, 5], 'data': [0.5] * 5}]
        named = {'sequence_id': sequence, 'sequence_start': True}
        body = json.dumps({'inputs': inputs, 'parameters': named}).encode()
        return (
            b'POST /v2/models/tagger/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n' % len(body)
            + body
        )

    with Server(tmp_path, '--most-streams', 1, '--threads', 1) as server:
        with Client(server) as first, Client(server) as refused, Client(server) as other:
            first.send(begins('a'))
            assert first.status() == 200
            came_first = 0
            for _ in range(10):
                # Two requests in one piece: the second is there already when the first is refused.
                refused.send(begins('b') + b'GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n')
                assert refused.status() == 503
                assert other.ask() == 200
                came_first += not select.select([refused.socket], [], [], 0)[0]
                assert refused.status() == 200
            assert came_first > 0
        assert metric(server, 'cantik_refused_total{reason="sequences"}') == 10


@pytest.fixture
def http2(monkeypatch):
    """Frames of HTTP/2."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / 'benchmarks' / 'serving'))
    import wrong_grpc

    return wrong_grpc


def asked_of_mlp():
    messages = pytest.importorskip('tritonclient.grpc.service_pb2', reason='tools/requirements/test.txt')
    asked = messages.ModelInferRequest(model_name='mlp')
    asked.inputs.add(name='x', datatype='FP32', shape=[1, 6])
    asked.raw_input_contents.append(bytes(24))
    return asked.SerializeToString()


def frames_until(client, http2, wanted):
    """Frames as they come, up to the first of such a kind on such a stream."""
    rest, seen = b'', []
    while not any(kind == wanted[0] and stream == wanted[1] for kind, _, stream in seen):
        part = client.socket.recv(1 << 16)
        assert part, seen
        found, rest = http2.frames(rest + part)
        seen += found
    return seen


def test_a_call_that_stops_leaves_others_of_its_connection(folder, http2):
    message = asked_of_mlp()
    with Server(folder, '--read-time', 1) as server, Client(server) as client:
        client.send(http2.begin() + http2.headers(1) + http2.frame(http2.DATA, 0, 1, b'\0'))
        client.send(http2.call(3, message))
        frames_until(client, http2, (http2.DATA, 3))
        # It is refused, and reset as its client does not end it.
        frames_until(client, http2, (http2.HEADERS, 1))
        frames_until(client, http2, (http2.RESET, 1))
        client.send(http2.call(5, message))
        frames_until(client, http2, (http2.DATA, 5))
        assert metric(server, 'cantik_closed_total{reason="slow"}') == 1
        assert metric(server, 'cantik_body_bytes') == 0


def test_answers_that_nobody_takes_are_dropped(folder, http2):
    no_window = struct.pack('>HI', 4, 0)
    with Server(folder, '--read-time', 1) as server, Client(server) as client:
        client.send(http2.begin(no_window) + http2.call(1, asked_of_mlp()))
        seen = frames_until(client, http2, (http2.RESET, 1))
        assert not any(kind == http2.DATA for kind, _, _ in seen)
        assert server.ask('GET', '/v2/health/live')[0] == 200
