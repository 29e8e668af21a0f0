"""User functions in files: found again by their registered class or a callback; a file runs and imports
nothing."""

import sys
import types

import numpy as np
import pytest

import cantik as C

X = np.array([[1, -2, 3], [0.5, 4, -1]], np.float32)


def make(name, op_name=None, with_deserialize=True):
    """A class as a user's program defines it, in a module that nobody can import."""

    class Scaled(C.UserFunction):
        def __init__(self, x, factor=1.0, table=None, name='scaled'):
            self.factor, self.table = factor, np.zeros(1) if table is None else table
            super().__init__([x], name=name)

        def infer_outputs(self):
            return [
                C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)
            ]

        def forward(self, x, device=None, outputs_to_retain=None):
            return None, self.factor * x

        def backward(self, state, g):
            return self.factor * g

        def serialize(self):
            return {
                'factor': self.factor,
                'table': self.table,
                'nested': {'list': [1, 2.5, 'three', None], 'minus': -4},
            }

        if with_deserialize:

            @staticmethod
            def deserialize(inputs, name, state):
                assert state['nested'] == {'list': [1, 2.5, 'three', None], 'minus': -4}
                return Registered(inputs[0], state['factor'], state['table'], name)

    Registered = type(
        name,
        (Scaled,),
        {
            '__module__': 'a.module.of.the.user',
            **({'op_name': property(lambda self: op_name)} if op_name else {}),
        },
    )
    return Registered


def network(cls, **more):
    x = C.input_variable(3, needs_gradient=True, name='x')
    return C.user_function(cls(x + 1, 2.0, np.arange(3.0), **more)) * 2


def test_saved_before_anything_else_is_made_of_it(tmp_path):
    """Its node is made by the save; where the binding checks it (tests/sanitize), under Python's lock."""
    path = str(tmp_path / 'model')
    make('Bare')(C.input_variable(3), 3.0, np.arange(2.0)).save(path)
    assert np.array_equal(C.Function.load(path)(X), 3 * X)


def test_by_registered_class(tmp_path):
    f = network(make('Found'), name='mine')
    path = str(tmp_path / 'model')
    f.save(path)
    g = C.Function.load(path)
    x = g.arguments[0]
    assert np.array_equal(g.eval({x: X}), 4 * (X + 1)) and np.array_equal(g.grad({x: X}), np.full_like(X, 4))
    found = g.find_by_name('mine')
    record = found.serialize()
    assert (record['class'], record['module'], record['op_name'], record['version']) == (
        'Found',
        'a.module.of.the.user',
        'a.module.of.the.user.Found',
        1,
    )
    assert record['state']['factor'] == 2 and np.array_equal(record['state']['table'], [0, 1, 2])
    assert found.uid == f.find_by_name('mine').uid  # as CNTK keeps it
    assert np.array_equal(C.Function.load(open(path, 'rb').read()).eval({'x': X}), 4 * (X + 1))
    import pickle

    assert np.array_equal(pickle.loads(pickle.dumps(f)).eval({'x': X}), 4 * (X + 1))


def test_by_callback(tmp_path):
    f = network(make('Called', 'an op of mine'))
    path = str(tmp_path / 'model')
    f.save(path)
    Other = make('Other')
    C.Function.register_udf_deserialize_callback(
        'an op of mine', lambda inputs, name, state: Other(inputs[0], -state['factor'], name=name)
    )
    assert np.array_equal(C.Function.load(path).eval({'x': X}), -4 * (X + 1))
    with pytest.raises(ValueError, match='an op of mine has already been registered'):
        C.Function.register_udf_deserialize_callback('an op of mine', lambda *a: None)


