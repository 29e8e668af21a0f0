"""Writes the seeds of the fuzzers of requests, corpus/serve_json and serve_grpc. Needs tritonclient[grpc]."""

import json
import struct
from pathlib import Path

import numpy as np
from tritonclient.grpc import service_pb2 as messages

CORPUS = Path(__file__).parent / 'corpus'
DTYPES = {'FP32': 'float32', 'INT64': 'int64', 'FP16': 'float16'}
INPUTS = {
    'x': ('FP32', [2, 2], [1, 2, 3, 4]),
    's': ('FP32', [2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8]),
    's:lengths': ('INT64', [2], [2, 1]),
    'w': ('INT64', [3], [0, 2, 1]),
    'w:lengths': ('INT64', [2], [2, 1]),
    'f': ('FP16', [2, 1, 2], [1, 0, 0.5, 2]),
}


def keep(folder, name, content):
    place = CORPUS / folder
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(content)


def main():
    plain, heads, tail = [], [], b''
    typed = messages.ModelInferRequest(model_name='m', id='1')
    raw = messages.ModelInferRequest(model_name='m', model_version='1')
    raw.parameters['sequence_id'].int64_param = 3
    raw.parameters['sequence_start'].bool_param = True
    for name, (datatype, shape, numbers) in INPUTS.items():
        one = {'name': name, 'datatype': datatype, 'shape': shape}
        content = np.array(numbers, DTYPES[datatype]).tobytes()
        plain.append({**one, 'data': numbers})
        heads.append({**one, 'parameters': {'binary_data_size': len(content)}})
        tail += content
        raw.inputs.add(**one)
        raw.raw_input_contents.append(content)
        tensor = typed.inputs.add(**{**one, 'datatype': 'FP32' if datatype == 'FP16' else datatype})
        lists = tensor.contents.int64_contents if datatype == 'INT64' else tensor.contents.fp32_contents
        lists.extend(numbers)
    more = {
        'id': 'a',
        'parameters': {'sequence_id': 3, 'sequence_start': True},
        'outputs': [{'name': 'output0'}],
    }
    keep('serve_json', 'plain', b'\xff\xff' + json.dumps({'inputs': plain, **more}).encode())
    head = json.dumps({'inputs': heads}).encode()
    keep('serve_json', 'binary', struct.pack('>H', len(head)) + head + tail)
    keep('serve_grpc', 'typed', typed.SerializeToString())
    keep('serve_grpc', 'raw', raw.SerializeToString())


if __name__ == '__main__':
    main()
