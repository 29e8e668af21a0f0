"""Minibatch sources of one's own: generators, epochs, checkpoints; arrays and lists; sessions over them."""

import numpy as np
import cntk as C
from cntk.io import UserMinibatchSource, StreamInformation, MinibatchData, MinibatchSourceFromData

C.cntk_py.set_fixed_random_seed(1)


class Lines(UserMinibatchSource):
    def __init__(self, n, dim):
        self.n, self.dim, self.at = (n, dim, 0)
        self.xi = StreamInformation('x', 0, 'dense', np.float32, (dim,))
        self.yi = StreamInformation('y', 1, 'sparse', np.float32, (3,))
        super(Lines, self).__init__()

    def stream_infos(self):
        return [self.xi, self.yi]

    def next_minibatch(self, num_samples, number_of_workers=1, worker_rank=0, device=None):
        seqs, ids, count = ([], [], 0)
        while count < num_samples:
            length = 2 + self.at % 4
            seqs.append(np.sin(np.arange(length * self.dim, dtype='f').reshape(length, self.dim) + self.at))
            ids.append([self.at % 3])
            count += length
            self.at += 1
        end = self.at % 7 == 0
        return {
            self.xi: MinibatchData(
                C.Value.create(C.sequence.input_variable(self.dim), seqs), len(seqs), count, end
            ),
            self.yi: MinibatchData(C.Value.one_hot(ids, 3), len(ids), len(ids), end),
        }

    def get_checkpoint_state(self):
        return {'at': self.at}

    def restore_from_checkpoint(self, state):
        self.at = state['at']


src = Lines(50, 2)
print([s.name for s in src.stream_infos()])
x = C.sequence.input_variable(2)
y = C.input_variable(3, is_sparse=True)
z = C.layers.Sequential([C.layers.Fold(C.layers.GRU(5)), C.layers.Dense(3)])(x)
loss = C.cross_entropy_with_softmax(z, y)
t = C.Trainer(
    z,
    (loss, C.classification_error(z, y)),
    [C.adam(z.parameters, C.learning_parameter_schedule_per_sample(0.01), C.momentum_schedule(0.9))],
    [C.logging.ProgressPrinter(freq=2, tag='own')],
)
for i in range(4):
    mb = src.next_minibatch(12)
    t.train_minibatch({x: mb[src.xi], y: mb[src.yi]})
    print(
        mb[src.xi].num_sequences,
        mb[src.xi].num_samples,
        mb[src.yi].end_of_sweep,
        '%.5f' % t.previous_minibatch_loss_average,
    )

C.training_session(
    trainer=t,
    mb_source=src,
    mb_size=10,
    model_inputs_to_streams={x: src.xi, y: src.yi},
    max_samples=60,
    progress_frequency=30,
).train()
print(t.total_number_of_samples_seen, src.at)
X = np.arange(24, dtype='f').reshape(12, 2)
Y = np.arange(12, dtype='f').reshape(12, 1)
m = MinibatchSourceFromData(dict(x=X, y=(Y, C.layers.typing.Tensor[1])), max_samples=30)
print(sorted(m.streams.keys()), m.is_infinite())
while True:
    mb = m.next_minibatch(5)
    if not mb:
        break
    print(
        mb[m.streams['x']].num_samples,
        mb[m.streams['x']].end_of_sweep,
        np.asarray(mb[m.streams['y']].data.asarray()).ravel().tolist(),
    )

seqs = [np.ones((n, 2), 'f') * n for n in (1, 3, 2)]
m = MinibatchSourceFromData(
    dict(s=(seqs, C.layers.typing.Sequence[C.layers.typing.Tensor[2]])), max_samples=C.io.INFINITELY_REPEAT
)
for i in range(4):
    mb = m.next_minibatch(4)[m.streams['s']]
    print(mb.num_sequences, mb.num_samples, mb.end_of_sweep)
