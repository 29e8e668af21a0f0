"""A server under all that clients do wrong, at once, for as long as is asked: half requests, clients that
vanish, sizes that are only declared, damaged bytes, slow and greedy clients, models that are replaced while
they are used. Says what good clients get meanwhile, and whether memory and files stay.

    python benchmarks/serving/attack.py [SECONDS]        # 60 by itself

It ends with an error if an answer is wrong, a wrong request is accepted, or the server keeps what it took.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
import socket
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import overload
from overload import Server, save

import cantik as C

GREEDY, SLOW = 64, 200  # connections
REPLACED = 0.2  # seconds between two versions of a model
MOST_GROWTH = 32 << 20  # bytes, from the first half of the attack to the second

OPTIONS = ('--most-waiting', 16, '--read-time', 3, '--idle-time', 10)


def connected(port):
    return socket.create_connection(('127.0.0.1', port), timeout=20)


def vanish(s):
    """The connection is reset, not ended."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()


def each_until(seconds, work, results):
    """work(random) again and again, a little apart; how often, and what it returned that is wrong."""
    draws, until, count, wrong = random.Random(1), time.perf_counter() + seconds, 0, []
    while time.perf_counter() < until:
        try:
            said = work(draws)
        except OSError as error:  # the server closed first, which it may
            said = None if isinstance(error, ConnectionError) else repr(error)
        wrong += [said] if said else []
        count += 1
        time.sleep(0.002)
    results.put((count, wrong[:5]))


def half(port, seconds, results):
    """The beginning of a request, and an end or none."""
    text = overload.request()

    def work(draws):
        s = connected(port)
        s.sendall(text[: draws.randrange(len(text))])
        vanish(s) if draws.random() < 0.5 else s.close()

    each_until(seconds, work, results)


def vanishing(port, seconds, results):
    """Whole requests, several in one piece, whose answers nobody reads."""
    text = overload.request()

    def work(draws):
        s = connected(port)
        s.sendall(text * draws.randrange(1, 6))
        vanish(s)

    each_until(seconds, work, results)


def damaged(port, seconds, results):
    """A request with bytes that are others; the server answers or ends the connection."""
    text = overload.request()

    def work(draws):
        content = bytearray(text)
        for _ in range(draws.randrange(1, 20)):
            content[draws.randrange(400)] = draws.randrange(256)
        with connected(port) as s:
            s.sendall(content)
            s.shutdown(socket.SHUT_WR)
            while s.recv(1 << 16):
                pass

    each_until(seconds, work, results)


def declared(size):
    """Requests that say more than they have."""
    head = 'POST /v2/models/tagger/infer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'

    def infer(shape, more):
        described = {'name': 's', 'datatype': 'FP32', 'shape': shape, **more}
        body = json.dumps({'inputs': [described]})
        return (
            f'{head}Inference-Header-Content-Length: {len(body)}\r\nContent-Length: {len(body)}\r\n\r\n{body}'
        )

    return [
        f'{head}Content-Length: {size}\r\n\r\n',
        f'{head}Inference-Header-Content-Length: {size}\r\nContent-Length: 2\r\n\r\n{{}}',
        f'{head}Transfer-Encoding: chunked\r\n\r\n{size:x}\r\n',
        infer([1, size, overload.WIDTH], {'parameters': {'binary_data_size': size}}),
        infer([size, size, overload.WIDTH], {'data': [0.0]}),
        infer([1, 2, overload.WIDTH], {'data': [0.0] * 3}),
    ]


def declaring(port, seconds, results):
    def work(draws):
        text = draws.choice(declared(draws.choice([10**10, 2**31, 2**63, 2**64 - 1])))
        with connected(port) as s:
            s.sendall(text.encode())
            came = b''
            while part := s.recv(1 << 16):
                came += part
        status = came.split(b' ')[1:2]
        return None if status and status[0][:1] in b'45' else f'{text[:300]!r} was answered {came[:100]!r}'

    each_until(seconds, work, results)


