"""A server under all that clients do wrong, at once, for as long as is asked, over HTTP and gRPC: half
requests, clients that vanish, sizes that are only declared, damaged bytes, slow and greedy clients, more
connections than may be open, models that are replaced while they are used. Says what good clients get
meanwhile, and whether memory and files stay.

    python benchmarks/serving/attack.py [SECONDS [ADDRESS]]        # 60 by itself

The good clients of HTTP come from ADDRESS (127.0.0.2), by itself from that of the others. It ends with an
error if an answer is wrong, a wrong request is accepted, or the server keeps what it took.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import grpc
import numpy as np
import overload
import wrong_grpc
from overload import Server, save
from tritonclient.grpc import service_pb2 as messages
from wrong_clients import changed, connected, each_until, held, vanish

import cantik as C

GREEDY, SLOW, HOLDING = 64, 400, 32  # connections
REPLACED = 0.2  # seconds between two versions of a model
MOST_GROWTH = 32 << 20  # bytes, from the second third of the attack to the last
LEAST_ANSWERED = 0.5  # of the requests of good clients; the others ask as often as they can

OPTIONS = ('--most-waiting', 16, '--most-connections', 500, '--read-time', 3, '--idle-time', 10)
INFER = '/inference.GRPCInferenceService/ModelInfer'


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
    changed(overload.request(), range(400), port, seconds, results)


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
        # A connection without an answer may have given way to another one.
        refused = not came or came.split(b' ')[1][:1] in b'45'
        return None if refused else f'{text[:300]!r} was answered {came[:100]!r}'

    each_until(seconds, work, results)


def holding(port, seconds, results):
    """Bodies of the largest size that are declared, begun and left."""

    def opened():
        s = connected(port)
        size = 64 << 20
        s.sendall(
            f'POST /v2/models/tagger/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n{{'.encode()
        )
        return s

    held(1, seconds, HOLDING, opened, b' ', results)


def message():
    """The request of overload.py as a message of gRPC."""
    rows = np.random.default_rng(0).random((1, overload.STEPS, overload.WIDTH), dtype=np.float32)
    asked = messages.ModelInferRequest(model_name='tagger')
    asked.inputs.add(name='s', datatype='FP32', shape=rows.shape)
    asked.raw_input_contents.append(rows.tobytes())
    return asked.SerializeToString()


def good_grpc(port, expected, seconds, results):
    text, busy = message(), (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)
    with grpc.insecure_channel(f'127.0.0.1:{port}') as channel:
        infer = channel.unary_unary(INFER)

        def ask():
            try:
                return infer(text, timeout=60)
            except grpc.RpcError as error:
                if error.code() not in busy:
                    raise
                return None

        overload.ask_for(seconds, ask, expected, results)


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
        try:
            status, answer = self.server.infer('changing', {'x': np.zeros((1, 2), np.float32)})
        except ConnectionError:  # it gave way
            status = 0
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if status == 200 and answer['outputs'][0]['data'] != [float(answer['model_version'])] * 2:
            self.wrong.append(f'version {answer["model_version"]} answered {answer["outputs"][0]["data"]}')
        elif status not in (0, 200, 404, 503):
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
        for _ in range(20):
            try:
                status, answer = self.server.ask('POST', f'/v2/repository/models/changing/{what}')
                break
            except ConnectionError:
                status, answer = 0, 'closed'
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


WRONG = [half, vanishing, damaged, declaring, holding]


def attacked(server, folder, seconds, good):
    """What good clients got, what attackers counted and found wrong, and the server's memory over time."""
    attackers = [(f,) for f in WRONG] + [(f, message()) for f in wrong_grpc.ATTACKERS]
    attackers += [(overload.slow, SLOW), (overload.greedy, GREEDY)]
    memory, stop = [], threading.Event()

    def watch():
        while not stop.wait(0.1):
            memory.append(server.memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    with Replaced(server, folder) as replaced:
        found = overload.run_beside(server.port, seconds, attackers, good)
    stop.set()
    watcher.join()
    return found, [f.__name__ for f, *_ in attackers], replaced, memory


def answers(server):
    """What good clients have to be answered, over HTTP and gRPC."""
    with grpc.insecure_channel(server.address) as channel:
        over_grpc = channel.unary_unary(INFER)(message())
    client = overload.GoodClient(server.port, '127.0.0.1')
    over_http = client.ask()
    client.close()
    return over_http, over_grpc


def tell(when, found, memory):
    """What the good clients of each protocol got, those of HTTP first; the share that was answered."""
    latencies, refused, *_ = found
    for name, of in (('HTTP', slice(overload.GOOD)), ('gRPC', slice(overload.GOOD, None))):
        own = np.concatenate(latencies[of])
        overload.line(f'good clients of {name}, {when}', own, sum(refused[of]), memory)
    answered = sum(map(len, latencies))
    share = answered / max(1, answered + sum(refused))
    print(f'  {share:.1%} of their requests were answered')
    return share


def refusals(server):
    """Lines of the metrics that say what was refused and closed, and why."""
    text = server.ask('GET', '/metrics')[1].decode()
    names = ('cantik_refused_total', 'cantik_closed_total')
    return [x for x in text.splitlines() if x.startswith(names) and not x.endswith(' 0')]


def run(seconds, address='127.0.0.1'):
    """The whole attack; what was wrong, in lines."""
    with tempfile.TemporaryDirectory() as place:
        save(overload.network(), Path(place) / 'tagger')
        Replaced.save(Path(place) / 'changing', 1)
        with Server(place, *OPTIONS) as server:
            over_http, over_grpc = answers(server)
            good = [(overload.good, over_http, address)] * overload.GOOD
            good += [(good_grpc, over_grpc)] * overload.GOOD
            files = files_of(server)
            alone = overload.run_beside(server.port, max(1, seconds / 10), [], good)
            tell('alone', alone, server.memory())
            found, names, replaced, memory = attacked(server, Path(place) / 'changing', seconds, good)
            share = tell('under attack', found, server.memory())
            _, _, other, said = found
            for name, what in zip(names, said):
                print(f'  {name}: {what if isinstance(what, dict) else what[0]}')
            print(f'  replaced {replaced.version} times, asked: {replaced.statuses}')
            _, early, late = (max(third) for third in np.array_split(np.array(memory), 3))
            print(f'  memory {early / 2**20:.1f} MiB in the second third, {late / 2**20:.1f} in the last')
            wrong = [f'{n}: {w}' for n, what in zip(names, said) if isinstance(what, tuple) for w in what[1]]
            wrong += [f'changing: {w}' for w in replaced.wrong]
            if any(other):
                wrong.append(f'{sum(other)} answers of good clients are others than they have to be')
            if share < LEAST_ANSWERED:
                wrong.append(f'{share:.1%} of the requests of good clients were answered')
            if late - early > MOST_GROWTH:
                wrong.append(f'memory grew by {(late - early) / 2**20:.1f} MiB')
            if (left := settled(server, files)) > files:
                wrong.append(f'{left} files are open, and were {files}')
            print('  ' + '\n  '.join(refusals(server)))
            if server.ask('GET', '/v2/health/ready')[0] != 200:
                wrong.append('the server is not ready')
            if (status := server.end()) != 0:
                wrong.append(f'the server ended with {status}')
            return wrong


if __name__ == '__main__':
    found = run(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, *sys.argv[2:])
    print('\n'.join(found) or 'nothing was wrong')
    sys.exit(bool(found))
