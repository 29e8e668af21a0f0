"""step_memory in PyTorch: peak resident memory of 20 training steps of mnist_convnet above data and weights;
megabytes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, emit, mnist, np

args = arguments()
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(args.threads)
X, Y = map(torch.from_numpy, mnist())
order = torch.from_numpy(np.random.RandomState(0).permutation(60000)[:54000])


def field(name):
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024


def measure(memory_format):
    net = nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(3, 2),
        nn.Conv2d(32, 48, 3),
        nn.ReLU(),
        nn.MaxPool2d(3, 2),
        nn.Conv2d(48, 64, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(576, 96),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(96, 10),
    ).to(memory_format=memory_format)
    learner = torch.optim.SGD(net.parameters(), lr=0.256, momentum=0.7788, dampening=0.2212)
    with open('/proc/self/clear_refs', 'w') as file:
        file.write('5')
    before = field('VmRSS')
    for i in range(20):
        rows = order[i * 256 : (i + 1) * 256]
        images = X.index_select(0, rows)[:, None].contiguous(memory_format=memory_format)
        learner.zero_grad(set_to_none=True)
        F.cross_entropy(net(images), Y.index_select(0, rows)).backward()
        learner.step()
    return field('VmHWM') - before


# One variant a process: memory that a first one leaves to the allocator would be missing from the second.
if args.variant == 'all':
    import subprocess

    for name in ('eager', 'eager_channels_last'):
        subprocess.run(
            [sys.executable, __file__, '--variant', name, '--threads', str(args.threads)], check=True
        )
else:
    emit(
        'step_memory',
        args.variant,
        'MB',
        [measure(torch.channels_last if args.variant == 'eager_channels_last' else torch.contiguous_format)],
        args.threads,
    )
