"""Streams: sequences that come step by step, whose states the server carries."""

import time

import numpy as np
import pytest

from serving import PROGRAM, Server, in_parallel, save
from serving_models import sequences, MODELS, random

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
