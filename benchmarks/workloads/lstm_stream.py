"""lstm_stream: one step of an LSTM at a time, from a NumPy array to a NumPy array, the state kept in a
session; microseconds a step."""

from timing import arguments, cantik_with, latency, np, wanted

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
x = C.sequence.input_variable(128)
session = C.layers.Recurrence(C.layers.LSTM(256))(x).session()
step = rs.randn(1, 128).astype(np.float32)
if wanted(args, 'session'):
    latency('lstm_stream', 'session', lambda: session.step(step), args)
