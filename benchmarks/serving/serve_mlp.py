"""What a request costs a server: its CPU time per request, for a network of 784-200-10 and one row a request.

    python benchmarks/serving/serve_mlp.py                        # cantik-serve, JSON and bytes
    python benchmarks/serving/serve_mlp.py --peer beast ./beast_server 9580    # another server, in turns

CPU time is that of the server's process, user and system, over the requests that it answered: it may be
compared where latencies may not, on a machine that does other things. `run` is the model's own time, in this
process.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shlex
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import cantik as C

PROGRAM = Path(C.__file__).absolute().parents[2] / 'bin' / 'cantik-serve'
ROW = np.random.default_rng(2).random((1, 784), dtype=np.float32).round(4)


def network():
    x = C.input_variable(784, name='x')
    return C.layers.Sequential([C.layers.Dense(200, activation=C.relu), C.layers.Dense(10, name='y')])(x)


def requests():
    """{name: the bytes of a request}"""
    tensor = {'name': 'x', 'datatype': 'FP32', 'shape': [1, 784]}
    text = json.dumps({'inputs': [{**tensor, 'data': [round(float(v), 4) for v in ROW.ravel()]}]}).encode()
    head = {'inputs': [{**tensor, 'parameters': {'binary_data_size': ROW.nbytes}}]}
    head = json.dumps({**head, 'parameters': {'binary_data_output': True}}).encode()
    fields = 'POST /v2/models/mlp/infer HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
    lengths = f'Inference-Header-Content-Length: {len(head)}\r\nContent-Length: {len(head) + ROW.nbytes}'
    return {
        'json': f'{fields}Content-Length: {len(text)}\r\n\r\n'.encode() + text,
        'binary': f'{fields}{lengths}\r\n\r\n'.encode() + head + ROW.tobytes(),
    }


def cpu_seconds(process):
    """User and system time of a process so far."""
    fields = Path(f'/proc/{process.pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def is_whole(content):
    head, found, body = content.partition(b'\r\n\r\n')
    if not found:
        return False
    for line in head.lower().split(b'\r\n'):
        if line.startswith(b'content-length:'):
            return len(body) >= int(line.split(b':')[1])
    return False


def drive(port, request, clients, seconds):
    """Requests that were answered, one after another on each of so many connections."""
    chooser, answered = selectors.DefaultSelector(), 0
    for _ in range(clients):
        s = socket.create_connection(('127.0.0.1', port))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        chooser.register(s, selectors.EVENT_READ, [b''])
        s.sendall(request)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for key, _ in chooser.select(1):
            key.data[0] += key.fileobj.recv(65536)
            if is_whole(key.data[0]):
                assert key.data[0].startswith(b'HTTP/1.1 200'), key.data[0][:300]
                answered += 1
                key.data[0] = b''
                key.fileobj.sendall(request)
    for key in list(chooser.get_map().values()):
        key.fileobj.close()
    return answered


def started(command, port):
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection(('127.0.0.1', port)).close()
            return process
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f'{command[0]} does not listen on {port}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--peer', nargs=3, action='append', default=[], metavar=('NAME', 'COMMAND', 'PORT'))
    parser.add_argument('--seconds', type=float, default=2, help='of each point')
    parser.add_argument('--port', type=int, default=8765)
    parser.add_argument('--options', default='', help='of cantik-serve')
    arguments = parser.parse_args()
    model = network()
    begin, runs = time.process_time(), 2000
    for _ in range(runs):
        model.eval(ROW)
    print(f'run {(time.process_time() - begin) / runs * 1e6:.0f} us')
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / 'mlp' / '1'
        place.mkdir(parents=True)
        model.save(str(place / 'model.cntk'))
        ours = [
            str(PROGRAM),
            '--models',
            folder,
            '--port',
            str(arguments.port),
            *shlex.split(arguments.options),
        ]
        servers = [('cantik', ours, arguments.port)]
        servers += [(name, shlex.split(command), int(port)) for name, command, port in arguments.peer]
        running = [(name, started(command, port), port) for name, command, port in servers]
        try:
            for kind, request in requests().items():
                for clients in (1, 16, 64):
                    for name, process, port in running:
                        before = cpu_seconds(process)
                        answered = drive(port, request, clients, arguments.seconds)
                        cost = (cpu_seconds(process) - before) / answered * 1e6
                        rate = f'{answered / arguments.seconds:8.0f} requests/s'
                        print(f'{name:12} {kind:7} {clients:3} clients {rate} {cost:6.1f} us of CPU each')
        finally:
            for _, process, _ in running:
                process.terminate()


if __name__ == '__main__':
    main()
