"""Random graphs over everything that looks along sequences, each node with its meaning (naive.py): loops that
feed loops, several axes, lengths made by data.

`Graph(seed)` has the nodes, naive_run.py data and results; test_random_graphs.py compares. `python
tests/python/random_graphs.py SEED` prints one.
"""

import numpy as np

import cantik as C
import naive

SHAPES = [(), (1,), (2,), (3,), (2, 3), (2, 1)]
UNARY = {
    'tanh': (C.tanh, np.tanh),
    'sigmoid': (C.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    'sin': (C.sin, np.sin),
    'relu': (C.relu, naive.relu),
    'square': (lambda x: C.square(C.sin(x)), lambda x: np.sin(x) ** 2),
    'eighth': (lambda x: 0.125 - x, lambda x: 0.125 - x),
}
BINARY = {
    'plus': (C.plus, np.add),
    'minus': (C.minus, np.subtract),
    'element_times': (C.element_times, np.multiply),
}


class Node:
    """`variable`: ours; `meaning`: of the Rows of its operands; `axes` as in naive.Rows; shape None at an
    axis as long as the longest sequence."""

    def __init__(
        self, text, variable, operands, meaning, axes, shape, smooth=True, loop=None, for_layout=None
    ):
        self.text, self.variable, self.operands, self.meaning = text, variable, operands, meaning
        self.axes, self.shape, self.smooth, self.loop, self.sparse = axes, tuple(shape), smooth, loop, False
        self.for_layout = for_layout  # which operand is read for its layout only
        self.carried = loop is not None and (
            text == 'state' or any(o.carried for o in operands)
        )  # depends on the step before

    has_steps = property(lambda self: self.axes not in (None, 'batch'))
    size = property(lambda self: int(np.prod(self.shape)))


class Loop:
    def __init__(self, like, ahead, typed):
        self.like, self.ahead, self.typed = (
            like,
            ahead,
            typed,
        )  # typed: the placeholders' types are given, otherwise they are found
        self.states, self.before, self.nodes = (
            [],
            [],
            [],
        )  # before: functions of states, to be read by delays only


class Graph:
    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.nodes, self.inputs, self.parameters, self.loops, self.loop = [], [], [], [], None
        self.make_inputs()
        for _ in range(self.random.randint(2, 5)):
            if self.random.rand() < 0.45:
                self.make_loop()
            else:
                for _ in range(self.random.randint(1, 5)):
                    self.make_one()
        self.root = self.last_of(
            [n for n in self.nodes if n.operands and n.smooth and not n.sparse and None not in n.shape]
        )
        self.others = [n for n in self.nodes if n.operands and not n.sparse and self.random.rand() < 0.15][:3]

    def last_of(self, computed):
        return computed[-1] if computed else self.make_unary()

    # ---- nodes

    def add(
        self, text, variable, operands=(), meaning=None, axes=None, shape=(), smooth=True, for_layout=None
    ):
        node = Node(text, variable, list(operands), meaning, axes, shape, smooth, self.loop, for_layout)
        (self.loop.nodes if self.loop else self.nodes).append(node)
        return node

    def pick(self, wanted, recent=True):
        """A node, the later the likelier; None where there is none."""
        readable = self.nodes + (self.loop.nodes if self.loop else [])
        found = [n for n in readable if wanted(n)]
        if self.loop:
            found = [n for n in found if not n.has_steps or n.axes == self.loop.like.axes]
            if carried := [n for n in found if n.carried and self.random.rand() < 0.8]:
                found = carried
        if not found:
            return None
        return found[max(self.random.randint(len(found)) for _ in range(2 if recent else 1))]

    def steps(self, *more):
        return self.pick(lambda n: n.has_steps and not n.sparse and all(m(n) for m in more))

    def choose(self, *list):
        return list[self.random.randint(len(list))]

    def numbers(self, shape):
        return self.random.uniform(-0.9, 0.9, shape)

    def parameter(self, shape):
        p = C.parameter(shape, init=self.numbers(shape), dtype=np.float64, name=f'p{len(self.parameters)}')
        node = Node(f'parameter {tuple(shape)}', p, [], None, None, shape)
        self.parameters.append(node)
        return node

    def make_inputs(self):
        def new(axes, shape, sparse=False):
            name = f'x{len(self.inputs)}'
            if axes == 'batch':
                v = C.input_variable(shape, dtype=np.float64, needs_gradient=True, name=name)
            else:
                v = C.sequence.input_variable(
                    shape,
                    dtype=np.float64,
                    needs_gradient=not sparse,
                    is_sparse=sparse,
                    name=name,
                    sequence_axis=C.Axis.default_dynamic_axis() if axes == 'x' else C.Axis(axes),
                )
            node = self.add(f'{"sparse " * sparse}input', v, axes=axes, shape=shape)
            node.sparse = sparse
            self.inputs.append(node)

        new('x', self.choose(*SHAPES))
        if self.random.rand() < 0.5:
            new('batch', self.choose(*SHAPES))
        if self.random.rand() < 0.3:
            new('x', (4,), True)
        if self.random.rand() < 0.4:
            new('u', self.choose(*SHAPES))
        if self.random.rand() < 0.4:
            new('x', self.choose(*SHAPES))

    def make_one(self):
        for _ in range(20):
            makers = (
                IN_LOOPS + ELSEWHERE
                if not self.loop
                else IN_LOOPS
                if self.loop.typed
                else [m for m in IN_LOOPS if m != 'static']
            )
            if node := getattr(self, 'make_' + makers[self.random.randint(len(makers))])():
                return node
        return self.make_unary()

    # ---- operators that work step by step

    def make_unary(self):
        x, op = self.pick(lambda n: not n.sparse), self.choose(*UNARY)
        ours, meaning = UNARY[op]
        return self.add(
            op, ours(x.variable), [x], lambda v: naive.elementwise(meaning, v), x.axes, x.shape, x.smooth
        )

    def make_binary(self):
        x = self.pick(lambda n: not n.sparse)
        fits = lambda n: (
            not n.sparse
            and (n.axes == x.axes or not n.has_steps or not x.has_steps)
            and broadcast(n.shape, x.shape) is not None
        )
        y, op = self.pick(fits, False), self.choose(*BINARY)
        if self.random.rand() < 0.2:
            y = self.parameter(self.choose(x.shape, x.shape[1:]) if None not in x.shape else ())
        ours, meaning = BINARY[op]
        more = max(x, y, key=lambda n: 0 if n.axes is None else 1 + n.has_steps)
        return self.add(
            op,
            ours(x.variable, y.variable),
            [x, y],
            lambda *v: naive.elementwise(meaning, *v),
            more.axes,
            broadcast(x.shape, y.shape),
            x.smooth or y.smooth,
        )

    def make_select(self):
        x = self.steps()
        y = x and self.steps(lambda n: n.axes == x.axes and n.shape == x.shape)
        if not x or None in x.shape:
            return None
        return self.add(
            'select',
            C.element_select(C.greater(x.variable, 0.1234), y.variable, x.variable),
            [x, y],
            lambda x, y: naive.elementwise(lambda x, y: np.where(x.real > 0.1234, y, x), x, y),
            x.axes,
            x.shape,
            x.smooth or y.smooth,
        )

    def make_product(self):
        x = self.pick(lambda n: len(n.shape) in (1, 2) and None not in n.shape)
        if x and self.random.rand() < 0.4:
            self.product(x)  # gates: several products of one operand
        return x and self.product(x)

    def product(self, x):
        w = self.parameter((x.shape[-1], self.choose(1, 2, 3)))
        meaning = np.matmul if len(x.shape) > 1 else vector_product
        return self.add(
            'times',
            C.times(x.variable, w.variable),
            [x, w],
            lambda x, w: naive.rowwise(meaning, x, w),
            x.axes,
            x.shape[:-1] + w.shape[1:],
        )

    def make_splice(self):
        x = self.steps(lambda n: len(n.shape) == 1)
        y = x and self.pick(
            lambda n: (
                len(n.shape) == 1
                and None not in n.shape
                and (n.axes == x.axes or not n.has_steps)
                and not n.sparse
            )
        )
        return y and self.add(
            'splice',
            C.splice(x.variable, y.variable),
            [x, y],
            lambda x, y: naive.rowwise(spliced, x, y),
            x.axes,
            (x.shape[0] + y.shape[0],),
            x.smooth or y.smooth,
        )

    def make_static(self):
        """What only changes the shape of items."""
        x = self.pick(lambda n: len(n.shape) == 2 and None not in n.shape and not n.sparse)
        if not x:
            return None
        a, b = x.shape
        op, ours, meaning, shape = self.choose(
            ('reduce_sum', C.reduce_sum(x.variable, axis=-1), lambda v: v.sum(-1, keepdims=True), (a, 1)),
            ('transpose', C.swapaxes(x.variable), lambda v: v.swapaxes(-1, -2), (b, a)),
            (
                'reshape',
                C.reshape(x.variable, (a * b,)),
                lambda v: v.reshape(v.shape[:-2] + (a * b,)),
                (a * b,),
            ),
            ('slice', C.slice(x.variable, -2, a - 1, a), lambda v: v[..., -1:, :], (1, b)),
        )
        return self.add(op, ours, [x], lambda v: naive.rowwise(meaning, v), x.axes, shape, x.smooth)

    def make_delay(self):
        x = self.pick(lambda n: n.has_steps and not n.sparse)
        return x and self.delay(x, 1 if self.loop is None or not self.loop.ahead else -1, self.loop is None)

    def delay(self, x, sign, any_way=False):
        k = self.choose(1, 1, 1, 2, 3, 7) * (self.choose(1, -1) if any_way else sign)
        state, variable, text = self.initial_state(x, k)
        ours = C.sequence.past_value if k > 0 else C.sequence.future_value
        given = [] if state is None else [state]
        arguments = {} if variable is None else {'initial_state': variable}
        constant = naive.Rows(text if isinstance(text, float) else 0.0)
        return self.add(
            f'delay {k} from {text}',
            ours(x.variable, time_step=abs(k), **arguments),
            [x] + given,
            lambda x, s=constant: naive.delay(x, s, k),
            x.axes,
            x.shape,
            x.smooth or any(s.smooth for s in given),
        )

    def initial_state(self, x, k):
        kind = self.choose('none', 'number', 'parameter', 'batch', 'batch', 'steps', 'steps')
        if kind == 'number':
            return None, 0.25, 0.25  # exact in float32
        if kind == 'parameter':
            node = self.parameter(self.choose(x.shape, (), tuple(1 for _ in x.shape)))
            return node, node.variable, kind
        if kind != 'none':
            outside = [
                n
                for n in self.nodes
                if (n.axes == 'batch' if kind == 'batch' else n.has_steps)
                and not n.sparse
                and None not in n.shape
                and (n.shape == x.shape or (n.size == 1 and len(n.shape) <= len(x.shape)))
            ]
            if outside:
                node = outside[self.random.randint(len(outside))]
                return node, node.variable, kind
        return None, None, 'none'

    def make_mark(self):
        x, last = self.steps(), self.random.rand() < 0.5
        ours, place = (C.sequence.is_last, -1) if last else (C.sequence.is_first, 0)
        return x and self.add(
            'is_last' if last else 'is_first',
            ours(x.variable),
            [x],
            lambda v: naive.marks(v, place),
            x.axes,
            (),
            False,
            0,
        )

    def make_broadcast(self):
        like, x = self.steps(), self.pick(lambda n: n.axes == 'batch' and None not in n.shape)
        return x and like and self.on_axes(x, like)

    def on_axes(self, x, like):
        node = self.add(
            'broadcast_as',
            C.sequence.broadcast_as(x.variable, like.variable),
            [x, like],
            naive.broadcast_as,
            like.axes,
            x.shape,
            x.smooth,
            1,
        )
        node.sparse = x.sparse
        return node

    # ---- operators that see whole sequences

    def make_reduction(self):
        x = self.steps(lambda n: None not in n.shape)
        op, ours, meaning = self.choose(
            ('sum', C.sequence.reduce_sum, lambda v: v.sum(0)), ('max', C.sequence.reduce_max, naive.largest)
        )
        return x and self.add(
            'sequence.reduce_' + op,
            ours(x.variable),
            [x],
            lambda v: naive.by_sequence(meaning, v),
            'batch',
            x.shape,
            x.smooth,
        )

    def make_softmax(self):
        x = self.steps()
        return x and self.add(
            'sequence.softmax',
            C.sequence.softmax(x.variable),
            [x],
            lambda v: naive.by_sequence(naive.softmax, v, v.axes),
            x.axes,
            x.shape,
            x.smooth,
        )

    def moved(self, text, variable, x, operands, meaning, axes):
        node = self.add(text, variable, [x] + operands, meaning, axes, x.shape, x.smooth)
        node.sparse = x.sparse
        return node

    def make_step(self):
        x = self.pick(lambda n: n.has_steps)
        text, ours, i = self.choose(
            ('first', C.sequence.first, 0),
            ('last', C.sequence.last, -1),
            ('slice 1 2', lambda v: C.sequence.slice(v, 1, 2), 1),
        )
        return x and self.moved(text, ours(x.variable), x, [], lambda v: naive.step_at(v, i), 'batch')

    def make_slice(self):
        x = self.pick(lambda n: n.has_steps)
        begin, end = self.choose((1, 0), (0, -1), (-2, 0), (0, 2), (1, -1), (-3, -1))
        axes = x and f'{x.axes}[{begin}:{end}]'
        return x and self.moved(
            f'slice {begin} {end}',
            C.sequence.slice(x.variable, begin, end),
            x,
            [],
            lambda v: naive.part(v, begin, end, axes),
            axes,
        )

    def condition(self, x):
        """A number for each step, 0 or 1."""
        variable = C.greater(C.reshape(C.reduce_sum(x.variable), ()), 0.0531)
        return self.add('condition', variable, [x], naive.holds, x.axes, (), False)

    def make_gather(self):
        c = self.steps(lambda n: None not in n.shape)
        c = c and self.condition(c)
        x = c and self.pick(lambda n: n.axes == c.axes)
        if not x:
            return None
        axes = f'where {id(c)}'
        node = self.moved(
            'gather',
            C.sequence.gather(x.variable, c.variable),
            x,
            [c],
            lambda x, c: naive.gather(x, c, axes),
            axes,
        )
        if self.random.rand() < 0.3:
            self.add(
                'where', C.sequence.where(c.variable), [c], lambda c: naive.where(c, axes), axes, (), False
            )
        if self.random.rand() < 0.6:
            y = node if node.sparse or self.random.rand() < 0.5 else self.delay(node, 1, True)
            self.moved('scatter', C.sequence.scatter(y.variable, c.variable), y, [c], naive.scatter, c.axes)
        return node

    def make_join(self):
        """Steps of one axis on those of another: of as many, or of one."""
        x = self.pick(lambda n: n.has_steps and n.text.startswith('slice'))
        if not x:
            return None
        y = self.steps()
        one = (
            self.moved(
                'slice 0 1 of it',
                C.to_sequence(
                    C.expand_dims(C.sequence.first(x.variable), -1 - len(x.shape)) if not x.sparse else None
                ),
                x,
                [],
                lambda v: naive.to_sequence(
                    naive.like_one(naive.step_at(v, 0)), [1] * len(v.data), f'first {id(x)}'
                ),
                f'first {id(x)}',
            )
            if not x.sparse
            else None
        )
        return one and self.add(
            'reconcile',
            C.reconcile_dynamic_axes(one.variable, y.variable),
            [one, y, x],
            lambda o, y, x: naive.broadcast_as(naive.step_at(x, 0), y),
            y.axes,
            one.shape,
            one.smooth,
            1,
        )

    def make_unpacking(self):
        x, padding = self.steps(lambda n: None not in n.shape), self.choose(0.0, 0.7)
        return x and self.add(
            'unpack',
            C.sequence.unpack(x.variable, padding, no_mask_output=True),
            [x],
            lambda v: naive.unpack(v, padding),
            'batch',
            (None,) + x.shape,
            x.smooth,
        )

    def make_packing(self):
        x = self.pick(lambda n: n.axes == 'batch' and n.shape and n.shape[0] is None)
        if not x:
            return None
        like = self.root_of_unpacking(x)
        if self.random.rand() < 0.5:
            return self.add(
                'to_sequence_like',
                C.to_sequence_like(x.variable, like.variable),
                [x, like],
                lambda v, like: naive.to_sequence(v, like.lengths, like.axes),
                like.axes,
                x.shape[1:],
                x.smooth,
                1,
            )
        counts, axes = (
            C.sequence.reduce_sum(C.sequence.broadcast_as(C.constant(1.0, dtype=np.float64), like.variable)),
            f'to_sequence {id(x)} {len(self.nodes)}',
        )
        return self.add(
            'to_sequence',
            C.to_sequence(x.variable, counts),
            [x, like],
            lambda v, like: naive.to_sequence(v, like.lengths, axes),
            axes,
            x.shape[1:],
            x.smooth,
            1,
        )

    def root_of_unpacking(self, x):
        while x.text != 'unpack':
            x = next(o for o in x.operands if o.shape and o.shape[0] is None)
        return x.operands[0]

    def make_free_sum(self):
        x = self.pick(lambda n: n.shape and n.shape[0] is None)
        return x and self.add(
            'sum of unpacked',
            C.reduce_sum(x.variable, axis=-len(x.shape), keepdims=False),
            [x],
            lambda v: naive.rowwise(lambda d: d.sum(v.dynamic), v),
            x.axes,
            x.shape[1:],
            x.smooth,
        )

    def make_sequence(self):
        x = self.pick(lambda n: n.axes == 'batch' and n.shape and None not in n.shape and not n.sparse)
        axes = x and f'to_sequence {id(x)} {len(self.nodes)}'
        return x and self.add(
            'to_sequence',
            C.to_sequence(x.variable),
            [x],
            lambda v: naive.to_sequence(v, [v.shape[0]] * len(v.data), axes),
            axes,
            x.shape[1:],
            x.smooth,
        )

    def make_attention(self):
        """The sum of products over the steps."""
        x = self.steps(lambda n: len(n.shape) == 1)
        y = x and self.steps(lambda n: n.axes == x.axes and len(n.shape) == 1)
        if not y:
            return None
        a, b = C.reshape(x.variable, (x.size, 1)), C.reshape(y.variable, (1, y.size))
        product = C.times(
            a, b, infer_input_rank_to_map=C.TIMES_REDUCE_SEQUENCE_AXIS_WITHOUT_INFERRED_INPUT_RANK
        )
        return self.add(
            'sum of products',
            product,
            [x, y],
            lambda x, y: naive.sum_of_products(x.like(x.data[..., None]), y.like(y.data[..., None, :])),
            'batch',
            (x.size, y.size),
            x.smooth or y.smooth,
        )

    def make_total(self):
        x = self.pick(lambda n: n.axes is not None and not n.sparse and n.shape == ())
        return x and self.add(
            'total',
            C.reduce_sum(x.variable, axis=C.Axis.all_axes()),
            [x],
            naive.total,
            None,
            x.shape,
            x.smooth,
        )

    # ---- loops

    def make_loop(self):
        like = self.steps()
        loop = self.loop = Loop(like, self.random.rand() < 0.35, self.random.rand() < 0.7)
        self.loops.append(loop)
        states = []
        for _ in range(self.choose(1, 1, 2, 3)):
            shape = self.choose(*SHAPES)
            place = (
                C.placeholder(shape, like.variable.dynamic_axes, name='state')
                if loop.typed
                else C.placeholder(name='state')
            )
            state = Node('state', place, [], None, like.axes, shape, True, loop)
            states.append(state)
            if self.random.rand() < 0.25:  # a function of the state, then a delay
                ours, meaning = UNARY['sin']
                state = Node(
                    'sin',
                    ours(place),
                    [state],
                    lambda v, m=meaning: naive.elementwise(m, v),
                    like.axes,
                    shape,
                    True,
                    loop,
                )
                loop.before.append(state)
            self.delay(state, -1 if loop.ahead else 1)
        for _ in range(self.random.randint(2, 7)):
            self.make_one()
        for state in states:
            end = self.bounded(state.shape)
            state.operands = [end]
        loop.states = states
        self.loop = None
        bindings = {
            s.variable: s.operands[0].variable.output
            if hasattr(s.operands[0].variable, 'output')
            else s.operands[0].variable
            for s in states
        }
        loop.function = C.combine([n.variable for n in loop.nodes]).replace_placeholders(bindings)
        self.nodes += loop.before + loop.nodes

    def bounded(self, shape):
        """What closes the loop: of this shape, and no larger than 1."""
        x = (
            self.pick(lambda n: n.loop is self.loop and n.carried)
            if self.random.rand() < 0.95
            else self.loop.nodes[-1]
        )
        if x.shape != shape:
            x = self.fitted(x, shape)
        # Something has to say what element type the state has, how long its sequences are, and, where they
        # are to be found, what axes and shape.
        y = (
            self.on_axes(self.parameter(shape), self.loop.like)
            if self.loop.typed and self.random.rand() < 0.6
            else self.fitted(self.loop.like, shape)
        )
        x = self.add(
            'plus', x.variable + y.variable, [x, y], lambda *v: naive.elementwise(np.add, *v), x.axes, shape
        )
        op = self.choose('tanh', 'sigmoid', 'sin')
        ours, meaning = UNARY[op]
        return self.add(
            op, ours(x.variable), [x], lambda v: naive.elementwise(meaning, v), self.loop.like.axes, shape
        )

    def fitted(self, x, shape):
        w = self.parameter((x.size, int(np.prod(shape))))
        w.variable.value = w.variable.value / x.size  # so that steps forget: no chaos in long sequences
        variable = C.reshape(C.times(C.reshape(x.variable, (x.size,)), w.variable), shape)
        return self.add(
            'fitted', variable, [x, w], lambda x, w: naive.flat_product(x, w, tuple(shape)), x.axes, shape
        )


IN_LOOPS = [
    'unary',
    'binary',
    'binary',
    'binary',
    'select',
    'product',
    'splice',
    'static',
    'delay',
    'mark',
    'broadcast',
]
ELSEWHERE = [
    'delay',
    'delay',
    'reduction',
    'softmax',
    'step',
    'slice',
    'slice',
    'gather',
    'gather',
    'join',
    'unpacking',
    'packing',
    'packing',
    'free_sum',
    'sequence',
    'attention',
    'total',
]


def broadcast(a, b):
    """The shape of both together; None where there is none."""
    if None in a or None in b:
        return a if b in (a, ()) else b if a == () else None
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def vector_product(x, w):
    return (x[..., None, :] @ w)[..., 0, :]


def spliced(x, y):
    if y.ndim < x.ndim:
        y = np.broadcast_to(y, x.shape[:-1] + y.shape)
    return np.concatenate([x, y], -1)


if __name__ == '__main__':
    import sys
    from naive_run import text

    print(text(Graph(int(sys.argv[1]))))
