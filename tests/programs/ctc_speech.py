"""Connectionist temporal classification with a limited delay: sounds without times, an LSTM over frames."""

import numpy as np

import cntk as C

SOUNDS = 5  # the last one is the blank
C.cntk_py.set_fixed_random_seed(6)
rng = np.random.RandomState(4)


def utterance(frames):
    """Frames, and for each one its sound: 1, or 2 where the sound begins."""
    of_frame = np.repeat(rng.randint(SOUNDS - 1, size=frames // 4), 4)
    begins = np.flatnonzero(np.r_[True, np.diff(of_frame) != 0])
    labels = np.zeros((len(of_frame), SOUNDS), np.float32)
    labels[np.arange(len(of_frame)), of_frame] = 1
    labels[begins, of_frame[begins]] = 2
    rows = rng.randn(len(of_frame), 6).astype(np.float32)
    rows[:, 0] += of_frame
    return rows, labels


axis = C.Axis.new_unique_dynamic_axis('frames')
x = C.sequence.input_variable(6, sequence_axis=axis)
labels = C.sequence.input_variable(SOUNDS, sequence_axis=axis)
z = C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(8)), C.layers.Dense(SOUNDS)])(x)
for delay in (-1, 0, 3):
    loss = C.forward_backward(C.labels_to_graph(labels), z, blankTokenId=SOUNDS - 1, delayConstraint=delay)
    errors = C.edit_distance_error(z, labels, squashInputs=True, tokensToIgnore=[SOUNDS - 1])
    learner = C.sgd(z.parameters, C.learning_parameter_schedule(0.02))
    trainer = C.Trainer(z, (loss, errors), [learner], [C.logging.ProgressPrinter(5)])
    for _ in range(15):
        frames, sounds = zip(*[utterance(n) for n in rng.choice([8, 12, 20], 3)])
        trainer.train_minibatch({x: list(frames), labels: list(sounds)})
    trainer.summarize_training_progress()
