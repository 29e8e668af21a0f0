"""Block momentum of one worker: a checkpoint ends the block that is being trained, as in CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

AFTER_EIGHT_MINIBATCHES = 0.8190199  # CNTK 2.7's, with a checkpoint after four of them and at the end
DATA = np.ones((64, 1), np.float32)


def network():
    w, x = C.parameter((1,), init=1.0), C.input_variable(1)
    learner = C.block_momentum_distributed_learner(C.momentum_sgd([w], 0.1, 0.9), block_size=100)
    return w, x, C.Trainer(w * x, C.reduce_sum(w * x), [learner])


def test_checkpoints_of_a_session(tmp_path):
    w, x, trainer = network()
    source = C.io.MinibatchSourceFromData({'f': DATA})
    checkpoints = C.CheckpointConfig(str(tmp_path / 'model'), frequency=32, restore=False)
    C.train.training_session(
        trainer=trainer,
        mb_source=source,
        model_inputs_to_streams={x: source['f']},
        mb_size=8,
        max_samples=64,
        checkpoint_config=checkpoints,
    ).train()
    assert w.value == pytest.approx(AFTER_EIGHT_MINIBATCHES, rel=1e-6)


def test_checkpoints_of_a_loop(tmp_path):
    w, x, trainer = network()
    for i in range(8):
        trainer.train_minibatch({x: DATA[:8]})
        if i % 4 == 3:
            trainer.save_checkpoint(str(tmp_path / 'model'))
    assert w.value == pytest.approx(AFTER_EIGHT_MINIBATCHES, rel=1e-6)
