"""new_length in JAX: the compiled training step is compiled again for each length; padded to the longest it
is not."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, lengths_twice, np

args = arguments(once=0)
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: args.threads]))
import jax
import jax.numpy as jnp


def training():
    rs = np.random.RandomState(1)
    p = {
        name: jnp.asarray(rs.randn(*shape) * 0.1, jnp.float32)
        for name, shape in dict(W=(32, 256), U=(64, 256), b=(256,), O=(64, 10)).items()
    }

    def loss(p, x, y):
        def cell(state, a):
            h, c = state
            i, f, g, o = jnp.split(a + h @ p['U'], 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zeros = jnp.zeros((8, 64))
        h = jax.lax.scan(cell, (zeros, zeros), x @ p['W'] + p['b'])[0][0]
        return -jax.nn.log_softmax(h @ p['O'])[jnp.arange(8), y].mean()

    update = jax.jit(lambda p, x, y: jax.tree.map(lambda w, g: w - 0.01 * g, p, jax.grad(loss)(p, x, y)))
    state = dict(p=p)

    def prepared(sequences, labels):
        x, y = jnp.asarray(sequences.transpose(1, 0, 2)), jnp.asarray(labels)

        def step():
            state['p'] = jax.block_until_ready(update(state['p'], x, y))

        return step

    return prepared


lengths_twice(args, dict(jit_lstm=training), repetitions=1)  # compiling 40 times takes half a minute
