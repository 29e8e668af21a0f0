"""Streams: sequences that come step by step, whose states the server carries."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

import cantik as C

from serving import PROGRAM, Server, arrays, in_parallel, save
from serving_models import MODELS, random, sequences

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason='the server is not built: its libraries are missing'
)


def test_streams_carry_their_states(server):
    list_of = sequences(6)
    whole = [server.outputs('tagger', {'s': s[None]})['y'][0] for s in list_of]

    def client(i):
        s, connection, made = list_of[i], server.connection(), []
        cuts = list(range(0, len(s), 1 + i % 3)) + [len(s)]
        for begin, end in zip(cuts, cuts[1:]):
            part = {'sequence_id': f's{i}', 'sequence_start': begin == 0, 'sequence_end': end == len(s)}
            made.append(
                server.outputs('tagger', {'s': s[None, begin:end]}, connection, parameters=part)['y'][0]
            )
        assert np.array_equal(np.concatenate(made), whole[i])

    in_parallel(6, client)
    status, answer = server.infer('tagger', {'s': list_of[0][None]}, parameters={'sequence_id': 's0'})
    assert status == 400
    assert 'the sequence s0 has not begun' in answer['error']


def test_streams_begin_anew_and_have_whole_numbers_as_ids(server):
    s = sequences(1)[0][None]
    first = server.outputs('tagger', {'s': s}, parameters={'sequence_id': 7, 'sequence_start': True})['y']
    second = server.outputs('tagger', {'s': s}, parameters={'sequence_id': 7})['y']
    again = server.outputs(
        'tagger', {'s': s}, parameters={'sequence_id': 7, 'sequence_start': True, 'sequence_end': True}
    )['y']
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)


def test_wrong_streams(server):
    s = random(2, 3, 5)
    start = {'sequence_id': 'a', 'sequence_start': True}
    status, answer = server.infer('tagger', {'s': s}, parameters=start)
    assert (status, 'has one sequence' in answer['error']) == (400, True)
    status, answer = server.infer('both_ways', {'s': s[:1]}, parameters=start)
    assert (status, 'future_value' in answer['error'].lower() or 'ahead' in answer['error']) == (400, True), (
        answer
    )


def test_streams_have_a_limit_and_a_time(tmp_path):
    save(MODELS['tagger'], tmp_path / 'tagger')
    with Server(tmp_path, '--most-streams', 2, '--stream-idle-time', 0.3) as server:
        s = {'s': random(1, 2, 5)}
        for name in 'ab':
            server.outputs('tagger', s, parameters={'sequence_id': name, 'sequence_start': True})
        status, answer = server.infer('tagger', s, parameters={'sequence_id': 'c', 'sequence_start': True})
        assert (status, 'carries 2 sequences' in answer['error']) == (503, True)
        assert server.fields['Retry-After'] == '1'
        time.sleep(0.4)
        server.outputs(
            'tagger', s, parameters={'sequence_id': 'c', 'sequence_start': True, 'sequence_end': True}
        )
        assert server.infer('tagger', s, parameters={'sequence_id': 'a'})[0] == 400


def metric(server, name):
    for line in server.ask('GET', '/metrics')[1].decode().splitlines():
        if line.startswith((name + ' ', name + '{')):
            return float(line.split()[-1])
    return 0.0


def wait_until(holds):
    for _ in range(20000):
        if holds():
            return
        time.sleep(0.001)
    raise AssertionError('it does not come')


@contextmanager
def slow_server(folder, *options):
    s = C.sequence.input_variable(5, name='s')
    save(
        C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(200)), C.layers.Dense(1, name='y')])(s),
        folder / 'slow',
    )
    with Server(folder, *options) as server:
        yield server


@contextmanager
def long_run(server):
    """A step of another stream runs for a second or more, so that requests wait."""
    streams = metric(server, 'cantik_streams')
    part = {'sequence_id': 'long', 'sequence_start': True, 'sequence_end': True}
    run = threading.Thread(target=lambda: server.outputs('slow', {'s': random(1, 30000, 5)}, parameters=part))
    run.start()
    wait_until(lambda: metric(server, 'cantik_streams') > streams and metric(server, 'cantik_waiting') == 0)
    yield
    run.join()


def step(server, **part):
    return server.infer('slow', {'s': random(1, 3, 5)}, parameters={'sequence_id': 'a', **part})


def numbers(answer):
    status, content = answer
    assert status == 200, content
    return arrays(content)['y']


def test_a_start_that_was_refused_begins_nothing(tmp_path):
    with slow_server(tmp_path, '--request-time', 0.2) as server:
        with long_run(server):
            assert step(server, sequence_start=True)[0] == 504
        status, answer = step(server)
        assert (status, 'the sequence a has not begun' in answer['error']) == (400, True)
        assert metric(server, 'cantik_streams') == 0
        # Nor does the sequence before it go on.
        numbers(step(server, sequence_start=True))
        with long_run(server):
            assert step(server, sequence_start=True)[0] == 504
        assert step(server)[0] == 400
        assert metric(server, 'cantik_streams') == 0


def test_an_end_that_was_refused_ends_nothing(tmp_path):
    with slow_server(tmp_path, '--request-time', 0.2) as server:
        numbers(step(server, sequence_start=True))
        second = numbers(step(server, sequence_end=True))
        numbers(step(server, sequence_start=True))
        with long_run(server):
            assert step(server, sequence_end=True)[0] == 504
        assert np.array_equal(numbers(step(server, sequence_end=True)), second)
        assert step(server)[0] == 400


@contextmanager
def calls_in_line(server):
    """send(flags): a step by gRPC, all on one connection; it waits in line when send returns."""
    grpc = pytest.importorskip('grpc', reason='tools/requirements/test.txt')
    messages = pytest.importorskip('tritonclient.grpc', reason='tools/requirements/test.txt').service_pb2
    with grpc.insecure_channel(server.address) as channel:
        infer = channel.unary_unary(
            '/inference.GRPCInferenceService/ModelInfer',
            messages.ModelInferRequest.SerializeToString,
            messages.ModelInferResponse.FromString,
        )

        def send(**flags):
            message = messages.ModelInferRequest(model_name='slow')
            message.inputs.add(name='s', datatype='FP32', shape=[1, 3, 5])
            message.raw_input_contents.append(random(1, 3, 5).tobytes())
            message.parameters['sequence_id'].string_param = 'a'
            for name, value in flags.items():
                message.parameters[name].bool_param = value
            waiting = metric(server, 'cantik_waiting')
            call = infer.future(message)
            wait_until(lambda: metric(server, 'cantik_waiting') == waiting + 1)
            return call

        yield send


def test_a_start_behind_an_end_begins_anew(tmp_path):
    with slow_server(tmp_path) as server, calls_in_line(server) as send:
        numbers(step(server, sequence_start=True))
        second = numbers(step(server))
        with long_run(server):
            calls = [send(sequence_end=True), send(sequence_start=True)]
        for call in calls:
            assert len(call.result().outputs) == 1
        assert np.array_equal(numbers(step(server)), second)


def test_steps_behind_a_start_that_was_given_up_are_refused(tmp_path):
    with slow_server(tmp_path) as server, calls_in_line(server) as send:
        with long_run(server):
            start, behind = send(sequence_start=True), send()
            start.cancel()
        assert 'the sequence a has not begun' in behind.details()
        assert behind.code().name == 'INVALID_ARGUMENT'
        assert metric(server, 'cantik_streams') == 0


def test_steps_behind_an_end_are_refused(tmp_path):
    with slow_server(tmp_path) as server, calls_in_line(server) as send:
        numbers(step(server, sequence_start=True))
        with long_run(server):
            end, behind = send(sequence_end=True), send()
        assert len(end.result().outputs) == 1
        assert 'the sequence a has not begun, has ended' in behind.details()
        assert metric(server, 'cantik_streams') == 0
