"""lstm_small, custom_cell_small in PyTorch: padded, packed, sorted into buckets, a loop of the user's; eager,
scripted, compiled."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, np, rate, wanted

args = arguments(workload='lstm_small')
from typing import List

import torch
import torch.nn.functional as F
from skewed import by_length, sequences, size_of
from torch.nn.utils.rnn import pack_padded_sequence

torch.set_num_threads(args.threads)
torch.manual_seed(0)
D, H = size_of(args.workload)
data = sequences(args.workload)
frames = int(data[1].sum())


class Layer(torch.nn.Module):
    """PyTorch's LSTM over minibatches that the user has padded, or packed."""

    def __init__(self, packed=False, batch_first=False):
        super().__init__()
        self.lstm, self.packed, self.batch_first = (
            torch.nn.LSTM(D, H, batch_first=batch_first),
            packed,
            batch_first,
        )

    def forward(self, x, lengths):
        if self.packed:
            return self.lstm(pack_padded_sequence(x, lengths, enforce_sorted=False))[1][0][0]
        states, each = self.lstm(x)[0], torch.arange(len(lengths))
        return states[each, lengths - 1] if self.batch_first else states[lengths - 1, each]


def cell(x, h, Wz, Uz, bz, Wr, Ur, br, Wc, Uc, bc):
    z = torch.sigmoid(x @ Wz + h @ Uz + bz)
    r = torch.sigmoid(x @ Wr + h @ Ur + br)
    c = torch.tanh(x @ Wc + (r * h) @ Uc + bc)
    return (1 - z) * h + z * c


def scripted(x: torch.Tensor, p: List[torch.Tensor]):
    h = torch.zeros(x.shape[1], p[1].shape[0])
    states: List[torch.Tensor] = []
    for t in range(x.shape[0]):
        z = torch.sigmoid(x[t] @ p[0] + h @ p[1] + p[2])
        r = torch.sigmoid(x[t] @ p[3] + h @ p[4] + p[5])
        c = torch.tanh(x[t] @ p[6] + (r * h) @ p[7] + p[8])
        h = (1 - z) * h + z * c
        states.append(h)
    return torch.stack(states)


def by_hand(x, p):
    """As an expert writes it: all steps' inputs in one product, two gates in one, addition within
    products."""
    inputs = torch.addmm(
        torch.cat([p[2], p[5], p[8]]), x.reshape(-1, D), torch.cat([p[0], p[3], p[6]], 1)
    ).view(x.shape[0], x.shape[1], 3 * H)
    gates, candidates = inputs.split([2 * H, H], 2)
    U, h, states = torch.cat([p[1], p[4]], 1), torch.zeros(x.shape[1], H), []
    for gate, candidate in zip(gates.unbind(0), candidates.unbind(0)):
        z, r = torch.sigmoid(torch.addmm(gate, h, U)).chunk(2, 1)
        h = torch.lerp(h, torch.tanh(torch.addmm(candidate, r * h, p[7])), z)
        states.append(h)
    return torch.stack(states)


def looped(step):
    def run(x, p):
        h, states = torch.zeros(x.shape[1], H), []
        for t in range(x.shape[0]):
            h = step(x[t], h, *p)
            states.append(h)
        return torch.stack(states)

    return run


class Loop(torch.nn.Module):
    """The user's own loop over padded time."""

    def __init__(self, run):
        super().__init__()
        weights = [
            torch.nn.init.xavier_uniform_(torch.empty(n, H)) if n else torch.zeros(H) for n in (D, H, 0) * 3
        ]
        self.p, self.run = torch.nn.ParameterList(weights), run

    def forward(self, x, lengths):
        return self.run(x, list(self.p))[lengths - 1, torch.arange(len(lengths))]


def sweep(body, batch_first=False, buckets=False, compiled=False):
    minibatches = []
    for x, lengths, labels in zip(*(by_length(*data) if buckets else data)):
        x = torch.from_numpy(np.ascontiguousarray(x[:, : lengths.max()]))
        minibatches.append(
            (
                x if batch_first else x.transpose(0, 1).contiguous(),
                torch.from_numpy(lengths),
                torch.from_numpy(labels),
            )
        )
    head = torch.nn.Linear(H, 10)
    learner = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.01, foreach=True)
    loss = lambda x, lengths, labels: F.cross_entropy(head(body(x, lengths)), labels)
    if compiled:
        loss = torch.compile(loss, dynamic=False)

    def run():
        for minibatch in minibatches:
            learner.zero_grad(set_to_none=True)
            loss(*minibatch).backward()
            learner.step()

    return run


if args.workload.startswith('lstm'):
    variants = dict(
        padded=lambda: sweep(Layer(batch_first=True), batch_first=True),
        padded_time_major=lambda: sweep(Layer()),
        packed=lambda: sweep(Layer(packed=True)),
        padded_bucketed=lambda: sweep(Layer(), buckets=True),
        packed_bucketed=lambda: sweep(Layer(packed=True), buckets=True),
        compile=lambda: sweep(Layer(), compiled=True),
    )
else:
    variants = dict(
        eager=lambda: sweep(Loop(looped(cell))),
        eager_by_hand=lambda: sweep(Loop(by_hand)),
        jit_script=lambda: sweep(Loop(torch.jit.script(scripted))),
        compile_cell=lambda: sweep(Loop(looped(torch.compile(cell, dynamic=False)))),
        compile_loop=lambda: sweep(Loop(looped(cell)), compiled=True),
        compile_loop_by_hand=lambda: sweep(Loop(by_hand), compiled=True),
    )
for name, make in variants.items():
    if wanted(args, name):
        rate(args.workload, name, 'frames/s', make(), frames, args, warmup=1)
