"""The server over gRPC, on the port of HTTP: every call, tensors as bytes and as lists, wrong messages."""

import socket
import subprocess
import threading

import numpy as np
import pytest

import cantik as C

from serving import PROGRAM, Server, save

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)
grpc = pytest.importorskip('grpc', reason='tools/requirements/test.txt')
triton = pytest.importorskip('tritonclient.grpc', reason='tools/requirements/test.txt')
from tritonclient.grpc import service_pb2 as messages
from tritonclient.grpc.service_pb2_grpc import GRPCInferenceServiceStub as Stub


def models():
    x = C.input_variable(6, name='x')
    s = C.sequence.input_variable(5, name='s')
    wide = C.input_variable(2, np.float64, name='w')
    half = C.input_variable(2, np.float16, name='h')
    return {
        'mlp': C.layers.Sequential([C.layers.Dense(20, activation=C.relu), C.layers.Dense(4, name='y')])(x),
        'tagger': C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(12)), C.layers.Dense(3, name='y')])(
            s
        ),
        'wide': C.plus(wide, 1, name='y'),
        'half': C.plus(half, half, name='y'),
    }


MODELS = models()


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp('models')
    for name, model in MODELS.items():
        save(model, folder / name)
    with Server(folder, '--most-body', 1 << 20) as running:
        yield running


@pytest.fixture
def stub(server):
    with grpc.insecure_channel(server.address) as channel:
        yield Stub(channel)


