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
import queue
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
from wrong_clients import held, until_open

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
        self.bytes, self.last = b'', None

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
            self.last = self.bytes[end + 4 : end + 4 + length]
            self.bytes = self.bytes[end + 4 + length :]
        return statuses


class GoodClient:
    """Asks over one connection, and opens another where that was closed."""

    def __init__(self, port, source):
        self.port, self.source, self.text, self.socket = port, source, request(), None

    def ask(self):
        """The answer; None where it was refused."""
        try:
            if self.socket is None:
                self.socket = socket.create_connection(('127.0.0.1', self.port), 60, (self.source, 0))
            self.socket.sendall(self.text)
            answers, statuses = Answers(), []
            while not statuses:
                part = self.socket.recv(1 << 16)
                if not part:
                    raise ConnectionResetError
                statuses = answers.take(part)
        except ConnectionError:
            self.close()
            return None
        return answers.last if statuses[0] == 200 else None

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def ask_for(seconds, ask, expected, results):
    """Latencies of the requests that were answered, how many were refused, how many answers were wrong."""
    latencies, refused, wrong = [], 0, 0
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        begun = time.perf_counter()
        answer = ask()
        if answer is None:
            refused += 1
        else:
            latencies.append(time.perf_counter() - begun)
            wrong += expected is not None and answer != expected
        time.sleep(PAUSE)
    results.put((latencies, refused, wrong))


def good(port, expected, source, seconds, results):
    client = GoodClient(port, source)
    ask_for(seconds, client.ask, expected, results)
    client.close()


def greedy(port, connections, seconds, results):
    """How many requests had which status; 0 for connections that were closed, which are opened again."""
    text, counts = request(), {}
    until = time.perf_counter() + seconds
    with selectors.DefaultSelector() as ready:

        def join():
            s = socket.create_connection(('127.0.0.1', port))
            s.sendall(text)
            ready.register(s, selectors.EVENT_READ, Answers())

        def take(key):
            part = key.fileobj.recv(1 << 16)
            if not part:
                raise ConnectionResetError
            for status in key.data.take(part):
                counts[status] = counts.get(status, 0) + 1
                key.fileobj.sendall(text)

        for _ in range(connections):
            until_open(join)
        while time.perf_counter() < until:
            for key, _ in ready.select(0.1):
                try:
                    take(key)
                except ConnectionError:
                    counts[0] = counts.get(0, 0) + 1
                    ready.unregister(key.fileobj)
                    key.fileobj.close()
                    until_open(join)
        for key in list(ready.get_map().values()):
            key.fileobj.close()
    results.put(counts)


def slow(port, connections, seconds, results):
    """Half requests, a byte every two seconds; how often a connection was closed, which is opened again."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

    def opened():
        s = socket.create_connection(('127.0.0.1', port))
        s.sendall(b'POST /v2/models/tagger/infer HTTP/1.1\r\nX-Slow: ')
        return s

    held(2, seconds, connections, opened, b'a', results)


def measured(server, seconds, others=()):
    """Latencies of the good clients beside other processes, how many were refused, what the others say."""
    clients = [(good, None, '127.0.0.1')] * GOOD
    latencies, refused, _, said = run_beside(server.port, seconds, others, clients)
    return np.concatenate(latencies), sum(refused), said


def run_beside(port, seconds, others, asking):
    """Latencies, refusals and wrong answers of each good client, who begin a second after the others; what
    the others say. Each is (function, arguments...), called with the port before, time and queue behind."""
    context = multiprocessing.get_context('spawn')  # threads run here: a fork might find their locks held
    queues = [context.Queue() for _ in (*asking, *others)]

    def process(called, time_, results):
        function, *arguments = called
        return context.Process(target=function, args=(port, *arguments, time_, results))

    clients = [process(c, seconds, results) for c, results in zip(asking, queues)]
    processes = [process(o, seconds + 2, results) for o, results in zip(others, queues[len(asking) :])]
    for p in processes:
        p.start()
    time.sleep(1)
    for p in clients:
        p.start()
    found = [said_by(p, results) for p, results in zip(clients + processes, queues)]
    for p in clients + processes:
        p.join()
    latencies, refused, wrong = zip(*found[: len(asking)])
    return [np.array(x) * 1e3 for x in latencies], refused, wrong, found[len(asking) :]


def said_by(process, results):
    """What the process puts in the queue; an error where it ends without."""
    while True:
        try:
            return results.get(timeout=1)
        except queue.Empty:
            if process.exitcode:
                raise RuntimeError(f'{process.name} ended with {process.exitcode}') from None


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
            latencies, refused, ((closed, _),) = measured(server, seconds, [(slow, SLOW)])
            line(f'beside {SLOW} slow ones', latencies, refused, server.memory())
            print(f'  {closed} slow connections were closed')
            assert server.ask('GET', '/v2/health/ready')[0] == 200


if __name__ == '__main__':
    main(*map(float, sys.argv[1:]))
