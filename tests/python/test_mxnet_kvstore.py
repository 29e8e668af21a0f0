"""mx.kv of one process; what comes out was compared with MXNet 1.9.1."""

import numpy as np
import pytest

import cantik.mxnet as mx


def ones(n=2, times=1):
    return mx.nd.ones((n,)) * times


def store():
    kv = mx.kv.create('local')
    kv.init(3, ones())
    kv.init([4, 5], [ones(), ones(3)])
    return kv


def pulled(kv, key=3):
    out = mx.nd.zeros((2,))
    kv.pull(key, out=out)
    return out.asnumpy().tolist()


@pytest.mark.parametrize('name', ['local', 'device', 'local_allreduce_cpu', 'local_update_cpu'])
def test_stores_of_one_process(name):
    kv = mx.kvstore.create(name)
    assert isinstance(kv, mx.kvstore.KVStore) and kv.is_capable('optimizer')
    assert (kv.type, kv.rank, kv.num_workers) == (name, 0, 1)


def test_what_is_pushed_takes_the_place():
    kv = store()
    assert pulled(kv) == [1, 1]
    kv.push(3, ones(times=8))
    assert pulled(kv) == [8, 8]
    kv.push(3, [ones(), ones(times=2)])  # summed
    assert pulled(kv) == [3, 3]
    kv.push([3, 4], [[ones(times=5)] * 2, [ones(times=2)] * 3])
    assert pulled(kv) == [10, 10] and pulled(kv, 4) == [6, 6]
    outs = [mx.nd.zeros((2,)) for _ in range(3)]
    kv.pull([3, 4], out=[outs[:2], outs[2]])
    assert [o.asnumpy()[0] for o in outs] == [10, 10, 6]
    kv.pushpull(3, ones(times=7), out=outs[0])
    assert outs[0].asnumpy().tolist() == [7, 7]
    kv.broadcast(7, ones(times=4), out=outs[0])
    assert outs[0].asnumpy().tolist() == [4, 4]


def test_what_is_stored_is_a_copy():
    kv, given = mx.kv.create(), ones()
    kv.init('w', given)
    given[:] = 9
    assert pulled(kv, 'w') == [1, 1]
    kv.push('w', given)
    given[:] = 5
    assert pulled(kv, 'w') == [9, 9]


def test_updaters_and_optimizers(tmp_path):
    kv = store()

    def update(key, pushed, stored):
        stored += pushed * 2 + key

    kv._set_updater(update)
    kv.push(3, ones())
    assert pulled(kv) == [6, 6]
    kv = store()
    kv.set_optimizer(mx.optimizer.SGD(learning_rate=0.5, momentum=0.9))
    kv.push(3, ones())
    kv.save_optimizer_states(str(tmp_path / 'states'))
    kv.load_optimizer_states(str(tmp_path / 'states'))
    kv.push(3, ones())
    assert np.allclose(pulled(kv), -0.45)


def test_programs_hand_a_store_to_fit():
    found = []
    for kv in ('local', mx.kv.create('device'), None):
        x = np.random.RandomState(0).rand(8, 3).astype(np.float32)
        s = mx.sym.FullyConnected(mx.sym.Variable('data'), num_hidden=1, name='fc')
        m = mx.mod.Module(mx.sym.LinearRegressionOutput(s, name='l'), label_names=['l_label'])
        it = mx.io.NDArrayIter(x, x.sum(1), 4, label_name='l_label')
        m.fit(it, num_epoch=2, kvstore=kv, initializer=mx.init.Zero())
        found.append(m.get_params()[0]['fc_weight'].asnumpy().tolist())
    assert found[0] == found[1] == found[2] != [[0, 0, 0]]


def test_wrong_use(tmp_path):
    kv = store()
    for call, text in (
        (lambda: kv.pull(9, out=ones()), 'key 9 has not been inited'),
        (lambda: kv.push(9, ones()), 'key 9 has not been inited'),
        (lambda: kv.init(3, ones()), 'duplicate init of key 3'),
        (lambda: kv.init('w', ones()), 'Mixed key types are not allowed'),
        (lambda: kv.push([3, 4], [ones()]), '2 keys and 1 values'),
        (lambda: mx.kv.create('dist_sync'), "key-value store 'dist_sync' is not there"),
        (lambda: kv.set_gradient_compression({'type': '2bit'}), 'compression of gradients is not there'),
    ):
        with pytest.raises(mx.MXNetError, match=text):
            call()
    with pytest.raises(TypeError, match='name must be a string'):
        mx.kv.create(3)
    for call in (lambda: kv.pull(3), lambda: kv.save_optimizer_states(str(tmp_path / 's'))):
        with pytest.raises(AssertionError):
            call()
