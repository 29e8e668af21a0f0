"""The cases as a program of CNTK's: run by Cantik and by CNTK 2.7 itself (hence Python 3.6)."""

import os
import time

import numpy as np
from loops import FLOATS, LAYERS, WIDTH, images, median_time, samples_for, sequences


class Cntk:
    """One worker; `module` is cantik or cntk."""

    def __init__(self, module):
        C = self.C = __import__(module)
        self.is_cntk = module == 'cntk'
        if self.is_cntk:
            C.try_set_default_device(C.cpu())
            C.cntk_py.set_max_num_cputhreads(1)
        self.distributed = C.train.distributed
        self.group = self.distributed.mpi_communicator()
        workers = self.distributed.Communicator
        self.rank, self.size = workers.rank(), workers.num_workers()

    def finish(self):
        self.distributed.Communicator.finalize()

    def exchange(self):
        view = self.C.NDArrayView.from_dense(np.ones(FLOATS, 'f'))
        if self.is_cntk:
            everybody = self.group.workers()
            sum_all = lambda: self.group.aggregate_in_place([view], everybody)
        else:
            sum_all = lambda: self.group.aggregate_in_place([view])
        return median_time(sum_all, 5, self.group.barrier)

    def trainer(self, z, loss, local, **options):
        learner = self.distributed.data_parallel_distributed_learner(local, **options)
        return self.C.Trainer(z, (loss, None), [learner])

    def wide(self, **options):
        """So many layers with 1 M parameters each."""
        C = self.C
        x = C.input_variable(WIDTH)
        z = x
        for _ in range(LAYERS):
            z = C.layers.Dense(WIDTH, bias=False, init=C.glorot_uniform())(z)
        local = C.sgd(z.parameters, C.learning_parameter_schedule_per_sample(1e-6))
        return x, self.trainer(z, C.reduce_sum(C.square(z)), local, **options)

    def training(self, samples, repeat=5, **options):
        x, trainer = self.wide(**options)
        own = np.random.RandomState(self.rank).rand(samples, WIDTH).astype('f') * 0.01
        return median_time(lambda: trainer.train_minibatch({x: own}), repeat, self.group.barrier)

    def one_bit(self):
        return self.training(1, num_quantization_bits=1)

    def all_bits(self):
        return self.training(1)

    def bytes_of(self, steps, **options):
        """Bytes that this worker's link sends in a step, headers included."""
        x, trainer = self.wide(**options)
        own = np.random.RandomState(self.rank).rand(1, WIDTH).astype('f')
        trainer.train_minibatch({x: own})
        self.group.barrier()
        with open('/sys/class/net/wire/statistics/tx_bytes') as counter:
            before = int(counter.read())
            for _ in range(steps):
                trainer.train_minibatch({x: own})
            self.group.barrier()
            counter.seek(0)
            return (int(counter.read()) - before) / steps

    def one_bit_bytes(self):
        return self.bytes_of(4, num_quantization_bits=1)

    def all_bits_bytes(self):
        return self.bytes_of(4)

    def overlap(self):
        """Seconds of a minibatch whose computing alone takes about COMPUTING."""
        return self.training(int(os.environ['SAMPLES']))

    def alone(self):
        return samples_for(lambda samples: self.training(samples, repeat=2))

    def mnist_convnet(self):
        """Samples a second of all workers together."""
        C = self.C
        x, y = C.input_variable((28, 28)), C.input_variable(10)
        with C.layers.default_options(activation=C.relu, pad=False):
            z = C.layers.Sequential(
                [
                    C.layers.Convolution2D((5, 5), 32, reduction_rank=0, pad=True),
                    C.layers.MaxPooling((3, 3), strides=(2, 2)),
                    C.layers.Convolution2D((3, 3), 48),
                    C.layers.MaxPooling((3, 3), strides=(2, 2)),
                    C.layers.Convolution2D((3, 3), 64),
                    C.layers.Dense(96),
                    C.layers.Dropout(0.5),
                    C.layers.Dense(10, activation=None),
                ]
            )(x)
        local = C.momentum_sgd(
            z.parameters,
            C.learning_parameter_schedule_per_sample(0.001),
            C.momentum_schedule_per_sample(0.9990239141819757),
        )
        trainer = self.trainer(z, C.cross_entropy_with_softmax(z, y), local)
        feeds = [{x: a, y: np.eye(10, dtype='f')[b]} for a, b in images(self.rank, self.size)]
        return 256 / self.seconds_of_step(trainer, feeds, 40)

    def lstm_skewed(self):
        """Steps of sequences a second."""
        C = self.C
        x, y = C.sequence.input_variable(128), C.input_variable(10)
        z = C.layers.Dense(10)(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(256))(x)))
        local = C.sgd(z.parameters, C.learning_parameter_schedule(0.01, minibatch_size=32))
        trainer = self.trainer(z, C.cross_entropy_with_softmax(z, y), local)
        feeds = [{x: a, y: np.eye(10, dtype='f')[b]} for a, b in sequences(self.rank, self.size)]
        return 8850 / 8 / self.seconds_of_step(trainer, feeds, 3)

    def seconds_of_step(self, trainer, feeds, sweeps):
        def sweep():
            for feed in feeds:
                trainer.train_minibatch(feed)

        return median_time(sweep, sweeps, self.group.barrier) / len(feeds)

    def watching(self):
        """Seconds of a processor that a second of the workers' life costs where they do nothing."""
        self.group.barrier()
        time.sleep(1)
        begun, spent = time.perf_counter(), time.process_time()
        time.sleep(10)
        cost = (time.process_time() - spent) / (time.perf_counter() - begun)
        self.group.barrier()
        return cost

    def characters(self):
        """The loss of a model of letters after as many samples: by gradients (one worker), or by blocks.
        After two sweeps one worker has learned hardly more than how frequent letters are: there are eight."""
        C, steps, width = self.C, 32, 32
        with open(os.environ['TEXT'], 'rb') as file:
            letters = np.frombuffer(file.read(), np.uint8) % 128
        count = len(letters) // steps
        rows = letters[: count * steps].reshape(count, steps)
        order = np.random.RandomState(0).permutation(count)
        held, order = order[:200], order[200:]
        x, y = C.sequence.input_variable(128), C.sequence.input_variable(128)
        z = C.layers.Recurrence(C.layers.LSTM(width, init=C.uniform(0.1, seed=2)))(x)
        z = C.layers.Dense(128, init=C.uniform(0.1, seed=3))(z)
        loss = C.cross_entropy_with_softmax(z, y)
        local = C.momentum_sgd(
            z.parameters,
            C.learning_parameter_schedule(0.5, minibatch_size=16 * (steps - 1)),
            C.momentum_schedule(0.8, minibatch_size=16 * (steps - 1)),
        )
        if self.size > 1:
            local = self.distributed.block_momentum_distributed_learner(
                local, block_size=self.size * 8 * 16 * (steps - 1)
            )
        trainer = C.Trainer(z, (loss, loss), [local])
        letter = np.eye(128, dtype='f')

        def feed(chosen):
            return {x: [letter[rows[i, :-1]] for i in chosen], y: [letter[rows[i, 1:]] for i in chosen]}

        per_step = 16 * self.size
        for _ in range(8):
            for begin in range(0, len(order) // per_step * per_step, per_step):
                trainer.train_minibatch(feed(order[begin + self.rank : begin + per_step : self.size]))
        trainer.save_checkpoint(os.path.join(os.environ['FOLDER'], 'characters'))  # ends the block
        return float(np.concatenate([np.ravel(v) for v in loss.eval(feed(held))]).mean())
