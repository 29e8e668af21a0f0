"""lstm_stream in PyTorch: one step of its LSTM cell from a NumPy array to a NumPy array, the state kept;
eager, scripted, traced, compiled."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, latency, np, wanted

args = arguments()
import torch

torch.set_num_threads(args.threads)
cell, state, step = (
    torch.nn.LSTMCell(128, 256).eval(),
    (torch.zeros(1, 256), torch.zeros(1, 256)),
    np.random.RandomState(0).randn(1, 128).astype(np.float32),
)


def kept(run):
    """A call that takes the last state and keeps the new one."""
    last = [state]

    def call():
        last[0] = run(torch.from_numpy(step), last[0])
        return last[0][0].numpy()

    return call


def layer():
    """Its LSTM layer over a sequence of one step."""
    lstm = torch.nn.LSTM(128, 256).eval()
    return kept(lambda x, s: tuple(v[0] for v in lstm(x[None], (s[0][None], s[1][None]))[1]))


variants = dict(
    cell=lambda: kept(cell),
    layer=layer,
    jit_script=lambda: kept(torch.jit.script(cell)),
    jit_frozen=lambda: kept(torch.jit.freeze(torch.jit.script(cell))),
    compile=lambda: kept(torch.compile(cell)),
    compile_freezing=lambda: kept(torch.compile(cell)),
)
with torch.inference_mode():
    for name, make in variants.items():
        if wanted(args, name):
            if name == 'compile_freezing':
                torch._dynamo.reset()
                torch._inductor.config.freezing = True
            latency('lstm_stream', name, make(), args)
