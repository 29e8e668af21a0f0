"""lstm_small, custom_cell_small in JAX: a scan over padded time, the whole training step one compiled
program."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'workloads'))
from timing import arguments, np, rate, wanted

args = arguments(workload='lstm_small')
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: args.threads]))
if args.threads == 1:
    os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_cpu_multi_thread_eigen=false'
import jax
import jax.numpy as jnp
from skewed import by_length, sequences, size_of

D, H = size_of(args.workload)
data = sequences(args.workload)
G = 4 if args.workload.startswith('lstm') else 3
rs = np.random.RandomState(1)


def glorot(*shape):
    return jnp.asarray((rs.uniform(-1, 1, shape) * np.sqrt(6 / sum(shape))).astype(np.float32))


def lstm(p, state, a):
    h, c = state
    i, f, g, o = jnp.split(a + h @ p['U'], 4, 1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def custom_cell(p, h, a):
    z, r = jnp.split(jax.nn.sigmoid(a[:, : 2 * H] + h @ p['U'][:, : 2 * H]), 2, 1)
    h = (1 - z) * h + z * jnp.tanh(a[:, 2 * H :] + (r * h) @ p['U'][:, 2 * H :])
    return h, h


def scores(p, x, last, unroll, hoisted):
    zeros = jnp.zeros((x.shape[1], H))
    cell, state = (lstm, (zeros, zeros)) if G == 4 else (custom_cell, zeros)
    inputs = (
        jnp.einsum('tbd,dg->tbg', x, p['W']) + p['b'] if hoisted else x
    )  # all steps in one product, or each in its own
    body = (lambda s, a: cell(p, s, a)) if hoisted else (lambda s, a: cell(p, s, a @ p['W'] + p['b']))
    states = jax.lax.scan(body, state, inputs, unroll=unroll)[1]
    return states[last, jnp.arange(x.shape[1])] @ p['O'] + p['c']


def sweep(unroll=1, hoisted=True, buckets=False):
    p = dict(W=glorot(D, G * H), U=glorot(H, G * H), b=jnp.zeros(G * H), O=glorot(H, 10), c=jnp.zeros(10))
    minibatches = [
        tuple(map(jnp.asarray, (x[:, : n.max()].transpose(1, 0, 2), n - 1, y)))
        for x, n, y in zip(*(by_length(*data) if buckets else data))
    ]

    def loss(p, x, last, y):
        return -jax.nn.log_softmax(scores(p, x, last, unroll, hoisted))[jnp.arange(len(y)), y].mean()

    step = jax.jit(
        lambda p, *batch: jax.tree.map(lambda w, g: w - 0.01 * g, p, jax.grad(loss)(p, *batch)),
        donate_argnums=0,
    )
    state = dict(p=p)

    def run():
        for batch in minibatches:
            state['p'] = step(state['p'], *batch)
        jax.block_until_ready(state['p'])

    return run


variants = dict(
    scan=lambda: sweep(hoisted=False),
    scan_hoisted=sweep,
    scan_hoisted_unroll5=lambda: sweep(unroll=5),
    scan_hoisted_bucketed=lambda: sweep(buckets=True),
)
for name, make in variants.items():
    if wanted(args, name):
        rate(args.workload, name, 'frames/s', make(), int(data[1].sum()), args, warmup=1)
