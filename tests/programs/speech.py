"""Speech as CNTK's users train it: HTK features made by a formula, labels of frames, an LSTM, truncation."""

import struct

import numpy as np

import cntk as C
from cntk.io import HTKFeatureDeserializer, HTKMLFDeserializer, MinibatchSource, StreamDef, StreamDefs
from cntk.logging import ProgressPrinter

FEATURES, SOUNDS = 6, 5
rng = np.random.RandomState(3)


def utterance(frames):
    """Sounds of 3 to 9 frames; a feature oscillates with a frequency of its sound, under noise."""
    runs, left = [], frames
    while left:
        n = min(left, rng.randint(3, 10))
        runs.append((rng.randint(SOUNDS), n))
        left -= n
    sounds = np.concatenate([[s] * n for s, n in runs])
    t = np.arange(frames)
    clean = [np.sin(t * (0.2 + 0.15 * sounds) + k) * (1 + (sounds == k)) for k in range(FEATURES)]
    return np.stack(clean, 1) + 0.3 * rng.randn(frames, FEATURES), runs


def write(name, utterances):
    script, labels = open(name + '.scp', 'w'), open(name + '.mlf', 'w')
    labels.write('#!MLF!#\n')
    for u in range(utterances):
        rows, runs = utterance(rng.randint(20, 120))
        with open('{}{}.mfc'.format(name, u), 'wb') as f:
            f.write(struct.pack('>iihh', len(rows), 100000, 4 * FEATURES, 9) + rows.astype('>f4').tobytes())
        script.write('{0}{1}.mfc={0}{1}.mfc[0,{2}]\n'.format(name, u, len(rows) - 1))
        labels.write('"{}{}.lab"\n'.format(name, u))
        t = 0
        for sound, n in runs:
            labels.write('{} {} s{}\n'.format(t * 100000, (t + n) * 100000, sound))
            t += n
        labels.write('.\n')
    script.close()
    labels.close()


def source(name, **options):
    features = HTKFeatureDeserializer(
        StreamDefs(features=StreamDef(shape=FEATURES, context=(2, 2), scp=name + '.scp'))
    )
    labels = HTKMLFDeserializer('sounds.list', StreamDefs(sounds=StreamDef(shape=SOUNDS, mlf=name + '.mlf')))
    return MinibatchSource([features, labels], **options)


with open('sounds.list', 'w') as f:
    f.write(''.join('s{}\n'.format(s) for s in range(SOUNDS)))
write('train', 120)
write('test', 30)

C.cntk_py.set_fixed_random_seed(5)
x = C.sequence.input_variable(FEATURES * 5)
y = C.sequence.input_variable(SOUNDS, is_sparse=True)
z = C.layers.Sequential([C.layers.Recurrence(C.layers.LSTM(24)), C.layers.Dense(SOUNDS)])(x)
criterion = C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)
learner = C.momentum_sgd(
    z.parameters, C.learning_parameter_schedule_per_sample(0.004), C.momentum_as_time_constant_schedule(500)
)
trainer = C.Trainer(z, criterion, [learner], [ProgressPrinter(20)])


def tested(name):
    test = source(name, randomize=False, max_sweeps=1)
    evaluator = C.eval.Evaluator(criterion[1])
    errors = frames = 0
    while True:
        minibatch = test.next_minibatch(400, input_map={x: test.streams.features, y: test.streams.sounds})
        if not minibatch:
            return errors / frames
        n = minibatch[y].num_samples
        errors += evaluator.test_minibatch(minibatch) * n
        frames += n


# ---- whole utterances
train = source('train')
for _ in range(100):
    minibatch = train.next_minibatch(400, input_map={x: train.streams.features, y: train.streams.sounds})
    trainer.train_minibatch(minibatch)
trainer.summarize_training_progress()
print('error of frames %.4f' % tested('test'))

# ---- parts of 20 frames, each going on where the one before ended
train = source('train', truncation_length=20)
for _ in range(100):
    minibatch = train.next_minibatch(400, input_map={x: train.streams.features, y: train.streams.sounds})
    trainer.train_minibatch(minibatch)
trainer.summarize_training_progress()
print('error of frames %.4f' % tested('test'))

# ---- frame by frame, a network without memory
d = C.layers.Sequential([C.layers.Dense(32, C.tanh), C.layers.Dense(SOUNDS)])
frame, sound = C.input_variable(FEATURES * 5), C.input_variable(SOUNDS, is_sparse=True)
frames_only = d(frame)
loss, error = C.cross_entropy_with_softmax(frames_only, sound), C.classification_error(frames_only, sound)
learner = C.sgd(frames_only.parameters, C.learning_parameter_schedule_per_sample(0.01))
trainer = C.Trainer(frames_only, (loss, error), [learner], [ProgressPrinter(20)])
train = source('train', frame_mode=True)
for _ in range(60):
    trainer.train_minibatch(
        train.next_minibatch(100, input_map={frame: train.streams.features, sound: train.streams.sounds})
    )
trainer.summarize_training_progress()
