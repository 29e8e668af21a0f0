"""new_length in PyTorch: its LSTM, and a loop of the user's over its cell; eager, since torch.compile takes
minutes for 40 lengths."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, lengths_twice, np

args = arguments(once=0)
import torch
import torch.nn.functional as F

torch.set_num_threads(args.threads)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = torch.nn.LSTM(32, 64), torch.nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[1][0][0])


class Loop(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = torch.nn.LSTMCell(32, 64), torch.nn.Linear(64, 10)

    def forward(self, x):
        state = torch.zeros(8, 64), torch.zeros(8, 64)
        for step in x:
            state = self.cell(step, state)
        return self.head(state[0])


def training(Net):
    net = Net()
    learner = torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)

    def prepared(sequences, labels):
        x, y = torch.from_numpy(np.ascontiguousarray(sequences.transpose(1, 0, 2))), torch.from_numpy(labels)

        def step():
            learner.zero_grad(set_to_none=True)
            F.cross_entropy(net(x), y).backward()
            learner.step()

        return step

    return prepared


lengths_twice(args, dict(eager_lstm=lambda: training(Layer), eager_user_loop=lambda: training(Loop)))
