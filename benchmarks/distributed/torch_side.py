"""The cases as a program of PyTorch, with its DistributedDataParallel over Gloo."""

import os

import numpy as np
import torch
import torch.distributed as dist
from loops import FLOATS, LAYERS, WIDTH, images, median_time, samples_for, sequences


class Torch:
    """One worker."""

    def __init__(self):
        torch.set_num_threads(1)
        self.rank, self.size = int(os.environ.get('RANK', 0)), int(os.environ.get('WORLD_SIZE', 1))
        if self.size > 1:
            dist.init_process_group('gloo')

    def finish(self):
        if self.size > 1:
            dist.destroy_process_group()

    def barrier(self):
        if self.size > 1:
            dist.barrier()

    def parallel(self, model):
        return torch.nn.parallel.DistributedDataParallel(model) if self.size > 1 else model

    def exchange(self):
        values = torch.ones(FLOATS)
        return median_time(lambda: dist.all_reduce(values), 5, self.barrier)

    def steps(self, model, losses, repeat, learner):
        """Seconds of a step that goes through the losses in turn."""

        def sweep():
            for loss_of in losses:
                learner.zero_grad(set_to_none=True)
                loss_of().backward()
                learner.step()

        return median_time(sweep, repeat, self.barrier) / len(losses)

    def training(self, samples, repeat=5):
        layers = [torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(LAYERS)]
        model = self.parallel(torch.nn.Sequential(*layers))
        own = torch.rand(samples, WIDTH) * 0.01
        learner = torch.optim.SGD(model.parameters(), 1e-6)
        return self.steps(model, [lambda: model(own).square().sum()], repeat, learner)

    def all_bits(self):
        return self.training(1)

    def overlap(self):
        return self.training(int(os.environ['SAMPLES']))

    def alone(self):
        return samples_for(lambda samples: self.training(samples, repeat=2))

    def mnist_convnet(self):
        nn = torch.nn
        model = nn.Sequential(
            *[nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2)],
            *[nn.Conv2d(32, 48, 3), nn.ReLU(), nn.MaxPool2d(3, 2)],
            *[nn.Conv2d(48, 64, 3), nn.ReLU(), nn.Flatten(), nn.Linear(576, 96), nn.ReLU()],
            *[nn.Dropout(0.5), nn.Linear(96, 10)],
        ).to(memory_format=torch.channels_last)
        model = self.parallel(model)
        keep = 0.9990239141819757**256
        learner = torch.optim.SGD(model.parameters(), lr=0.256, momentum=keep, dampening=1 - keep)
        loss = nn.CrossEntropyLoss()

        def of(x, digits):
            x = torch.from_numpy(x)[:, None].contiguous(memory_format=torch.channels_last)
            digits = torch.from_numpy(digits)
            return lambda: loss(model(x), digits)

        losses = [of(*m) for m in images(self.rank, self.size)]
        return 256 / self.steps(model, losses, 40, learner)

    def lstm_skewed(self):
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.dense = torch.nn.LSTM(128, 256), torch.nn.Linear(256, 10)

            def forward(self, x):
                return self.dense(self.lstm(x)[1][0][0])

        model, loss = self.parallel(Model()), torch.nn.CrossEntropyLoss()
        learner = torch.optim.SGD(model.parameters(), 0.01)

        def of(sequences, labels):
            own = [torch.from_numpy(np.ascontiguousarray(s)) for s in sequences]
            x = torch.nn.utils.rnn.pack_sequence(own, enforce_sorted=False)
            y = torch.from_numpy(labels)
            return lambda: loss(model(x), y)

        losses = [of(*m) for m in sequences(self.rank, self.size)]
        return 8850 / 8 / self.steps(model, losses, 3, learner)
