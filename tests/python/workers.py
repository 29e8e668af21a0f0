"""Programs of several workers for test_distributed.py: `cantik launch -n 2 workers.py NAME FOLDER ARGUMENTS`.
Each worker writes what it found into a file of its own in the folder."""

import json
import os
import signal
import sys
import threading
import time

import cantik as C
import numpy as np

rank, size = C.Communicator.rank(), C.Communicator.num_workers()


def network(seed=3):
    draw = np.random.RandomState(seed)
    x, y = C.input_variable(6), C.input_variable(4)
    w, v = C.parameter(init=draw.randn(6, 5).astype('f')), C.parameter(init=draw.randn(5, 4).astype('f'))
    z = C.times(C.tanh(C.times(x, w)), v)
    return x, y, z, draw.randn(128, 6).astype('f'), draw.randn(128, 4).astype('f')


def learner_of(z, kind='data_parallel', **options):
    local = C.momentum_sgd(z.parameters, C.learning_parameter_schedule_per_sample(0.01), 0.8)
    return getattr(C, kind + '_distributed_learner')(local, **options)


def bits(z):
    return [p.value.tobytes().hex() for p in z.parameters]


def train(trainer, x, y, X, Y, begins, batch=16):
    for begin in begins:
        trainer.train_minibatch(
            {x: X[begin : begin + batch][rank::size], y: Y[begin : begin + batch][rank::size]}
        )


def sums():
    """Sums of numbers whose order shows."""
    draw = np.random.RandomState(rank)
    found = []
    for shape in [(1,), (7,), (5000,), (3, 1001)]:
        for dtype in (np.float32, np.float64):
            values = (draw.randn(*shape) * 10.0 ** draw.randint(-6, 6, shape)).astype(dtype)
            view = C.NDArrayView.from_dense(values)
            (total,) = C.mpi_communicator().aggregate([view])
            assert np.array_equal(view.asarray(), values)
            C.mpi_communicator().aggregate_in_place([view])
            assert np.array_equal(view.asarray(), total.asarray())
            found.append(total.asarray().tobytes().hex())
    return found + [C.mpi_communicator().gather({'rank': rank, 'text': 'w' * (rank + 1)})]


def external_states(path, saved=False):
    """What each worker gave save_checkpoint, as the others got it back."""
    x, y, z, X, Y = network()
    trainer = C.Trainer(z, C.squared_error(z, y), learner_of(z))
    train(trainer, x, y, X, Y, [0])
    if not saved:
        trainer.save_checkpoint(path, {'rank': rank})
    return [dict(trainer.restore_from_checkpoint(path))]


def exchanges_told():
    """Samples and exchanges, of every second exchange."""
    found = []

    class Writer(C.cntk_py.ProgressWriter):
        def __init__(self):
            super().__init__(0, 0, 0, 0, 2, 0)

        def on_write_distributed_sync_update(self, samples, updates, metric):
            found.append([list(samples), list(updates)])

    x, y, z, X, Y = network()
    trainer = C.Trainer(z, C.squared_error(z, y), learner_of(z), [Writer()])
    train(trainer, x, y, X, Y, range(0, 28, 4), batch=4)
    return found


def different(seed=None):
    """Workers that begin with other parameters go on with those of the main one."""
    x, y, z, X, Y = network(seed=rank)
    X, Y = network()[3:]
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z)])
    train(trainer, x, y, X, Y, (0, 16))
    return bits(z)


def in_another_order(kind='data_parallel', width=5, turned=True, called='', other=True, **options):
    """The learners of workers have the parameters in other orders, and with `called` other names."""
    draw = np.random.RandomState(3)
    x, y = C.input_variable(6), C.input_variable(6)
    if rank and other:
        C.parameter(3)  # uids of this worker's parameters are its own
    w = C.parameter(init=draw.randn(6, width).astype('f') / width)
    v = C.parameter(init=draw.randn(width, 6).astype('f') / width, name=f'{called}{rank}' if called else '')
    z = C.times(C.tanh(C.times(x, w)), v)
    given = [v, w] if rank and turned else [w, v]
    local = C.momentum_sgd(given, C.learning_parameter_schedule_per_sample(0.01), 0.8)
    learner = getattr(C, kind + '_distributed_learner')(local, **options)
    try:
        trainer = C.Trainer(z, C.squared_error(z, y), [learner])
        X, Y = draw.randn(64, 6).astype('f'), draw.randn(64, 6).astype('f')
        train(trainer, x, y, X, Y, range(0, 64, 16))
    except ValueError as error:
        return str(error)
    return [p.value.tobytes().hex() for p in (w, v)]


