"""lstm_stream in ONNX Runtime: its LSTM over a sequence of one step, states in and out."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, latency, np, wanted

args = arguments()
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

rs, D, H = np.random.RandomState(0), 128, 256
weights = [
    numpy_helper.from_array((rs.randn(*shape) * 0.05).astype(np.float32), name)
    for name, shape in dict(W=(1, 4 * H, D), R=(1, 4 * H, H), B=(1, 8 * H)).items()
]
values = {
    name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    for name, shape in dict(x=(1, 1, D), h=(1, 1, H), c=(1, 1, H), new_h=(1, 1, H), new_c=(1, 1, H)).items()
}
node = helper.make_node('LSTM', ['x', 'W', 'R', 'B', '', 'h', 'c'], ['', 'new_h', 'new_c'], hidden_size=H)
graph = helper.make_graph(
    [node],
    'lstm',
    [values[name] for name in ('x', 'h', 'c')],
    [values[name] for name in ('new_h', 'new_c')],
    weights,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 14)], ir_version=8)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads, options.inter_op_num_threads = args.threads, 1
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=['CPUExecutionProvider'])
step, state = rs.randn(1, 1, D).astype(np.float32), [np.zeros((1, 1, H), np.float32)] * 2


def run():
    state[:] = session.run(None, {'x': step, 'h': state[0], 'c': state[1]})
    return state[0]


def bound():
    """The same with memory that is there: two sets of states take turns."""
    binding, sets = (
        [],
        [
            [onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros((1, 1, H), np.float32)) for _ in range(2)]
            for _ in range(2)
        ],
    )
    for old, new in (sets, sets[::-1]):
        b = session.io_binding()
        b.bind_cpu_input('x', step)
        for name, value in zip(('h', 'c'), old):
            b.bind_ortvalue_input(name, value)
        for name, value in zip(('new_h', 'new_c'), new):
            b.bind_ortvalue_output(name, value)
        binding.append((b, new[0]))

    def call():
        binding.reverse()
        session.run_with_iobinding(binding[0][0])
        return binding[0][1].numpy()

    return call


for name, call in dict(run=run, bound=bound()).items():
    if wanted(args, name):
        latency('lstm_stream', name, call, args)