class Replaced:
    """A model that adds the number of its version, and is replaced, removed and broken while clients ask."""

    def __init__(self, server, folder):
        self.server, self.folder = server, folder
        self.version, self.statuses, self.wrong = 1, {}, []
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.guarded, args=(f,)) for f in (self.ask, self.replace)]

    @staticmethod
    def save(folder, version):
        save(C.plus(C.input_variable(2, name='x'), version, name='y'), folder, version)

    def guarded(self, work):
        try:
            while not self.stop.is_set():
                work()
        except Exception as error:
            self.wrong.append(repr(error))

    def ask(self):
        status, answer = self.server.infer('changing', {'x': np.zeros((1, 2), np.float32)})
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if status == 200 and answer['outputs'][0]['data'] != [float(answer['model_version'])] * 2:
            self.wrong.append(f'version {answer["model_version"]} answered {answer["outputs"][0]["data"]}')
        elif status not in (200, 404, 503):
            self.wrong.append(f'{status}: {answer}')
        time.sleep(0.005)

    def replace(self):
        self.version += 1
        self.asked('load', 200, broken=False)
        if self.version % 4 == 0:
            self.asked('load', 400, broken=True)
        if self.version % 5 == 0:
            self.asked('unload', 200)
        time.sleep(REPLACED)

    def asked(self, what, due, broken=None):
        if broken is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.save(self.folder, self.version)
            if broken:
                (self.folder / str(self.version) / 'model.cntk').write_bytes(b'no model')
        status, answer = self.server.ask('POST', f'/v2/repository/models/changing/{what}')
        if status != due:
            self.wrong.append(f'{what} of version {self.version}: {status} {answer}')

    def __enter__(self):
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for t in self.threads:
            t.join()


def files_of(server):
    return len(list(Path(f'/proc/{server.process.pid}/fd').iterdir()))


def settled(server, due, seconds=30):
    """The open files of the server, when the connections of the attack have ended."""
    until = time.perf_counter() + seconds
    while files_of(server) > due and time.perf_counter() < until:
        time.sleep(0.2)
    return files_of(server)


def attacked(server, folder, seconds):
    """What attackers counted and found wrong, by name, good clients' latencies, and the server's memory over
    time."""
    wrong_ones = [half, vanishing, damaged, declaring]
    context = multiprocessing.get_context('spawn')  # threads run here: a fork might find their locks held
    queues = {f.__name__: context.Queue() for f in wrong_ones}
    attackers = [
        context.Process(target=f, args=(server.port, seconds + 2, queues[f.__name__])) for f in wrong_ones
    ]
    for a in attackers:
        a.start()
    memory, stop = [], threading.Event()

    def watch():
        while not stop.wait(0.1):
            memory.append(server.memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    with Replaced(server, folder) as replaced:
        others = [(overload.greedy, GREEDY), (overload.slow, SLOW)]
        latencies, refused, (greedy, closed) = overload.measured(server, seconds, others)
        found = {name: queue.get() for name, queue in queues.items()}
    stop.set()
    watcher.join()
    for a in attackers:
        a.join()
    return latencies, refused, greedy, closed, found, replaced, memory


def run(seconds):
    """The whole attack; what was wrong, in lines."""
    with tempfile.TemporaryDirectory() as place:
        save(overload.network(), Path(place) / 'tagger')
        Replaced.save(Path(place) / 'changing', 1)
        with Server(place, *OPTIONS) as server:
            overload.measured(server, 1)
            files = files_of(server)
            latencies, refused, _ = overload.measured(server, max(1, seconds / 10))
            overload.line('good clients alone', latencies, refused, server.memory())
            result = attacked(server, Path(place) / 'changing', seconds)
            latencies, refused, greedy, closed, found, replaced, memory = result
            overload.line('under attack', latencies, refused, server.memory())
            for name, (count, _) in found.items():
                print(f'  {name}: {count}')
            print(f'  greedy, by status: {greedy}; slow connections closed: {closed}')
            print(f'  replaced {replaced.version} times, asked: {replaced.statuses}')
            early, late = (max(half) for half in np.array_split(np.array(memory), 2))
            print(f'  memory {early / 2**20:.1f} MiB in the first half, {late / 2**20:.1f} in the second')
            wrong = [f'{name}: {w}' for name, (_, list_) in found.items() for w in list_]
            wrong += [f'changing: {w}' for w in replaced.wrong]
            if not len(latencies):
                wrong.append('no good client was answered')
            if late - early > MOST_GROWTH:
                wrong.append(f'memory grew by {(late - early) / 2**20:.1f} MiB')
            if (left := settled(server, files)) > files:
                wrong.append(f'{left} files are open, and were {files}')
            if server.ask('GET', '/v2/health/ready')[0] != 200:
                wrong.append('the server is not ready')
            if (status := server.end()) != 0:
                wrong.append(f'the server ended with {status}')
            return wrong


if __name__ == '__main__':
    found = run(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
    print('\n'.join(found) or 'nothing was wrong')
    sys.exit(bool(found))