def steps(count, kind='data_parallel', **options):
    x, y, z, X, Y = network()
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z, kind, **options)])
    train(trainer, x, y, X, Y, range(0, 16 * count, 16))
    return [trainer.total_number_of_samples_seen, bits(z)]


def means():
    """Blocks of two minibatches, and what each worker learns by itself of these beside the others."""
    found = []
    for learner in (
        lambda z: learner_of(z, 'local_sgd', block_size=32),
        lambda z: learner_of(z).local_learner,
    ):
        x, y, z, X, Y = network()
        trainer = C.Trainer(z, C.squared_error(z, y), [learner(z)])
        train(trainer, x, y, X, Y, (0, 16))
        found.append([p.value.tolist() for p in z.parameters])
    return found


def wide(count, after=False):
    """Gradients that are worth an exchange during the backward pass; with check_nan it comes after it."""
    draw = np.random.RandomState(4)
    x, y = C.input_variable(40), C.input_variable(10)
    h = x
    for before, width in ((40, 500), (500, 700), (700, 10)):
        w = C.parameter(init=(draw.randn(before, width) / before**0.5).astype('f'))
        h = C.tanh(C.times(h, w) + C.parameter(width))
    X, Y = draw.randn(128, 40).astype('f'), draw.rand(128, 10).astype('f')
    trainer = C.Trainer(h, C.squared_error(h, y), [learner_of(h)])
    C.debugging.set_checked_mode(after)
    train(trainer, x, y, X, Y, range(0, 16 * count, 16))
    return [trainer.total_number_of_samples_seen, bits(h)]


class Slow(C.ops.functions.UserFunction):
    """The same values; the last worker takes its time."""

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, values, device=None, outputs_to_retain=None):
        time.sleep(0.1 if rank == size - 1 else 0.001)
        return None, values

    def backward(self, state, gradients):
        return gradients


def seen():
    """What people see of a training: a log of each worker, and a profile of all."""
    x, y, z, X, Y = network()
    z = C.user_function(Slow([z]))
    loss = C.squared_error(z, y)
    log = os.path.join(folder, 'log')
    writer = C.logging.ProgressPrinter(log_to_file=log, rank=rank, num_epochs=2)
    trainer = C.Trainer(z, (loss, loss), [learner_of(z)], [writer])
    with C.profile() as profile:
        for begins in ((0, 16, 32), (48, 64, 80)):
            train(trainer, x, y, X, Y, begins)
            trainer.summarize_training_progress()
    profile.save(os.path.join(folder, 'trace'), workers=True)
    with open(f'{log}rank{rank}') as file:
        lines = file.read().split('\n')
    return [line for line in lines if line.startswith(' Worker ')]


def checkpoint(kind='data_parallel', **options):
    """Six minibatches, and two after a checkpoint with two after it again."""
    path = os.path.join(folder, 'checkpoint')
    found = []
    for begins in ((0, 16), (32, 48)):
        x, y, z, X, Y = network()
        trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z, kind, **options)])
        if begins[0]:
            assert trainer.restore_from_checkpoint(path) == {'mark': 5}
            found.append(trainer.total_number_of_samples_seen)
        train(trainer, x, y, X, Y, begins)
        trainer.save_checkpoint(path, {'mark': 5})
    return found + [bits(z)]


def through(kind='data_parallel', **options):
    """The same, in one go."""
    x, y, z, X, Y = network()
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z, kind, **options)])
    train(trainer, x, y, X, Y, (0, 16))
    trainer.save_checkpoint(os.path.join(folder, 'through'), {'mark': 5})
    train(trainer, x, y, X, Y, (32, 48))
    trainer.save_checkpoint(os.path.join(folder, 'through'), {'mark': 5})
    return [32, bits(z)]


def restored():
    """From a checkpoint of another number of workers."""
    x, y, z, X, Y = network()
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z, num_quantization_bits=1)])
    trainer.restore_from_checkpoint(os.path.join(folder, 'checkpoint'))
    train(trainer, x, y, X, Y, (32, 48))
    return [trainer.total_number_of_samples_seen, bits(z)]


