"""@C.Function and @BlockFunction: annotations that are types and such that are not, calls by place and name,
several results, composition, and the classes of errors of wrong calls."""

import typing

import numpy as np

import cntk as C
from cntk.layers import BlockFunction, Dense, Sequential, Signature
from cntk.layers.typing import Sequence, SequenceOver, SparseTensor, Tensor

C.cntk_py.set_fixed_random_seed(4)
V = np.array([[1, 2, 3]], np.float32)
x, y = C.input_variable(3, name='x'), C.input_variable(3, name='y')
s = C.sequence.input_variable(3, name='s')


def show(what, call):
    try:
        made = call()
    except (SyntaxError, TypeError, ValueError, RuntimeError) as error:
        kinds = SyntaxError, TypeError, ValueError, RuntimeError
        print(what, [c.__name__ for c in kinds if isinstance(error, c)][0])
        return
    print(what, made, [a.name for a in made.arguments] if isinstance(made, C.Function) else '')


# annotations
kinds = [
    Tensor[3], Sequence[Tensor[3]], SequenceOver[C.Axis('q')][Tensor[3]], SparseTensor[3], Tensor[2, 3],
    float, np.float32, np.float64, int, bool, str, list, object, np.ndarray, C.Variable, typing.Any, {},
    'text', [3],
]  # fmt: skip
for number, kind in enumerate(kinds):

    def step(a):
        return C.sigmoid(a)

    step.__annotations__ = {'a': kind}
    show(number, lambda: C.Function(step))


@C.Function
def plain(a, b):
    return a * b - a


@C.Function
def typed(a: Tensor[3], b: Tensor[3]) -> Tensor[3]:
    return a * b - a


@C.Function
@Signature(a=Tensor[3], b=Sequence[Tensor[3]])
def signed(a, b):
    return C.sequence.last(C.sequence.broadcast_as(a, b) + b)


@C.Function
def two(a, b):
    return C.plus(a, b, name='sum'), C.minus(a, b, name='difference')


@BlockFunction('Scaled', 'scaled')
def block(a, b):
    return C.sigmoid(a) * b


for name, f in [('plain', plain), ('typed', typed), ('signed', signed), ('two', two), ('block', block)]:
    print(name, f, f.name, [p.name for p in f.placeholders], [o.name for o in f.outputs])
    show('(x, y)', lambda: f(x, y))
    show('by name', lambda: f(b=y, a=x))
    show('mixed', lambda: f(x, b=y))
    show('twice', lambda: f(x, a=y))
    show('too few', lambda: f(x))
    show('too many', lambda: f(x, y, x))
    show('the same', lambda: f(x, x))
    show('a clone', lambda: f.clone('clone'))
    f.save('f.model')
    show('loaded', lambda: C.load_model('f.model'))
print(typed(V, 2 * V), typed(x, y).eval({x: V, y: V}), typed(V, b=V + 1))
print(sorted((o.name, value.tolist()) for o, value in two(x, y).eval({x: V, y: 2 * V}).items()))
print(block(x, y).eval({x: 0 * V, y: V}), block(x, y).root_function.is_block)

# composition
show('>>', lambda: C.relu >> Dense(2, name='d') >> C.softmax)
show('>> x', lambda: (C.relu >> Dense(2, name='d') >> C.softmax)(x))
show('typed >>', lambda: typed >> C.reduce_sum)
show('tuples', lambda: Sequential([(C.relu, C.sigmoid), C.plus])(x))
show('nested', lambda: Sequential([[C.relu, C.sigmoid], Dense(2)])(x))
show('of a lambda', lambda: Sequential([lambda a: a + 1, C.relu])(x))
show('nothing', lambda: Sequential([])(x))
show('for', lambda: C.layers.For(range(2), lambda i: Dense(i + 1))(x))
show('a number', lambda: Sequential([3])(x))
