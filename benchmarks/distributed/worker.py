"""One worker of benchmarks/distributed/bench.py: `worker.py CASE SIDE`. Prints a line of JSON."""

import json
import os
import statistics
import sys
import time

import numpy as np

FLOATS = 10_000_000  # 40 MB
COMPUTING = 0.8  # seconds of a backward pass


def median_time(step, repeat, barrier):
    times = []
    for _ in range(repeat + 1):
        barrier()
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])


class Cantik:
    """The cases as a program of this tree."""

    def __init__(self):
        import cantik as C

        self.C, self.group = C, C.mpi_communicator()
        self.rank, self.size = C.Communicator.rank(), C.Communicator.num_workers()

    def finish(self):
        self.C.Communicator.finalize()

    def exchange(self):
        values = [self.C.NDArrayView.from_dense(np.ones(FLOATS, 'f'))]
        return median_time(lambda: self.group.aggregate_in_place(values), 5, self.group.barrier)

    def network(self, layers=10, **options):
        """So many layers with 1 M parameters each."""
        C = self.C
        x = C.input_variable(1000)
        z = x
        for _ in range(layers):
            z = C.layers.Dense(1000, bias=False, init=C.glorot_uniform())(z)
        learner = C.data_parallel_distributed_learner(C.sgd(z.parameters, 1e-6), **options)
        return x, C.Trainer(z, C.reduce_sum(C.square(z)), [learner])

    def training(self, samples, repeat=5, **options):
        x, trainer = self.network(**options)
        own = np.random.RandomState(self.rank).rand(samples, 1000).astype('f') * 0.01
        return median_time(lambda: trainer.train_minibatch({x: own}), repeat, self.group.barrier)

    def one_bit(self):
        return self.training(1, num_quantization_bits=1)

    def all_bits(self):
        return self.training(1)

    def overlap(self):
        """Seconds of a minibatch whose computing alone takes about COMPUTING."""
        samples = int(os.environ['SAMPLES'])
        return self.training(samples, repeat=5)

    def alone(self):
        """How many samples take COMPUTING, by one process."""
        samples = 64
        for _ in range(3):
            seconds = self.training(samples, repeat=2)
            samples = max(1, int(samples * COMPUTING / seconds))
        return samples

    def convolution(self):
        """Samples a second of a small convolutional network, of all workers together."""
        C, own = self.C, 64 // self.size
        x, y = C.input_variable((1, 28, 28)), C.input_variable(10)
        h = x
        for filters in (16, 32):
            h = C.layers.Convolution2D((5, 5), filters, activation=C.relu, pad=True)(h)
            h = C.layers.MaxPooling((2, 2), (2, 2))(h)
        z = C.layers.Dense(10)(C.layers.Dense(64, activation=C.relu)(h))
        learner = C.data_parallel_distributed_learner(C.sgd(z.parameters, 0.001))
        trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, y), [learner])
        feed = {x: np.random.rand(own, 1, 28, 28).astype('f'), y: np.eye(10, dtype='f')[[3] * own]}
        return own * self.size / median_time(lambda: trainer.train_minibatch(feed), 60, self.group.barrier)

    def recurrence(self):
        """The same of an LSTM over sequences of unlike lengths."""
        C, own = self.C, 32 // self.size
        x, y = C.sequence.input_variable(40), C.input_variable(10)
        z = C.layers.Dense(10)(C.sequence.last(C.layers.Recurrence(C.layers.LSTM(128))(x)))
        learner = C.data_parallel_distributed_learner(C.sgd(z.parameters, 0.001))
        trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, y), [learner])
        lengths = np.random.RandomState(self.rank).geometric(1 / 25, own).clip(2, 150)
        feed = {
            x: [np.random.rand(n, 40).astype('f') for n in lengths],
            y: np.eye(10, dtype='f')[[3] * own],
        }
        return own * self.size / median_time(lambda: trainer.train_minibatch(feed), 20, self.group.barrier)


class Torch:
    """The same cases as a program of PyTorch, with its DistributedDataParallel over Gloo."""

    def __init__(self):
        import torch
        import torch.distributed as dist

        torch.set_num_threads(1)
        self.torch, self.dist = torch, dist
        self.rank, self.size = int(os.environ.get('RANK', 0)), int(os.environ.get('WORLD_SIZE', 1))
        if self.size > 1:
            dist.init_process_group('gloo')

    def finish(self):
        if self.size > 1:
            self.dist.destroy_process_group()

    def barrier(self):
        if self.size > 1:
            self.dist.barrier()

    def parallel(self, model):
        return self.torch.nn.parallel.DistributedDataParallel(model) if self.size > 1 else model

    def exchange(self):
        values = self.torch.ones(FLOATS)
        return median_time(lambda: self.dist.all_reduce(values), 5, self.barrier)

    def steps(self, model, loss_of, repeat):
        optimizer = self.torch.optim.SGD(model.parameters(), 1e-6)

        def step():
            optimizer.zero_grad(set_to_none=False)
            loss_of().backward()
            optimizer.step()

        return median_time(step, repeat, self.barrier)

    def training(self, samples, repeat=5):
        torch = self.torch
        layers = [torch.nn.Linear(1000, 1000, bias=False) for _ in range(10)]
        model = self.parallel(torch.nn.Sequential(*layers))
        own = torch.rand(samples, 1000) * 0.01
        return self.steps(model, lambda: model(own).square().sum(), repeat)

    def all_bits(self):
        return self.training(1)

    def overlap(self):
        return self.training(int(os.environ['SAMPLES']))

    def alone(self):
        samples = 64
        for _ in range(3):
            samples = max(1, int(samples * COMPUTING / self.training(samples, repeat=2)))
        return samples

    def convolution(self):
        nn, own = self.torch.nn, 64 // self.size
        layers, before = [], 1
        for filters in (16, 32):
            layers += [nn.Conv2d(before, filters, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2, 2)]
            before = filters
        layers += [nn.Flatten(), nn.Linear(32 * 49, 64), nn.ReLU(), nn.Linear(64, 10)]
        model = self.parallel(nn.Sequential(*layers))
        x, y = self.torch.rand(own, 1, 28, 28), self.torch.full((own,), 3)
        loss = nn.CrossEntropyLoss(reduction='sum')
        return own * self.size / self.steps(model, lambda: loss(model(x), y), 60)

    def recurrence(self):
        torch, own = self.torch, 32 // self.size

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.dense = torch.nn.LSTM(40, 128), torch.nn.Linear(128, 10)

            def forward(self, x):
                return self.dense(self.lstm(x)[1][0][0])

        model = self.parallel(Model())
        lengths = np.random.RandomState(self.rank).geometric(1 / 25, own).clip(2, 150)
        sequences = [torch.rand(int(n), 40) for n in lengths]
        x = torch.nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
        y, loss = torch.full((own,), 3), torch.nn.CrossEntropyLoss(reduction='sum')
        return own * self.size / self.steps(model, lambda: loss(model(x), y), 20)


if __name__ == '__main__':
    case, side = sys.argv[1:3]
    program = {'cantik': Cantik, 'torch': Torch}[side]()
    found = getattr(program, case)()
    if program.rank == 0:
        print(json.dumps(found), flush=True)
    program.finish()
