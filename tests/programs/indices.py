"""x[...]: what indices make of inputs, of functions, of parameters, and which of them are refused."""

import warnings

import numpy as np

import cntk as C

warnings.simplefilter('ignore')
V = np.arange(12).reshape(3, 4).astype(np.float32)
x, s = C.input_variable((3, 4), name='x'), C.sequence.input_variable((3, 4), name='s')
operands = [
    ('input', x, {x: V[None]}),
    ('function', x * 1, {x: V[None]}),
    ('parameter', C.parameter(init=V, name='p'), None),
    ('constant', C.constant(V, name='c'), None),
    ('sequence', s, {s: [V[None]]}),
]
indices = """t[0] t[-1] t[:-1] t[1:] t[:,1] t[:,-1] t[1:2,0:2] t[:] t[...] t[0:0] t[None:None] t[-2:] t[-2:-1] t[[0,2]]
t[[0]] t[(0,2)] t[:,[1,3]] t[0:2,[1,3]] t[0,1] t[...,0] t[[0,1],[1,2]] t[::2] t[::-1] t[:,::2] t[::3] t[0:3:2]
t[:2:2] t[1::2] t[2:0:-1] t[1::2,::3] t[::0] t[1:1] t[2:1] t[0:5] t[3] t[-4] t[5:] t[0,1,2] t[:,:,0] t[None]
t["a"] t[1.0] t[True] t[[]] t[x]""".split()


def kind(error):
    """The first of these classes that a program of CNTK's would catch it by."""
    return [c.__name__ for c in (IndexError, ValueError, RuntimeError, TypeError) if isinstance(error, c)][:1]


for what, operand, feeds in operands:
    for index in indices:
        try:
            made = eval(index, {'t': operand, 'x': x})
        except Exception as error:
            print(what, index, kind(error)[0] if not isinstance(error, RuntimeError) else 'RuntimeError')
            continue
        if made is operand:
            print(what, index, 'the same')
            continue
        values = np.asarray(made.eval(feeds) if feeds else made.eval())
        print(what, index, made, made.shape, values.tolist())

both = C.combine([x * 1, x + 1])
print(both[0], both[1], both[-1])
print([o.shape for o in both[0:2]])