def random(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def test_tritonclient(server):
    client = triton.InferenceServerClient(server.address)
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready('mlp')
    assert not client.is_model_ready('none')
    about = client.get_server_metadata()
    assert about.name == 'cantik'
    assert list(about.extensions) == ['binary_tensor_data', 'model_repository', 'sequence']
    model = client.get_model_metadata('tagger')
    assert (model.inputs[0].name, model.inputs[0].datatype) == ('s', 'FP32')
    assert list(model.inputs[0].shape) == [-1, -1, 5]
    assert list(model.versions) == ['1']
    assert {m.name for m in client.get_model_repository_index().models} == set(MODELS)
    client.unload_model('half')
    assert not client.is_model_ready('half')
    client.load_model('half')
    assert client.is_model_ready('half', '1')
    x = random(3, 6)
    given = triton.InferInput('x', [3, 6], 'FP32')
    given.set_data_from_numpy(x)
    made = client.infer('mlp', [given], outputs=[triton.InferRequestedOutput('y')], request_id='9')
    assert np.array_equal(made.as_numpy('y'), MODELS['mlp'].eval(x))
    assert made.get_response().id == '9'
    with pytest.raises(triton.InferenceServerException, match='the model none is not loaded') as e:
        client.infer('none', [given])
    assert 'NOT_FOUND' in e.value.status()
    client.close()


def test_the_bits_of_http(server):
    client = triton.InferenceServerClient(server.address)
    whole = random(1, 7, 5)
    y = server.outputs('tagger', {'s': whole})['y']

    def steps(begin, end, **more):
        given = triton.InferInput('s', [1, end - begin, 5], 'FP32')
        given.set_data_from_numpy(whole[:, begin:end])
        return client.infer('tagger', [given], **more).as_numpy('y')

    assert np.array_equal(steps(0, 7), y)
    for name in ('a', 5):
        parts = [
            steps(0, 3, sequence_id=name, sequence_start=True),
            steps(3, 4, sequence_id=name),
            steps(4, 7, sequence_id=name, sequence_end=True),
        ]
        assert np.array_equal(np.concatenate(parts, 1), y)
    with pytest.raises(triton.InferenceServerException, match='has not begun'):
        steps(0, 3, sequence_id='a')
    client.close()


def typed(model, name, datatype, shape, **contents):
    request = messages.ModelInferRequest(model_name=model)
    tensor = request.inputs.add(name=name, datatype=datatype, shape=shape)
    for field, numbers in contents.items():
        getattr(tensor.contents, field).extend(numbers)
    return request


def test_lists_of_numbers(stub):
    y = MODELS['mlp'].eval(np.array([[0, 1, 1, 0, 1, 0]], np.float32))
    for datatype, field in [
        ('BOOL', 'bool_contents'),
        ('INT8', 'int_contents'),
        ('INT16', 'int_contents'),
        ('INT32', 'int_contents'),
        ('INT64', 'int64_contents'),
        ('UINT8', 'uint_contents'),
        ('UINT16', 'uint_contents'),
        ('UINT32', 'uint_contents'),
        ('UINT64', 'uint64_contents'),
        ('FP32', 'fp32_contents'),
    ]:
        made = stub.ModelInfer(typed('mlp', 'x', datatype, [1, 6], **{field: [0, 1, 1, 0, 1, 0]}))
        assert not made.raw_output_contents
        assert np.array_equal(np.array(made.outputs[0].contents.fp32_contents, np.float32).reshape(1, 4), y)
    made = stub.ModelInfer(typed('wide', 'w', 'FP64', [1, 2], fp64_contents=[0.5, 2]))
    assert list(made.outputs[0].contents.fp64_contents) == [1.5, 3]
    # FP16 has no list: the answer is in bytes.
    made = stub.ModelInfer(typed('half', 'h', 'INT8', [1, 2], int_contents=[1, 3]))
    assert np.array_equal(np.frombuffer(made.raw_output_contents[0], np.float16), [2, 6])


@pytest.mark.parametrize(
    ('request_of', 'text'),
    [
        (lambda: messages.ModelInferRequest(model_name='mlp'), 'the input x is not in the request'),
        (
            lambda: typed('mlp', 'x', 'FP32', [1, 6], fp32_contents=[1] * 5),
            '6 numbers of 4 bytes; 20 bytes came',
        ),
        (
            lambda: typed('mlp', 'x', 'FP32', [1, 6], int_contents=[1] * 6),
            'not in the list of the datatype FP32',
        ),
        (
            lambda: typed('mlp', 'x', 'INT8', [1, 6], int_contents=[128] * 6),
            'the number 128, which is none of',
        ),
        (
            lambda: typed('mlp', 'x', 'FP16', [1, 6], fp32_contents=[1] * 6),
            'not in the list of the datatype FP16',
        ),
        (lambda: typed('mlp', 'x', 'FP32', [-1, 6], fp32_contents=[1] * 6), 'negative axis'),
        (lambda: typed('mlp', 'x', 'FP32', [2**62, 6]), 'too large'),
        (lambda: typed('mlp', 'x', 'BYTES', [1]), 'BYTES is not among them'),
        (lambda: typed('mlp', 'x', '', [1]), 'no datatype'),
    ],
)
def test_wrong_requests(stub, request_of, text):
    with pytest.raises(grpc.RpcError) as e:
        stub.ModelInfer(request_of())
    assert e.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert text in e.value.details()


def test_wrong_raw_contents(stub):
    request = typed('mlp', 'x', 'FP32', [1, 6])
    request.raw_input_contents.extend([b'0' * 24, b''])
    with pytest.raises(grpc.RpcError, match='1 inputs and 2 raw_input_contents'):
        stub.ModelInfer(request)
    request = typed('mlp', 'x', 'FP32', [1, 6], fp32_contents=[1] * 6)
    request.raw_input_contents.append(b'0' * 24)
    with pytest.raises(grpc.RpcError, match='both as numbers and as bytes'):
        stub.ModelInfer(request)


def twice(name):
    request = typed('mlp', 'x', 'FP32', [1, 6], fp32_contents=[1] * 6)
    for _ in range(2):
        request.outputs.add(name=name)
    return request


def test_an_output_is_asked_for_once(stub):
    with pytest.raises(grpc.RpcError, match='the output y is asked for more than once') as e:
        stub.ModelInfer(twice('y'))
    assert e.value.code() == grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize('name', ['x' * 12000, 'é' * 100000, 'x' + 'é' * 6000, '\U0001f600' * 30000])
def test_long_texts_of_errors_fit_into_metadata(stub, name):
    with pytest.raises(grpc.RpcError) as e:
        stub.ModelMetadata(messages.ModelMetadataRequest(name=name))
    assert e.value.code() == grpc.StatusCode.NOT_FOUND
    text = e.value.details()
    assert text.startswith('the model ' + name[:200])
    assert text.endswith(name[-1] + '...')
    assert len(text.encode()) <= 1027


def test_texts_of_errors_are_whole(stub):
    for name in ('a\0b', 'a%b', 'a\nb', 'é'):
        with pytest.raises(grpc.RpcError) as e:
            stub.ModelMetadata(messages.ModelMetadataRequest(name=name))
        assert e.value.details() == f'the model {name} is not loaded'


def test_other_calls_and_broken_messages(server):
    with grpc.insecure_channel(server.address) as channel:

        def call(path, content, compression=None):
            with pytest.raises(grpc.RpcError) as e:
                channel.unary_unary(path)(content, compression=compression)
            return e.value.code(), e.value.details()

        service = '/inference.GRPCInferenceService/'
        assert call(service + 'ModelStream', b'')[0] == grpc.StatusCode.UNIMPLEMENTED
        assert call('/other.Service/Call', b'')[0] == grpc.StatusCode.UNIMPLEMENTED
        assert 'no ModelInferRequest' in call(service + 'ModelInfer', b'\xff\xff\xff')[1]
        # a name as a number, a shape as a fixed number
        for content in (b'\x08\x01', b'\x2a\x02\x08\x01', b'\x2a\x05\x1d\x01\x00\x00\x00'):
            code, text = call(service + 'ModelInfer', content)
            assert (code, 'no ModelInferRequest' in text) == (grpc.StatusCode.INVALID_ARGUMENT, True)
        assert 'cannot be read' in call(service + 'ModelMetadata', b'\x0a\x7f')[1]
        code, text = call(service + 'ModelInfer', b'a' * 10000, grpc.Compression.Gzip)
        assert (code, 'not compressed' in text) == (grpc.StatusCode.UNIMPLEMENTED, True)
        assert call(service + 'ModelInfer', b'a' * ((1 << 20) + 1))[0] == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert channel.unary_unary(service + 'ServerLive')(b'') == b'\x08\x01'


def test_http2_without_grpc(server):
    command = ['curl', '-sS', '--http2-prior-knowledge', '-w', '%{http_code}', f'http://{server.address}/v2']
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == '415'


def test_many_calls_on_one_connection(server):
    s = [random(1, 1 + i % 9, 5, seed=i) for i in range(40)]
    alone = [server.outputs('tagger', {'s': v})['y'] for v in s]
    with grpc.insecure_channel(server.address) as channel:
        stub, calls = Stub(channel), []
        for v in s * 5:
            request = typed('tagger', 's', 'FP32', v.shape)
            request.raw_input_contents.append(v.tobytes())
            calls.append(stub.ModelInfer.future(request))
        for call, y in zip(calls, alone * 5):
            assert np.array_equal(
                np.frombuffer(call.result().raw_output_contents[0], np.float32).reshape(y.shape), y
            )


def test_large_answers_and_calls_that_are_given_up(server):
    x = random(20000, 6)
    request = typed('mlp', 'x', 'FP32', x.shape)
    request.raw_input_contents.append(x.tobytes())
    with grpc.insecure_channel(server.address) as channel:
        stub = Stub(channel)
        for _ in range(20):
            stub.ModelInfer.future(request).cancel()
        made = stub.ModelInfer(request)
        assert len(made.raw_output_contents[0]) == 20000 * 16
    for _ in range(50):
        if b'cantik_body_bytes 0\n' in server.ask('GET', '/metrics')[1]:
            break
        threading.Event().wait(0.05)
    assert b'cantik_body_bytes 0\n' in server.ask('GET', '/metrics')[1]


def test_bytes_that_are_no_http2(server):
    preface = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
    for content in (
        preface + b'\xff' * 200,
        preface[:10],
        preface + b'\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00',
        preface,
    ):
        with socket.create_connection(('127.0.0.1', server.port), timeout=20) as s:
            s.sendall(content)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass
    assert server.ask('GET', '/v2/health/live')[0] == 200
