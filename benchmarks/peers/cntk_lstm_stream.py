"""lstm_stream in CNTK 2.7: a step as a function of the input and the last states, which is its way to keep
them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, latency, np, wanted

args = arguments()
import cntk as C
from cntk.internal import sanitize_batch

C.try_set_default_device(C.cpu())
C.cntk_py.set_max_num_cputhreads(args.threads)
h, c, x = C.input_variable(256), C.input_variable(256), C.input_variable(128)
f = C.layers.LSTM(256)(h, c, x)
step, state = np.random.RandomState(0).randn(1, 128).astype(np.float32), [np.zeros((1, 256), np.float32)] * 2


def arrays():
    found = f.eval({x: step, h: state[0], c: state[1]})
    state[:] = [found[v] for v in f.outputs]
    return state[0]


values = [sanitize_batch(h, state[0]), sanitize_batch(c, state[1])]


def kept_values():
    found = f.forward(
        {x: sanitize_batch(x, step), h: values[0], c: values[1]}, f.outputs, set(), as_numpy=False
    )[1]
    values[:] = [found[v] for v in f.outputs]
    return found[f.outputs[0]].asarray()


for name, call in dict(arrays=arrays, values=kept_values).items():
    if wanted(args, name):
        latency('lstm_stream', name, call, args)