def rows(is_wide=False):
    """Gradients with few rows; a worker has none in the second minibatch. A wide network would exchange dense
    ones while the backward pass goes on, which lasts longer than the word that these are none."""
    x, y = C.input_variable(50, is_sparse=True), C.input_variable(3)
    w = C.parameter(init=np.random.RandomState(1).randn(50, 3).astype('f'))
    z, wide = C.times(x, w), []
    if is_wide:
        wide = [C.parameter((300, 300))]
        z = C.user_function(Slow([z + C.reduce_sum(wide[0])]))
    local = C.sgd([w, *wide], 0.1)
    trainer = C.Trainer(z, C.squared_error(z, y), [C.data_parallel_distributed_learner(local)])
    Y = np.random.RandomState(2).randn(12, 3).astype('f')
    for words in ([3, 7, 3, 9, 40, 7, 1, 3], [5, 6, 7]):
        own = range(rank, len(words), size) if len(words) > 3 else range(len(words)) if rank == 0 else []
        feed = {x: C.Value.one_hot([words[i] for i in own], 50), y: Y[list(own)]} if own else {}
        trainer.train_minibatch(feed)
    return [w.value.tolist()]


def source(kind='data_parallel', **options):
    """A session over a file in random order, with tests and checkpoints; shares are uneven."""
    x, y, z, X, Y = network()
    path = os.path.join(folder, 'data.ctf')
    if rank == 0:
        with open(path + '.part', 'w') as f:
            for i in range(75):
                a, b = (' '.join(map(str, numbers[i])) for numbers in (X, Y))
                f.write(f'{i} |x {a} |y {b}\n')
        os.rename(path + '.part', path)
    C.mpi_communicator().barrier()

    def opened(**limits):
        streams = C.io.StreamDefs(x=C.io.StreamDef('x', shape=6), y=C.io.StreamDef('y', shape=4))
        return C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), **limits)

    seen, loss = [], C.squared_error(z, y)
    trainer = C.Trainer(z, (loss, loss), [learner_of(z, kind, **options)])
    training, validation = opened(max_sweeps=3), opened(max_sweeps=1)
    C.training_session(
        trainer,
        training,
        10,
        {x: training.streams.x, y: training.streams.y},
        progress_frequency=30,
        checkpoint_config=C.CheckpointConfig(os.path.join(folder, 'session'), frequency=100),
        cv_config=C.CrossValidationConfig(
            validation,
            frequency=50,
            minibatch_size=20,
            callback=lambda *found: seen.append(found) or True,
            model_inputs_to_streams={x: validation.streams.x, y: validation.streams.y},
        ),
    ).train()
    return [trainer.total_number_of_samples_seen, seen, [p.value.tolist() for p in z.parameters]]


def parts(limits):
    """A session over a file in parts, each from the checkpoint of the one before. Minibatches reach over the
    ends of sweeps, so that the workers' sources stand at different places."""
    path = os.path.join(folder, 'parts.ctf')
    X, Y = network()[3:]
    if rank == 0:
        with open(path, 'w') as f:
            for i in range(45):
                a, b = (' '.join(map(str, numbers[i])) for numbers in (X, Y))
                f.write(f'{i} |x {a} |y {b}\n')
    C.mpi_communicator().barrier()
    for limit in limits:
        x, y, z, _, _ = network(seed=3 if limit == limits[0] else limit)
        streams = C.io.StreamDefs(x=C.io.StreamDef('x', shape=6), y=C.io.StreamDef('y', shape=4))
        source = C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), randomize=False)
        trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z)])
        C.training_session(
            trainer,
            source,
            8,
            {x: source.streams.x, y: source.streams.y},
            max_samples=limit,
            checkpoint_config=C.CheckpointConfig(os.path.join(folder, 'parts'), frequency=48, restore=True),
        ).train()
    return [trainer.total_number_of_samples_seen, bits(z)]


class Numbers(C.io.UserMinibatchSource):
    """Minibatches of a program: each worker gets every so many samples, of the last ones perhaps none."""

    def __init__(self, x, y, X, Y):
        self.infos = [
            C.io.StreamInformation('x', 0, 'dense', np.float32, (6,)),
            C.io.StreamInformation('y', 1, 'dense', np.float32, (4,)),
        ]
        self.data, self.at = (X, Y), 0
        super().__init__()

    def stream_infos(self):
        return self.infos

    def next_minibatch(self, num_samples, number_of_workers, worker_rank, device=None):
        begin, self.at = self.at, min(len(self.data[0]), self.at + num_samples)
        own = slice(begin + worker_rank, self.at, number_of_workers)
        n = len(self.data[0][own])
        if n == 0:
            return {}
        end = self.at == len(self.data[0])
        return {
            info: C.io.MinibatchData(C.Value(batch=data[own]), n, n, end)
            for info, data in zip(self.infos, self.data)
        }


def user_source():
    x, y, z, X, Y = network()
    numbers = Numbers(x, y, X[:49], Y[:49])
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z)])
    C.training_session(trainer, numbers, 8, {x: numbers.infos[0], y: numbers.infos[1]}).train()
    return [trainer.total_number_of_samples_seen, [p.value.tolist() for p in z.parameters]]