def test_unknown_loads_prints_and_names_what_is_missing(tmp_path, monkeypatch):
    from cantik.ops import _user_records as user_records

    f = network(make('Unknown'), name='lost')
    path = str(tmp_path / 'model')
    f.save(path)
    monkeypatch.delitem(user_records.classes, ('a.module.of.the.user', 'Unknown'))
    ran = []
    module = types.ModuleType('a.module.of.the.user')  # there for the taking, and not taken
    module.Unknown = type('Unknown', (), {'deserialize': staticmethod(lambda *a: ran.append(a))})
    monkeypatch.setitem(sys.modules, 'a.module.of.the.user', module)
    g = C.Function.load(path)
    assert 'a.module.of.the.user.Unknown' in str(g.find_by_name('lost')) and not ran
    with pytest.raises(
        NotImplementedError,
        match=r'(?s)a\.module\.of\.the\.user\.Unknown, Unknown of the module a\.module\.of\.the\.user '
        r'cannot be run.*Define its class',
    ):
        g.eval({g.arguments[0]: X})
    again = str(tmp_path / 'again')
    g.save(again)  # nothing of it is lost
    monkeypatch.setitem(user_records.classes, ('a.module.of.the.user', 'Unknown'), make('Unknown'))
    assert np.array_equal(C.Function.load(again).eval({'x': X}), 4 * (X + 1)) and not ran


def test_without_deserialize(tmp_path):
    f = network(make('Mute', with_deserialize=False))
    f.save(str(tmp_path / 'model'))
    with pytest.raises(RuntimeError, match='Mute.deserialize failed') as error:
        C.Function.load(str(tmp_path / 'model'))
    assert isinstance(error.value.__cause__, NotImplementedError)


def test_state_that_no_file_holds(tmp_path):
    Bad = make('Bad')
    Bad.serialize = lambda self: {'x': object()}
    path = tmp_path / 'model'
    with pytest.raises(TypeError, match='not object'):
        network(Bad).save(str(path))
    assert not path.exists()
    Bad.serialize = lambda self: 1 / 0
    with pytest.raises(RuntimeError, match=r'Bad\.serialize: ZeroDivisionError') as error:
        network(Bad).save(str(path))
    assert isinstance(error.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    'numbers', [[2**24 + 1, 2**40 + 3], [-(2**53), 2**53], [1, 2], [], [[True, False]]], ids=str
)
@pytest.mark.parametrize('dtype', [np.int64, np.uint64, np.int32, np.uint8, bool])
def test_integers_come_back_as_equal_numbers(tmp_path, numbers, dtype):
    with np.errstate(all='ignore'):
        given = np.array(numbers, object).astype(np.int64).astype(dtype)
    if dtype is np.uint64 and given.size and given.max() > 2**53:
        given = given[1:]
    cls = make('Whole')
    cls.serialize = lambda self: {'deep': [{'numbers': given}]}
    states = []
    cls.deserialize = staticmethod(lambda inputs, name, state: states.append(state) or cls(inputs[0]))
    path = str(tmp_path / 'model')
    network(cls).save(path)
    C.Function.load(path)
    found = states[0]['deep'][0]['numbers']
    assert found.shape == given.shape and found.tolist() == given.tolist()


@pytest.mark.parametrize('number', [2**53 + 1, -(2**63), 2**63 - 1, 2**64 - 1])
def test_integers_that_no_file_holds(tmp_path, number):
    cls = make('Large')
    cls.serialize = lambda self: {'deep': {'numbers': np.array([number])}}
    path = tmp_path / 'model'
    with pytest.raises(ValueError, match=r'(?s)integers beyond 2\*\*53.*key +numbers.*key +deep.*remedy'):
        network(cls).save(str(path))
    assert not path.exists()


def test_checkpoint_of_a_training(tmp_path):
    cls = make('Trained')
    x, y = C.input_variable(3), C.input_variable(2)
    z = C.layers.Dense(2)(C.user_function(cls(x, 2.0)))
    loss = C.squared_error(z, y)
    trainer = C.Trainer(z, (loss, loss), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01))])
    data = {x: X, y: np.ones((2, 2), np.float32)}
    trainer.train_minibatch(data)
    trainer.save_checkpoint(str(tmp_path / 'c'))
    trainer.train_minibatch(data)
    expected = [p.value for p in z.parameters]
    trainer.restore_from_checkpoint(str(tmp_path / 'c'))
    trainer.train_minibatch(data)
    assert all(np.array_equal(a, p.value) for a, p in zip(expected, z.parameters))
