"""Vectors of words from what stands beside them: sparse words, noise-contrastive estimation, the nearest
words by cosine; the table is kept in a checkpoint and read back."""

import numpy as np
import scipy.sparse as sparse

import cntk as C

WORDS, WIDTH = 40, 8

C.cntk_py.set_fixed_random_seed(3)
rng = np.random.RandomState(6)
text = [int(w) for w in np.minimum(rng.geometric(0.08, 4000) - 1, WORDS - 1)]
text = [(w + 1) % WORDS if i % 3 else w for i, w in enumerate(text)]
counts = np.bincount(text, minlength=WORDS).astype(np.float32)

center = C.input_variable(WORDS, is_sparse=True, name='center')
beside = C.input_variable(WORDS, is_sparse=True, name='beside')
table = C.layers.Embedding(WIDTH, init=C.uniform(0.3, seed=4), name='table')
h = table(center)
weights = C.parameter((WORDS, WIDTH), init=C.uniform(0.3, seed=5), name='weights')
bias = C.parameter((WORDS, 1), init=0.0, name='bias')
exact = C.cross_entropy_with_softmax(C.times_transpose(h, weights) + C.reshape(bias, WORDS), beside)
sampled = C.nce_loss(weights, bias, h, beside, counts**0.75 + 1, num_samples=6, seed=7)
print(sampled.shape, exact.shape, [p.name for p in sampled.parameters])


def rows(words):
    n = len(words)
    return sparse.csr_matrix((np.ones(n, np.float32), (np.arange(n), words)), shape=(n, WORDS))


pairs = [(text[i], text[i + d]) for i in range(1, len(text) - 1) for d in (-1, 1)]
learner = C.sgd(exact.parameters, C.learning_parameter_schedule_per_sample(0.05))
trainer = C.Trainer(None, (exact, None), [learner])
for k in range(20):
    part = pairs[k * 100 : k * 100 + 100]
    trainer.train_minibatch({center: rows([p[0] for p in part]), beside: rows([p[1] for p in part])})
    if k % 4 == 3:
        print('%.5f' % trainer.previous_minibatch_loss_average)
trainer.save_checkpoint('words.dnn')
E = table.E.value.copy()
table.E.value = np.zeros_like(E)
trainer.restore_from_checkpoint('words.dnn')
print(np.abs(table.E.value - E).max() == 0, trainer.total_number_of_samples_seen)
near = C.cosine_distance(h, C.reshape(table(beside), WIDTH))
found = [float(near.eval({center: rows([1]), beside: rows([w])}).ravel()[0]) for w in range(WORDS)]
print(np.argsort(found)[::-1][:4].tolist(), np.round(sorted(found)[::-1][:4], 4))
gradients = exact.grad({center: rows([3, 5]), beside: rows([4, 4])}, wrt=[weights, bias])
print([g.shape for g in gradients.values()] if isinstance(gradients, dict) else [g.shape for g in gradients])