class Dies(C.train.Callback):
    """The end of a worker before its minibatch of this number, in its way."""

    def __init__(self, step, how):
        super().__init__()
        self.left, self.how = step, how

    def on_minibatch_start(self, session):
        self.left -= 1
        if self.left == 0:
            if self.how == 'raises':
                raise ValueError('this machine has failed')
            os.kill(os.getpid(), signal.SIGSTOP if self.how == 'stopped' else signal.SIGKILL)


class Counts(C.train.Callback):
    """Minibatches, with a state."""

    def __init__(self):
        super().__init__()
        self.seen = 0

    def on_minibatch_start(self, session):
        self.seen += 1

    def state(self):
        return {'seen': self.seen}

    def restore(self, state):
        self.seen = state['seen']


def of_main():
    """What the main worker alone watches with."""
    return [Counts()] if rank == 0 else []


def one_hot_file(path, count, per_sequence=1):
    """Samples that are one-hot: a linear network with the rate 1 learns how often it has seen each."""
    if rank == 0:
        with open(path + '.part', 'w') as f:
            for i in range(count):
                f.write(f'{i // per_sequence} |x {i}:1\n')
        os.rename(path + '.part', path)
    C.mpi_communicator().barrier()


def elastic(
    deaths=(),
    how='killed',
    kind='data_parallel',
    count=400,
    sweeps=3,
    data='file',
    randomize=True,
    truncation=0,
    balanced=False,
    checkpoint=0,
    awaits=False,
    is_wide=False,
    **options,
):
    """A session over a file; [worker, minibatch] says who dies. How often each sample was seen, and by
    how many workers in the end."""
    path = os.path.join(folder, 'one_hot.ctf')
    one_hot_file(path, count, 5 if truncation else 1)
    x = (
        C.sequence.input_variable(count, is_sparse=True)
        if truncation
        else C.input_variable(count, is_sparse=True)
    )
    w = C.parameter((count, 1), init=0)
    loss = C.reduce_sum(C.times(x, w))
    wide = [C.parameter((300, 300))] if is_wide else []  # exchanged during the backward pass
    for p in wide:
        loss = loss + C.reduce_sum(p)
    local = C.sgd([w, *wide], C.learning_parameter_schedule_per_sample(1.0))
    learner = getattr(C, kind + '_distributed_learner')(local, elastic=True, **options)
    printer = C.logging.ProgressPrinter(log_to_file=os.path.join(folder, f'log{os.getpid()}'), rank=rank)
    trainer = C.Trainer(None, (loss, loss), [learner], [printer])
    streams = C.io.StreamDefs(x=C.io.StreamDef('x', shape=count, is_sparse=True))
    source = C.io.MinibatchSource(
        C.io.CTFDeserializer(path, streams) if data == 'file' else Chunks(count),
        max_sweeps=sweeps,
        truncation_length=truncation,
        randomize=randomize,
        randomization_window_in_chunks=3,
        balanced_shares=balanced,
    )
    mine = [Dies(step, how) for who, step in deaths if who == rank and not os.environ.get('CANTIK_JOIN')]
    mine += of_main()
    if awaits:
        mine.append(Awaits(os.path.join(folder, 'new')))
    config = C.CheckpointConfig(os.path.join(folder, 'elastic'), frequency=checkpoint) if checkpoint else None
    C.training_session(
        trainer,
        source,
        20,
        {x: source.streams.x},
        progress_frequency=100,
        checkpoint_config=config,
        callbacks=mine,
    ).train()
    seen = sorted(set((-w.value.ravel()).tolist()))
    return [trainer.total_number_of_samples_seen, seen, C.Communicator.num_workers()]


def restarts(dies=0, kind='data_parallel', **options):
    """A session with dropout and momentum over a file in random order; the last worker is killed once before
    the minibatch of this number."""
    path, mark = (os.path.join(folder, name) for name in ('restarts.ctf', 'mark'))
    x, y, z, X, Y = network()
    if rank == 0 and not os.path.exists(path):
        with open(path + '.part', 'w') as f:
            for i in range(100):
                a, b = (' '.join(map(str, numbers[i])) for numbers in (X, Y))
                f.write(f'{i} |x {a} |y {b}\n')
        os.rename(path + '.part', path)
    C.mpi_communicator().barrier()
    z = C.dropout(z, 0.3)
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z, kind, **options)])
    streams = C.io.StreamDefs(x=C.io.StreamDef('x', shape=6), y=C.io.StreamDef('y', shape=4))
    source = C.io.MinibatchSource(C.io.CTFDeserializer(path, streams), max_sweeps=4, balanced_shares=True)
    mine = of_main()
    if dies and rank == size - 1 and not os.path.exists(mark):
        mine.append(Dies(dies, 'killed'))
        open(mark, 'w').close()
    C.training_session(
        trainer,
        source,
        10,
        {x: source.streams.x, y: source.streams.y},
        checkpoint_config=C.CheckpointConfig(os.path.join(folder, 'restarts'), frequency=50),
        callbacks=mine,
    ).train()
    return [trainer.total_number_of_samples_seen, bits(z), os.path.exists(mark)]


