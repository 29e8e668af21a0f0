"""Where random numbers of a run come from: each function has a stream in every network that runs it, as in
CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

ONES = np.ones((4, 3), np.float32)
DRAWS = {
    'normal_like': lambda x: C.random.normal_like(x, seed=7),
    'uniform_like': lambda x: C.random.uniform_like(x, seed=7),
    'gumbel_like': lambda x: C.random.gumbel_like(x, seed=7),
    'bernoulli_like': lambda x: C.random.bernoulli_like(x, seed=7),
    'normal': lambda x: x * C.random.normal((3,), seed=7),
    'uniform': lambda x: x * C.random.uniform((3,), seed=7),
    'dropout': lambda x: C.dropout(x, 0.5, seed=7),
    'noise and dropout': lambda x: C.layers.Dropout(0.5, seed=3)(C.random.normal_like(x, seed=7)),
    'random_sample': lambda x: (
        C.reduce_sum(x)
        * C.times(
            C.constant(np.ones((1, 2), np.float32)),
            C.random_sample(C.constant(np.ones(3, np.float32)), 2, True, seed=7),
        )
    ),
}


def network(draw):
    x = C.input_variable(3)
    drawn = draw(x)
    w = C.parameter(3, init=1)
    loss = C.reduce_sum(w * drawn)
    return x, drawn, loss, C.Trainer(loss, (loss, loss), C.sgd([w], C.learning_parameter_schedule(0.001)))


def train(x, trainer, steps):
    losses = []
    for _ in range(steps):
        trainer.train_minibatch({x: ONES})
        losses.append(trainer.previous_minibatch_loss_average)
    return losses


@pytest.mark.parametrize('draw', DRAWS.values(), ids=DRAWS)
def test_what_is_evaluated_in_between_takes_nothing_from_a_training(draw):
    x, _, _, trainer = network(draw)
    alone = train(x, trainer, 4)
    x, drawn, loss, trainer = network(draw)
    drawn.eval({x: ONES})
    beside = train(x, trainer, 2)
    drawn.eval({x: ONES})
    loss.eval({x: ONES})
    C.Evaluator(loss).test_minibatch({x: ONES})
    assert beside + train(x, trainer, 2) == alone
    assert len(set(alone)) > 1  # something is drawn


@pytest.mark.parametrize('draw', DRAWS.values(), ids=DRAWS)
def test_two_trainers_draw_alike(draw):
    x, _, loss, first = network(draw)
    second = C.Trainer(loss, loss, C.sgd(loss.parameters, C.learning_parameter_schedule(0.0)))
    a = second.loss_function.parameters[0].value
    losses = []
    for trainer in (first, second):
        loss.parameters[0].value = a
        losses += train(x, trainer, 1)
    assert losses[0] == losses[1]


def test_a_test_draws_from_the_streams_of_its_trainer():
    """As in CNTK, which has both in one network; tests/programs/draws_in_tests.txt are its figures."""
    x, _, _, trainer = network(DRAWS['normal_like'])
    trainer.parameter_learners[0].reset_learning_rate(C.learning_parameter_schedule(0))
    alone = train(x, trainer, 4)
    x, _, _, trainer = network(DRAWS['normal_like'])
    trainer.parameter_learners[0].reset_learning_rate(C.learning_parameter_schedule(0))
    first = train(x, trainer, 1)
    tested = [trainer.test_minibatch({x: ONES}) for _ in range(2)]
    assert first + tested + train(x, trainer, 1) == pytest.approx(alone)
    assert len(set(alone)) == 4


def test_a_test_draws_no_dropout():
    x, _, _, trainer = network(DRAWS['dropout'])
    alone = train(x, trainer, 3)
    x, _, _, trainer = network(DRAWS['dropout'])
    first = train(x, trainer, 1)
    trainer.test_minibatch({x: ONES})
    assert first + train(x, trainer, 2) == alone


def test_figures_are_cntks():
    """Sums of four rows of normal_like, seed 7: trained, evaluated, trained on."""
    x, drawn, _, trainer = network(DRAWS['normal_like'])
    np.testing.assert_allclose(np.array(train(x, trainer, 3)) * 4, [-3.26093, 1.36276, 2.73655], atol=2e-5)
    np.testing.assert_allclose(
        [drawn.eval({x: ONES}).sum() for _ in range(2)], [-3.26093, 1.36464], atol=2e-5
    )
    np.testing.assert_allclose(np.array(train(x, trainer, 3)) * 4, [3.97612, -1.42671, -1.91292], atol=2e-5)


def test_a_function_goes_on_with_its_stream():
    x = C.input_variable(3)
    drawn = C.random.normal_like(x, seed=7)
    first, second = drawn.eval({x: ONES}), drawn.eval({x: ONES})
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(C.combine([drawn]).eval({x: ONES}), first)  # another network
    np.testing.assert_array_equal(C.random.normal_like(x, seed=7).eval({x: ONES}), first)


def test_forward_and_grad_are_runs_of_the_same_network():
    x = C.input_variable(3, needs_gradient=True)
    drawn = x * C.random.normal_like(x, seed=7)
    numbers = [
        drawn.eval({x: ONES}),
        drawn.grad({x: ONES}, [x]),
        drawn.forward({x: ONES}, [drawn.output], {drawn.output})[1][drawn.output],
    ]
    again = x * C.random.normal_like(x, seed=7)
    np.testing.assert_array_equal(numbers, [again.eval({x: ONES}) for _ in range(3)])


def test_a_checkpoint_goes_on_with_the_draws_of_the_training(tmp_path):
    file = str(tmp_path / 'draws.ckp')
    x, drawn, _, trainer = network(DRAWS['uniform_like'])
    train(x, trainer, 2)
    for _ in range(3):
        drawn.eval({x: ONES})
    trainer.save_checkpoint(file)
    expected = train(x, trainer, 3)
    x, _, _, other = network(DRAWS['uniform_like'])
    train(x, other, 1)
    other.restore_from_checkpoint(file)
    assert train(x, other, 3) == expected
    trainer.restore_from_checkpoint(file)
    assert train(next(iter(trainer.loss_function.arguments)), trainer, 3) == expected


def test_a_saved_function_goes_on_where_it_stood(tmp_path):
    file = str(tmp_path / 'noise.model')
    x = C.input_variable(3, name='x')
    drawn = C.random.normal_like(x, seed=7)
    begin = C.random.normal_like(x, seed=7)
    begin.save(file)
    loaded = C.load_model(file)
    np.testing.assert_array_equal(loaded.eval({loaded.arguments[0]: ONES}), drawn.eval({x: ONES}))
    drawn.save(file)
    loaded = C.load_model(file)
    np.testing.assert_array_equal(loaded.eval({loaded.arguments[0]: ONES}), drawn.eval({x: ONES}))


def test_a_new_seed_begins_anew():
    x = C.input_variable(3)
    drawn = C.dropout(x, 0.5, seed=3)
    w = C.parameter(3, init=1)
    loss = C.reduce_sum(w * drawn)
    trainer = C.Trainer(loss, loss, C.sgd([w], C.learning_parameter_schedule(0.0001)))
    first = train(x, trainer, 2)
    drawn.root_function.set_attribute('rngSeed', 5)
    train(x, trainer, 1)
    drawn.root_function.set_attribute('rngSeed', 3)
    np.testing.assert_allclose(train(x, trainer, 1)[0], first[0], rtol=1e-2)
