"""Training in several processes, started by `cantik launch`: the figures of CNTK 2.7 under its mpiexec, the
same bits in every run, workers that die."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cantik as C
import faults
import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / 'golden' / 'distributed_cntk.json'
PROGRAM = HERE.parent / 'golden' / 'distributed_cntk.py'
WORKERS = HERE / 'workers.py'


def launched(folder, workers, script, *arguments, status=0, command=None, **environment):
    """What each worker has written."""
    command = command or [sys.executable, '-m', 'cantik', 'launch', '-n', str(workers)]
    done = subprocess.run(
        [*command, str(script), *arguments],
        env={**os.environ, 'OMP_NUM_THREADS': '1', **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode != 0) == (status != 0), done.stdout + done.stderr
    files = sorted(folder.glob('[0-9].json'))
    found = {int(f.stem): json.loads(f.read_text()) for f in files}
    for f in files:
        f.unlink()
    return found


def program(folder, workers, name, status=0, command=None, environment=None, **options):
    arguments = name, str(folder), json.dumps(options)
    return launched(
        folder, workers, WORKERS, *arguments, status=status, command=command, **(environment or {})
    )


def cases():
    return {name: len(rows) for name, rows in json.loads(GOLDEN.read_text()).items()}


@pytest.mark.parametrize('case', sorted(cases()))
def test_figures_are_those_of_cntk(case, tmp_path):
    golden = json.loads(GOLDEN.read_text())[case]
    found = launched(tmp_path, len(golden), PROGRAM, case, str(tmp_path))
    for rank, rows in enumerate(golden):
        assert len(found[rank]) == len(rows)
        for ours, theirs in zip(found[rank], rows):
            assert [a for a in ours if not isinstance(a, float)] == [
                b for b in theirs if not isinstance(b, float)
            ]
            np.testing.assert_allclose(
                [a for a in ours if isinstance(a, float)],
                [b for b in theirs if isinstance(b, float)],
                rtol=2e-5,
                atol=3e-6,
            )


def test_sums_are_in_the_order_of_ranks(tmp_path):
    found = program(tmp_path, 3, 'sums')
    assert found[0] == found[1] == found[2]
    assert found[0][-1] == [{'rank': r, 'text': 'w' * (r + 1)} for r in range(3)]
    draws, index = [np.random.RandomState(r) for r in range(3)], 0
    for shape in [(1,), (7,), (5000,), (3, 1001)]:
        for dtype in (np.float32, np.float64):
            total = None
            for draw in draws:
                values = (draw.randn(*shape) * 10.0 ** draw.randint(-6, 6, shape)).astype(dtype)
                total = values if total is None else total + values
            assert found[0][index] == total.tobytes().hex()
            index += 1


@pytest.mark.parametrize(
    'options',
    [
        {},
        {'num_quantization_bits': 1},
        {'num_quantization_bits': 8},
        {'kind': 'block_momentum', 'block_size': 40},
        {'kind': 'local_sgd', 'block_size': 40},
    ],
    ids=['data_parallel', 'one_bit', 'eight_bits', 'blocks', 'local_sgd'],
)
def test_runs_have_the_same_bits_and_go_on_from_checkpoints(options, tmp_path):
    first = program(tmp_path, 2, 'through', **options)
    assert first == program(tmp_path, 2, 'through', **options)
    assert first[0][1] == first[1][1]
    assert program(tmp_path, 2, 'checkpoint', **options) == first


def test_a_checkpoint_serves_another_number_of_workers(tmp_path):
    program(tmp_path, 2, 'checkpoint', num_quantization_bits=1)
    found = program(tmp_path, 3, 'restored')
    assert found[0][0] == 96
    assert found[0] == found[1] == found[2]


def test_parameters_are_those_of_the_main_worker(tmp_path):
    found = program(tmp_path, 2, 'different')
    assert found[0] == found[1]


@pytest.mark.parametrize(
    'options',
    [
        {},
        {'width': 8000},  # exchanged during the backward pass
        {'num_quantization_bits': 1},
        {'kind': 'block_momentum', 'block_size': 32},
    ],
    ids=['data_parallel', 'large', 'one_bit', 'blocks'],
)
def test_workers_may_have_their_parameters_in_other_orders(options, tmp_path):
    expected = program(tmp_path, 2, 'in_another_order', turned=False, other=False, **options)
    assert expected[0] == expected[1]
    assert program(tmp_path, 2, 'in_another_order', other=False, **options) == expected
    assert program(tmp_path, 2, 'in_another_order', turned=False, **options) == expected  # other uids


@pytest.mark.parametrize('width', [5, 8000])
def test_parameters_that_do_not_belong_together_are_an_error_on_all_workers(width, tmp_path):
    found = program(tmp_path, 2, 'in_another_order', width=width)  # other uids, and another order
    assert found[0] == found[1]
    assert re.match(rf"worker 1 trains the parameter '' float32\[{width}, 6\] where worker 0", found[0])
    found = program(tmp_path, 2, 'in_another_order', width=width, called='v', turned=False)
    assert re.match("worker 1 trains the parameter 'v1' .* where worker 0 trains 'v0'", found[0])


def test_learners_of_one_trainer_exchange_alike():
    w, b = C.parameter((2, 1)), C.parameter(1)
    x, y = C.input_variable(2), C.input_variable(1)
    loss = C.squared_error(C.times(x, w) + b, y)

    def local(p):
        return C.sgd([p], 0.1)

    def gradients(p, after=0):
        return C.data_parallel_distributed_learner(local(p), distributed_after=after)

    for learners, error in (
        ([gradients(w), local(b)], ValueError('Cannot use a non-distributed learner')),
        ([local(w), gradients(b)], ValueError('Cannot use a non-distributed learner')),
        ([gradients(w, 10), gradients(b)], ValueError('(?s)the same DistributeAfterSamples limit.*10 and 0')),
        ([gradients(w), C.block_momentum_distributed_learner(local(b), 8)], RuntimeError('different kinds')),
    ):
        with pytest.raises(type(error), match=str(error)):
            C.Trainer(None, loss, learners)
    trainer = C.Trainer(None, loss, [gradients(w), gradients(b)])
    assert trainer.train_minibatch({x: np.ones((2, 2), 'f'), y: np.ones((2, 1), 'f')})


def test_results_are_those_of_one_process(tmp_path):
    one = program(tmp_path, 1, 'steps', count=6)
    two, four = program(tmp_path, 2, 'steps', count=6), program(tmp_path, 4, 'steps', count=6)
    assert two[0] == two[1] and all(four[r] == four[0] for r in range(4))
    numbers = [
        np.concatenate([np.frombuffer(bytes.fromhex(b), np.float32) for b in found[0][1]])
        for found in (one, two, four)
    ]
    np.testing.assert_allclose(numbers[1], numbers[0], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(numbers[2], numbers[0], rtol=1e-4, atol=1e-6)


def test_models_after_a_block_of_local_sgd_are_the_mean(tmp_path):
    found = program(tmp_path, 3, 'means')
    assert found[0][0] == found[1][0] == found[2][0]
    for i, mean in enumerate(found[0][0]):
        alone = [found[rank][1][i] for rank in range(3)]
        assert alone[0] != alone[1]
        np.testing.assert_allclose(mean, np.mean(alone, axis=0), rtol=1e-5, atol=1e-6)


def test_exchange_during_the_backward_pass_changes_no_bits(tmp_path):
    during = program(tmp_path, 3, 'wide', count=5)
    assert during[0] == during[1] == during[2]
    assert during == program(tmp_path, 3, 'wide', count=5, after=True)


def test_people_see_where_the_time_goes(tmp_path):
    found = program(tmp_path, 3, 'seen')
    for rank, lines in found.items():
        own, slow = lines[-2:]  # of the second summary: in the first, graphs are compiled
        numbers = re.fullmatch(
            rf' Worker {rank} of 3: (\S+) % of the samples, computing (\S+) s, waiting (\S+) s, '
            r'exchanging (\S+) s, (\S+) MB sent',
            own,
        )
        share, computing, waiting, exchanging, sent = map(float, numbers.groups())
        assert share == [37.5, 31.2, 31.2][rank]
        assert exchanging >= 0 and sent > 0
        assert (computing if rank == 2 else waiting) > 0.2
        assert re.fullmatch(
            r' Worker 2 is slow: it computes \S+ times as long for a sample as the others', slow
        )
    events = json.loads((tmp_path / 'trace').read_text())['traceEvents']
    runs = [[e for e in events if e['pid'] == rank and e['ph'] == 'X'] for rank in range(3)]
    assert all(any(e['name'] == 'workers.exchange' for e in own) for own in runs)
    begins, ends = [min(e['ts'] for e in own) for own in runs], [max(e['ts'] for e in own) for own in runs]
    assert max(begins) < min(ends)  # on one time line


@pytest.mark.parametrize('is_wide', [False, True])
def test_rows_of_gradients_are_exchanged(is_wide, tmp_path):
    one, two = (program(tmp_path, n, 'rows', is_wide=is_wide) for n in (1, 2))
    assert two[0] == two[1]
    np.testing.assert_allclose(two[0], one[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    'options', [{}, {'kind': 'block_momentum', 'block_size': 30}], ids=['gradients', 'blocks']
)
def test_sessions_share_out_their_data(options, tmp_path):
    found = program(tmp_path, 2, 'source', **options)
    assert found[0] == found[1]
    samples, seen, _ = found[0]
    assert samples == 225
    assert [n for _, _, n, _ in seen] == [75] * len(seen) and len(seen) == 5
    assert seen[-1][1] < seen[0][1]


@pytest.mark.parametrize('workers', [2, 3])
def test_sessions_go_on_with_the_same_bits(workers, tmp_path):
    for name in ('whole', 'parts'):
        (tmp_path / name).mkdir()
    whole = program(tmp_path / 'whole', workers, 'parts', limits=[176])
    assert whole[0][0] == 176
    assert program(tmp_path / 'parts', workers, 'parts', limits=[48, 96, 176]) == whole


def test_sources_of_programs_may_give_a_worker_nothing(tmp_path):
    one = program(tmp_path, 1, 'user_source')
    for workers in (2, 4):
        found = program(tmp_path, workers, 'user_source')
        assert all(found[r] == found[0] for r in range(workers))
        assert found[0][0] == one[0][0] == 49
        for ours, theirs in zip(found[0][1], one[0][1]):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


DEATHS = {
    'killed': ('worker 2 of 3, on ', 'is lost: its process ended or was killed'),
    'stopped': ('worker 2 of 3, on ', 'is lost: nothing was heard of it for 1 s'),
    'raises': ('worker 2 of 3, on ', 'has left: ValueError: the disk is full'),
    'ends': ('worker 2 of 3, on ', 'has left\n'),
    'other': ('the workers made different exchanges\n', 'worker 2 exchange 13, barrier'),
    'sizes': ('the workers made different exchanges\n', 'worker 2 exchange 13, sum of values, 12 bytes'),
}


@pytest.mark.parametrize('how', DEATHS)
def test_a_worker_that_is_lost_is_named(how, tmp_path):
    found = program(tmp_path, 3, 'doomed', status=1, environment={'CANTIK_SILENCE': '1'}, how=how)
    assert {0, 1} <= found.keys()
    when = float((tmp_path / 'at').read_text())
    for rank in (0, 1):
        text, seen, again = found[rank]
        begin, part = DEATHS[how]
        assert text.startswith(begin) and part in text
        assert '\n  remedy   ' in text
        assert seen - when < 5
        assert again.startswith('the workers cannot exchange anything any more: ')


@pytest.mark.parametrize('how', ['killed', 'stopped'])
def test_a_worker_that_is_lost_while_groups_form_is_named(how, tmp_path):
    found = program(tmp_path, 3, 'grouped', status=1, environment={'CANTIK_SILENCE': '1'}, how=how)
    check_that_it_is_named(tmp_path, found, how, 'waiting  exchange ')


def check_that_it_is_named(folder, found, how, waiting):
    """Within 5 s of its end."""
    assert {0, 1} <= found.keys()
    when = float((folder / 'at').read_text())
    begin, part = DEATHS[how]
    for rank in (0, 1):
        text, seen = found[rank]
        assert text.startswith(begin) and part in text and waiting in text
        assert seen - when < 5


@pytest.mark.skipif(not faults.can_inject(), reason='network namespaces need root, ip and tc')
@pytest.mark.parametrize('kind', ['cut', 'disk'])  # `make distributed` injects all, and many
def test_faults_on_machines_of_their_own_are_noticed(kind, tmp_path):
    with faults.Machines(3) as machines:
        assert faults.inject(machines, kind, tmp_path) == ''


def elastic(folder, workers, deaths, status=0, silence=1, replace=0, **options):
    """What those that lived found: samples seen, how often each was, how many workers there were."""
    command = [sys.executable, '-m', 'cantik', 'launch', '-n', str(workers), '--replace', str(replace)]
    return program(
        folder,
        workers,
        'elastic',
        status=status,
        command=command,
        environment={'CANTIK_SILENCE': str(silence)},
        deaths=deaths,
        **options,
    )


DATA = [
    {'data': 'file', 'randomize': False},
    {'data': 'file', 'balanced': True},
    {'data': 'chunks'},
    {'data': 'file', 'truncation': 2, 'balanced': True},
]


@pytest.mark.parametrize('data', DATA, ids=['in order', 'balanced', 'by chunks', 'in parts'])
@pytest.mark.parametrize(
    ('workers', 'deaths'),
    [(3, [[2, 8]]), (3, [[0, 8]]), (2, [[1, 30]]), (4, [[1, 5], [3, 5], [0, 21]])],
    ids=['the last', 'the main one', 'one of two', 'one after another'],
)
def test_others_go_on_without_a_worker_that_is_lost(workers, deaths, data, tmp_path):
    found = elastic(tmp_path, workers, deaths, **data)
    lived = sorted(set(range(workers)) - {who for who, _ in deaths})
    # a worker's file has the number that it had in the end
    assert len(found) == len(lived)
    for samples, seen, size in found.values():
        assert (samples, seen, size) == (1200, [3.0], len(lived))


@pytest.mark.parametrize('how', ['stopped', 'raises'])
def test_others_go_on_however_a_worker_is_lost(how, tmp_path):
    found = elastic(tmp_path, 3, [[2, 8]], how=how)
    assert list(found.values()) == [[1200, [3.0], 2]] * 2


@pytest.mark.parametrize('kind', ['block_momentum', 'local_sgd'])
def test_others_go_on_from_the_last_block(kind, tmp_path):
    found = elastic(tmp_path, 3, [[1, 9]], kind=kind, block_size=60, balanced=True)
    assert [(samples, size) for samples, _, size in found.values()] == [(1200, 2)] * 2
    assert found[0][1] == found[1][1]


def test_residues_begin_anew_without_a_worker_that_is_lost(tmp_path):
    found = elastic(tmp_path, 3, [[1, 9]], num_quantization_bits=1, balanced=True)
    assert [(samples, size) for samples, _, size in found.values()] == [(1200, 2)] * 2


@pytest.mark.parametrize('is_wide', [False, True], ids=['', 'during the backward pass'])
@pytest.mark.parametrize('dies', [0, 2])
def test_new_workers_are_taken_in_at_checkpoints(dies, is_wide, tmp_path):
    found = elastic(
        tmp_path,
        3,
        [[dies, 4]],
        replace=1,
        checkpoint=100,
        awaits=True,
        balanced=True,
        is_wide=is_wide,
    )
    assert list(found.values()) == [[1200, [3.0], 3]] * 3


def test_the_smaller_part_does_not_go_on(tmp_path):
    """The main worker of two is stopped: who knows whether it is not the other that is cut off."""
    found = elastic(tmp_path, 2, [[0, 8]], status=1, how='stopped')
    assert found == {}


def alone(code, **environment):
    return subprocess.run(
        [sys.executable, '-c', 'import cantik as C\n' + code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_process_by_itself_is_alone():
    done = alone(
        'c = C.mpi_communicator()\n'
        'c.barrier()\n'
        'print(c.workers() == [c.current_worker()], C.Communicator.rank())'
    )
    assert done.stdout == 'True 0\n', done.stderr


@pytest.mark.parametrize('kind', ['data_parallel', 'block_momentum', 'local_sgd'])
def test_parameters_are_read_and_called(kind):
    options = {'block_momentum': ', 10', 'local_sgd': ', 10'}.get(kind, '')
    done = alone(
        'w = C.parameter(2)\n'
        f'd = C.{kind}_distributed_learner(C.sgd([w], 0.1){options})\n'
        'print(d.parameters == (w,), d.parameters() == (w,), type(C.sgd([w], 0.1).parameters).__name__)'
    )
    assert done.stdout == 'True True tuple\n', done.stderr


@pytest.mark.parametrize(
    ('environment', 'text'),
    [
        (
            {'WORLD_SIZE': '4'},
            'a launcher has started 4 processes (WORLD_SIZE=4), but does not say how they meet',
        ),
        ({'WORLD_SIZE': '4', 'RANK': '4', 'MASTER_ADDR': 'localhost', 'MASTER_PORT': '1'}, "RANK='4'"),
        ({'HOROVOD_SIZE': '2'}, 'Horovod has started 2 processes'),
        ({'CANTIK_MPI': 'lam'}, 'CANTIK_MPI names no MPI: lam'),
        ({'CANTIK_MPI': '/nowhere/libmpi.so.40'}, 'the library that CANTIK_MPI names cannot be loaded'),
        ({'CANTIK_SILENCE': 'long'}, 'CANTIK_SILENCE must be a number of seconds'),
    ],
)
def test_launchers_that_say_too_little_are_refused(environment, text):
    done = alone('C.Communicator.rank()', **environment)
    assert done.returncode == 1 and text in done.stderr


def test_wrong_options_are_refused():
    import cantik as C

    local = C.sgd([C.parameter(2)], 0.1)
    for number in (3, 24, 31):
        with pytest.raises(RuntimeError, match='num_quantization_bits must be a divisor of 64'):
            C.data_parallel_distributed_learner(local, num_quantization_bits=number)
    with pytest.raises(RuntimeError, match='Asynchronous parameter update is not yet supported'):
        C.data_parallel_distributed_learner(local, use_async_buffered_parameter_update=True)
    with pytest.raises(ValueError, match='distributed already'):
        C.data_parallel_distributed_learner(C.data_parallel_distributed_learner(local))
    with pytest.raises(TypeError, match='learner'):
        C.block_momentum_distributed_learner(None, 10)
    with pytest.raises(ValueError, match='block_size'):
        C.block_momentum_distributed_learner(local, 0)


@pytest.mark.parametrize(
    ('arguments', 'status', 'text'),
    [
        ([], 2, "Missing argument 'SCRIPT'"),
        (['-n', '0', 'a.py'], 2, "Invalid value for '-n': 0 is not in the range 1<=x<=4096"),
        (['nowhere.py'], 2, "Path 'nowhere.py' does not exist"),
        (['--help'], 0, 'Usage: cantik launch'),
    ],
)
def test_the_launcher_says_how_it_is_used(arguments, status, text):
    done = subprocess.run(
        [sys.executable, '-m', 'cantik', 'launch', *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == status and text in done.stdout + done.stderr


def test_the_launcher_starts_again(tmp_path):
    script = tmp_path / 'again.py'
    script.write_text(
        'import os, sys, cantik as C\n'
        f'mark = {str(tmp_path / "mark")!r} + os.environ["RANK"]\n'
        'C.mpi_communicator().barrier()\n'
        'first = not os.path.exists(mark)\n'
        'open(mark, "w").close()\n'
        'sys.exit(3 if first and C.Communicator.rank() == 1 else 0)\n'
    )
    command = [sys.executable, '-m', 'cantik', 'launch', '-n', '2', '--restart', '1']
    assert launched(tmp_path, 2, script, command=command) == {}


@pytest.mark.parametrize(
    'options',
    [{}, {'num_quantization_bits': 1}, {'kind': 'block_momentum', 'block_size': 30}],
    ids=['data_parallel', 'one_bit', 'blocks'],
)
def test_a_training_that_starts_again_has_the_bits_of_one_that_was_not_interrupted(options, tmp_path):
    for name in ('whole', 'killed'):
        (tmp_path / name).mkdir()
    whole = program(tmp_path / 'whole', 3, 'restarts', **options)
    command = [sys.executable, '-m', 'cantik', 'launch', '-n', '3', '--restart', '1']
    killed = program(tmp_path / 'killed', 3, 'restarts', command=command, dies=13, **options)
    assert [found[2] for found in killed.values()] == [True] * 3
    assert [found[:2] for found in killed.values()] == [found[:2] for found in whole.values()]
    assert whole[0][0] == 400


AS_ROOT = {
    'OMPI_ALLOW_RUN_AS_ROOT': '1',
    'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
    'OMPI_MCA_rmaps_base_oversubscribe': '1',
    'PRTE_MCA_rmaps_default_mapping_policy': ':oversubscribe',
}
MPIEXECS = [p for p in os.environ.get('CANTIK_MPIEXECS', '').split(os.pathsep) if p]


@pytest.mark.skipif(
    not MPIEXECS, reason='CANTIK_MPIEXECS names no launchers of MPI, as `make distributed` does'
)
@pytest.mark.parametrize('mpiexec', MPIEXECS)
@pytest.mark.parametrize('program_of_workers', ['grouped', 'parting'])
@pytest.mark.parametrize('how', ['killed', 'stopped'])
def test_no_call_of_mpi_waits_for_a_worker_that_is_lost(how, program_of_workers, mpiexec, tmp_path):
    environment = {**AS_ROOT, 'CANTIK_SILENCE': '1'}
    command = [mpiexec, '-n', '3', sys.executable]
    if 'openmpi' in mpiexec:  # other launchers end all processes where one of them is killed
        command.insert(1, '--with-ft')
        command.insert(2, 'ulfm')
    elif how == 'killed':
        pytest.skip('this launcher ends all workers itself')
    found = program(
        tmp_path, 3, program_of_workers, status=1, command=command, environment=environment, how=how
    )
    waiting = {'grouped': 'waiting  exchange ', 'parting': 'waiting  end of training'}
    check_that_it_is_named(tmp_path, found, how, waiting[program_of_workers])


@pytest.mark.skipif(
    not MPIEXECS, reason='CANTIK_MPIEXECS names no launchers of MPI, as `make distributed` does'
)
@pytest.mark.parametrize('mpiexec', MPIEXECS)
def test_mpi_has_the_same_bits(mpiexec, tmp_path):
    environment = AS_ROOT
    command = [mpiexec, '-n', '3', sys.executable]
    for name, options in (
        ('sums', {}),
        ('steps', {'count': 3}),
        ('wide', {'count': 3}),
        ('steps', {'count': 3, 'num_quantization_bits': 1}),
        ('steps', {'count': 4, 'kind': 'block_momentum', 'block_size': 30}),
    ):
        found = program(tmp_path, 3, name, command=command, environment=environment, **options)
        assert found == program(tmp_path, 3, name, **options)


def test_each_worker_gets_its_own_external_state_back(tmp_path):
    """As in CNTK 2.7. Where there are other workers, all get that of the main one."""
    found = program(tmp_path, 2, 'external_states', path=str(tmp_path / 'model'))
    assert found == {0: [{'rank': 0}], 1: [{'rank': 1}]}
    found = program(tmp_path, 3, 'external_states', path=str(tmp_path / 'model'), saved=True)
    assert found == {rank: [{'rank': 0}] for rank in range(3)}


def test_writers_are_told_of_exchanges(tmp_path):
    """The counts are CNTK 2.7's."""
    found = program(tmp_path, 2, 'exchanges_told')
    assert found[0] == found[1] == [[[0, 8], [0, 2]], [[8, 16], [2, 4]], [[16, 24], [4, 6]]]


def test_compiled_programs_are_launched(tmp_path):
    done = subprocess.run(
        [sys.executable, '-m', 'cantik', 'launch', '-n', '2', '/usr/bin/printenv', 'RANK'],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and sorted(done.stdout.split()) == ['0', '1']