class Chunks(C.io.UserDeserializer):
    """The same samples, thirty in a chunk."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def stream_infos(self):
        return [C.io.StreamInformation('x', 0, 'sparse', np.float32, (self.count,))]

    def num_chunks(self):
        return -(-self.count // 30)

    def get_chunk(self, chunk_id):
        from scipy.sparse import csr_matrix

        rows = np.arange(30 * chunk_id, min(self.count, 30 * chunk_id + 30))
        return {'x': csr_matrix((np.ones(len(rows), 'f'), (range(len(rows)), rows)), (len(rows), self.count))}


class Awaits(C.train.Callback):
    """A new worker says that it is there; the others wait for it when one of them is lost."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        if os.environ.get('CANTIK_JOIN'):
            open(path, 'w').close()

    def on_minibatch_start(self, session):
        until = time.monotonic() + 60
        while C.Communicator.num_workers() < size and not os.path.exists(self.path):
            assert time.monotonic() < until, 'no new worker has come'
            time.sleep(0.01)


def doomed(how):
    """The last worker ends in the middle of a training; the others say what they see, and when."""
    x, y, z, X, Y = network()
    trainer = C.Trainer(z, C.squared_error(z, y), [learner_of(z)])
    try:
        for step in range(10000000):
            if step == 4 and how in ('waits', 'disk'):
                open(os.path.join(folder, f'{rank}.begun'), 'w').close()
            if how == 'disk' and step > 4:
                trainer.save_checkpoint(os.path.join(folder, 'disk', 'checkpoint'))
            if step == 5 and rank == size - 1:
                with open(os.path.join(folder, 'at'), 'w') as f:
                    f.write(repr(time.time()))
                if how == 'killed':
                    os.kill(os.getpid(), signal.SIGKILL)
                if how == 'stopped':
                    os.kill(os.getpid(), signal.SIGSTOP)
                if how == 'raises':
                    raise ValueError('the disk is full')
                if how == 'ends':
                    sys.exit(0)
                if how == 'other':
                    C.mpi_communicator().barrier()
                if how == 'sizes':
                    C.mpi_communicator().aggregate([C.NDArrayView.from_dense(np.ones(3, np.float32))])
            train(trainer, x, y, X, Y, (0,))
    except RuntimeError as error:
        first, when = str(error), time.time()
        try:
            C.mpi_communicator().barrier()
            again = ''
        except RuntimeError as error:
            again = str(error)
        return [first, when, again]


def ends_in_the_midst(how):
    """The last worker ends in its way, a moment from now."""
    signals = {'killed': signal.SIGKILL, 'stopped': signal.SIGSTOP}

    def end():
        with open(os.path.join(folder, 'at'), 'w') as f:
            f.write(repr(time.time()))
        os.kill(os.getpid(), signals[how])

    if rank == size - 1:
        threading.Timer(0.3 + 0.2 * np.random.rand(), end).start()


def grouped(how):
    """Groups are formed again and again, in the midst of which the last worker ends."""
    communicator = C.mpi_communicator()
    communicator.barrier()
    if how == 'waits':
        open(os.path.join(folder, f'{rank}.begun'), 'w').close()
    else:
        ends_in_the_midst(how)
    try:
        while True:
            communicator.sub_group(communicator.workers())
    except RuntimeError as error:
        return [str(error), time.time()]


def parting(how):
    """The last worker ends while the others wait for it at the end of the training."""
    C.mpi_communicator().barrier()
    ends_in_the_midst(how)
    if rank == size - 1:
        time.sleep(60)
    try:
        C.Communicator.finalize()
        return ['', time.time()]
    except RuntimeError as error:
        return [str(error), time.time()]


if __name__ == '__main__':
    name, folder = sys.argv[1:3]
    result = globals()[name](**json.loads(sys.argv[3]) if len(sys.argv) > 3 else {})
    rank = C.Communicator.rank()  # elastic workers may have another one now
    with open(os.path.join(folder, f'{rank}.json'), 'w') as file:
        json.dump(result, file)
    if name in ('doomed', 'grouped', 'parting'):
        sys.exit(1)
    C.Communicator.finalize()
