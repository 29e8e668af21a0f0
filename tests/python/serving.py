"""A server for tests: the program cantik-serve on models that are made here, and what asks it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np

import cantik as C

PROGRAM = Path(C.__file__).absolute().parents[2] / 'bin' / 'cantik-serve'

NUMPY = {'FP32': np.float32, 'FP64': np.float64, 'FP16': np.float16, 'INT64': np.int64, 'INT32': np.int32}


def save(model, folder, version=1, ending='cntk'):
    """The model as a version of a repository."""
    place = Path(folder) / str(version)
    place.mkdir(parents=True)
    if ending == 'onnx':
        model.save(str(place / 'model.onnx'), format=C.ModelFormat.ONNX)
    else:
        model.save(str(place / f'model.{ending}'))


class Server:
    """A running server; its log is in `events`."""

    def __init__(self, folder, *options):
        command = [str(PROGRAM), '--models', str(folder), '--port', '0', *map(str, options)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.events = []
        self.port = None
        for line in self.process.stderr:
            self.events.append(json.loads(line))
            if self.events[-1]['event'] == 'listen':
                self.port = self.events[-1]['port']
                break
        assert self.port, self.events
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.events.append(json.loads(line))

    @property
    def address(self):
        return f'127.0.0.1:{self.port}'

    def connection(self):
        return http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """(status, answer) of one request: JSON where it is JSON, else bytes."""
        own = connection or self.connection()
        body = json.dumps(body) if isinstance(body, (dict, list)) else body
        own.request(method, path, body=body, headers=headers or {})
        answer = own.getresponse()
        content = answer.read()
        self.fields = dict(answer.getheaders())
        if connection is None:
            own.close()
        if content and answer.headers['Content-Type'] == 'application/json':
            return answer.status, json.loads(content)
        return answer.status, content

    def infer(self, model, inputs, connection=None, **more):
        """(status, answer) of a request in JSON; inputs: {name: array}."""
        body = {'inputs': [tensor(name, value) for name, value in inputs.items()], **more}
        return self.ask('POST', f'/v2/models/{model}/infer', body, connection=connection)

    def outputs(self, model, inputs, connection=None, **more):
        status, answer = self.infer(model, inputs, connection, **more)
        assert status == 200, answer
        return arrays(answer)

    def memory(self):
        for line in Path(f'/proc/{self.process.pid}/status').read_text().splitlines():
            if line.startswith('VmRSS'):
                return int(line.split()[1]) * 1024
        raise AssertionError('no VmRSS')

    def end(self):
        """Told to end; its status."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.reader.join(10)
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end()


def datatype(value):
    names = {'float32': 'FP32', 'float64': 'FP64', 'float16': 'FP16', 'bool': 'BOOL'}
    return names.get(str(value.dtype), str(value.dtype).upper())


def tensor(name, value):
    return {
        'name': name,
        'datatype': datatype(value),
        'shape': list(value.shape),
        'data': value.ravel().tolist(),
    }


def arrays(answer):
    return {
        o['name']: np.array(o['data'], NUMPY[o['datatype']]).reshape(o['shape']) for o in answer['outputs']
    }


def binary(inputs, outputs=()):
    """(body, headers) of a request with its tensors as bytes."""
    listed, tail = [], b''
    for name, value in inputs.items():
        content = value.tobytes()
        listed.append(
            {
                'name': name,
                'datatype': datatype(value),
                'shape': list(value.shape),
                'parameters': {'binary_data_size': len(content)},
            }
        )
        tail += content
    head = {'inputs': listed, 'parameters': {'binary_data_output': True}}
    if outputs:
        head['outputs'] = [{'name': name, 'parameters': {'binary_data': True}} for name in outputs]
    text = json.dumps(head).encode()
    return text + tail, {'Inference-Header-Content-Length': str(len(text))}


def binary_arrays(content, fields):
    """The outputs of an answer with its tensors as bytes."""
    size = int(fields['Inference-Header-Content-Length'])
    head, at, found = json.loads(content[:size]), size, {}
    for output in head['outputs']:
        n = output['parameters']['binary_data_size']
        found[output['name']] = np.frombuffer(content[at : at + n], NUMPY[output['datatype']]).reshape(
            output['shape']
        )
        at += n
    assert at == len(content)
    return found


def in_parallel(count, work):
    """work(i) in so many threads; the first exception."""
    wrong = []

    def guarded(i):
        try:
            work(i)
        except BaseException as e:
            wrong.append(e)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if wrong:
        raise wrong[0]
