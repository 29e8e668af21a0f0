"""eval_latency: one row from a NumPy array to a NumPy array of scores; microseconds a call."""

from nets import convnet, mlp
from timing import arguments, cantik_with, latency, np, wanted

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
for name, make, shape in (('mlp', mlp, (784,)), ('convnet', convnet, (28, 28))):
    row = rs.rand(1, *shape).astype(np.float32)
    x = C.input_variable(shape)
    z = make(C)(x)
    for variant, call in dict(eval=lambda: z.eval({x: row}), call=lambda: z(row)).items():
        if wanted(args, name + '_' + variant):
            latency('eval_latency', name + '_' + variant, call, args)
