"""What a server does for good clients while others ask far more than it can carry, or hold a thousand
connections and say next to nothing.

    python benchmarks/serving/overload.py [SECONDS]        # of each part, 60 by itself

A good client asks 50 times a second over one connection. The others are processes of their own: `greedy`
ones ask again as soon as they are answered, whatever the answer, over 400 connections; `slow` ones send a
byte of a request every two seconds over 1,000. Clients and server share the processors: latencies are those
of a machine that does all of it.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import selectors
import socket
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cantik as C

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'tests' / 'python'))
from serving import Server, save

GOOD, PAUSE = 2, 0.02  # clients, and seconds between their requests
GREEDY, SLOW = 400, 1000  # connections
STEPS, WIDTH = 40, 32


def network():
    s = C.sequence.input_variable(WIDTH, name='s')
    return C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(128)), C.layers.Dense(8, name='y')])(s)


def request():
    """A sequence as bytes, for a connection that stays open."""
    rows = np.random.default_rng(0).random((1, STEPS, WIDTH), dtype=np.float32).tobytes()
    described = {
        'name': 's',
        'datatype': 'FP32',
        'shape': [1, STEPS, WIDTH],
        'parameters': {'binary_data_size': len(rows)},
    }
    head = json.dumps({'inputs': [described], 'parameters': {'binary_data_output': True}}).encode()
    lines = (
        'POST /v2/models/tagger/infer HTTP/1.1\r\nHost: localhost\r\n'
        'Content-Type: application/octet-stream\r\n'
        f'Inference-Header-Content-Length: {len(head)}\r\nContent-Length: {len(head) + len(rows)}\r\n\r\n'
    )
    return lines.encode() + head + rows


class Answers:
    """The answers of one connection, cut out of what comes."""

    def __init__(self):
        self.bytes = b''

    def take(self, more):
        """The statuses of the answers that are complete now."""
        self.bytes += more
        statuses = []
        while (end := self.bytes.find(b'\r\n\r\n')) >= 0:
            head = self.bytes[:end].decode('latin-1').lower()
            length = int(head.split('content-length:')[1].split('\r\n')[0])
            if len(self.bytes) < end + 4 + length:
                break
            statuses.append(int(head.split()[1]))
            self.bytes = self.bytes[end + 4 + length :]
        return statuses


def good(port, seconds, results):
    """Latencies of the requests that were answered, and how many were refused."""
    text, latencies, refused = request(), [], 0
    until = time.perf_counter() + seconds
    with socket.create_connection(('127.0.0.1', port)) as s:
        answers = Answers()
        while time.perf_counter() < until:
            begun = time.perf_counter()
            s.sendall(text)
            statuses = []
            while not statuses:
                statuses = answers.take(s.recv(1 << 16))
            if statuses[0] == 200:
                latencies.append(time.perf_counter() - begun)
            else:
                refused += 1
            time.sleep(PAUSE)
    results.put((latencies, refused))


def greedy(port, connections, seconds, results):
    """How many requests had which status."""
    text, counts = request(), {}
    until = time.perf_counter() + seconds
    with selectors.DefaultSelector() as ready:
        for _ in range(connections):
            s = socket.create_connection(('127.0.0.1', port))
            ready.register(s, selectors.EVENT_READ, Answers())
            s.sendall(text)
        while time.perf_counter() < until:
            for key, _ in ready.select(0.1):
                for status in key.data.take(key.fileobj.recv(1 << 16)):
                    counts[status] = counts.get(status, 0) + 1
                    key.fileobj.sendall(text)
        for key in list(ready.get_map().values()):
            key.fileobj.close()
    results.put(counts)


def slow(port, connections, seconds, results):
    """Half requests, a byte every two seconds; a connection that is closed is opened again."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    until, sockets, closed = time.perf_counter() + seconds, [], 0
    for _ in range(connections):
        sockets.append(socket.create_connection(('127.0.0.1', port)))
        sockets[-1].sendall(b'POST /v2/models/tagger/infer HTTP/1.1\r\nX-Slow: ')
    while time.perf_counter() < until:
        time.sleep(2)
        for i, s in enumerate(sockets):
            try:
                s.sendall(b'a')
            except OSError:
                closed += 1
                s.close()
                sockets[i] = socket.create_connection(('127.0.0.1', port))
    results.put(closed)


def measured(server, seconds, others=()):
    """Latencies of the good clients beside other processes, and what these say."""
    context = multiprocessing.get_context('spawn')  # threads run here: a fork might find their locks held
    queues = [context.Queue() for _ in range(GOOD + len(others))]
    processes = [
        context.Process(target=function, args=(server.port, *arguments, seconds + 2, queue))
        for (function, *arguments), queue in zip(others, queues[GOOD:])
    ]
    for p in processes:
        p.start()
    time.sleep(1)
    clients = [context.Process(target=good, args=(server.port, seconds, queue)) for queue in queues[:GOOD]]
    for p in clients:
        p.start()
    found = [queue.get() for queue in queues]
    for p in clients + processes:
        p.join()
    latencies = np.array([x for list_, _ in found[:GOOD] for x in list_]) * 1e3
    refused = sum(n for _, n in found[:GOOD])
    return latencies, refused, found[GOOD:]


def line(name, latencies, refused, memory):
    half, most = np.percentile(latencies, [50, 99]) if len(latencies) else (np.nan, np.nan)
    print(
        f'{name}: {len(latencies)} answered, p50 {half:.2f} ms, p99 {most:.2f} ms, {refused} refused; '
        f'the server has {memory / 2**20:.0f} MiB',
        flush=True,
    )


def main(seconds=60.0):
    with tempfile.TemporaryDirectory() as folder:
        save(network(), Path(folder) / 'tagger')
        with Server(folder, '--most-waiting', 32) as server:
            measured(server, 1)
            latencies, refused, _ = measured(server, seconds)
            line('good clients alone', latencies, refused, server.memory())
            latencies, refused, (capacity,) = measured(server, seconds, [(greedy, 16)])
            line('beside 16 greedy ones', latencies, refused, server.memory())
            print(f'  it answers {capacity.get(200, 0) / (seconds + 2):,.0f} of them a second')
            latencies, refused, (counts,) = measured(server, seconds, [(greedy, GREEDY)])
            line(f'beside {GREEDY} greedy ones', latencies, refused, server.memory())
            print(
                '  a second: '
                + ', '.join(f'{n / (seconds + 2):,.0f} x {s}' for s, n in sorted(counts.items()))
            )
            latencies, refused, (closed,) = measured(server, seconds, [(slow, SLOW)])
            line(f'beside {SLOW} slow ones', latencies, refused, server.memory())
            print(f'  {closed} slow connections were closed')
            assert server.ask('GET', '/v2/health/ready')[0] == 200


if __name__ == '__main__':
    main(*map(float, sys.argv[1:]))
