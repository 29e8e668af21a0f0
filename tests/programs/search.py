"""Queries and documents, each a bag of parts of words, meet in one space: a network of two towers that share
their first layer, trained against documents of other queries; then the nearest documents of a query."""

import numpy as np
import scipy.sparse as sparse

import cntk as C

PARTS, WIDTH, NEGATIVES = 120, 12, 4


def texts(count, seed):
    """Bags of parts, as rows of a CSR matrix; a document has most parts of its query and some of its own."""
    rng = np.random.RandomState(seed)
    queries = sparse.lil_matrix((count, PARTS), dtype=np.float32)
    documents = sparse.lil_matrix((count, PARTS), dtype=np.float32)
    for i in range(count):
        parts = rng.choice(PARTS, 6, replace=False)
        queries[i, parts[:4]] = 1
        documents[i, parts[1:]] = 1
        documents[i, rng.choice(PARTS, 3, replace=False)] = 2
    return queries.tocsr(), documents.tocsr()


C.cntk_py.set_fixed_random_seed(11)
query = C.input_variable(PARTS, is_sparse=True, name='query')
document = C.input_variable(PARTS, is_sparse=True, name='document')
parts = C.layers.Embedding(WIDTH, init=C.glorot_uniform(), name='parts')


def tower(x, name):
    h = C.tanh(parts(x))
    return C.layers.Dense(WIDTH, activation=C.tanh, init=C.glorot_uniform(), name=name)(h)


q, d = tower(query, 'of_query'), tower(document, 'of_document')
similar = C.cosine_distance_with_negative_samples(q, d, shift=1, num_negative_samples=NEGATIVES)
right = C.input_variable(NEGATIVES + 1, name='right')
loss = C.cross_entropy_with_softmax(5.0 * similar, right)
error = C.classification_error(similar, right)

learner = C.sgd(loss.parameters, C.learning_parameter_schedule_per_sample(0.05))
trainer = C.Trainer(None, (loss, error), learner)
Q, D = texts(240, 1)
first = np.tile(np.eye(NEGATIVES + 1, dtype=np.float32)[0], (30, 1))  # the query's own document
for epoch in range(4):
    total = wrong = 0.0
    for k in range(0, 240, 30):
        trainer.train_minibatch({query: Q[k : k + 30], document: D[k : k + 30], right: first})
        total += trainer.previous_minibatch_loss_average / 8
        wrong += trainer.previous_minibatch_evaluation_average / 8
    print('epoch %d loss %.5f error %.4f' % (epoch, total, wrong))

Q, D = texts(40, 2)
places = np.concatenate([q.eval({query: Q}), d.eval({document: D})]).reshape(2, 40, WIDTH)
unit = places / np.sqrt((places**2).sum(axis=2, keepdims=True))
nearness = unit[0].dot(unit[1].T)
ranks = (nearness > np.diag(nearness)[:, None]).sum(axis=1)
print('first %d, among three %d, mean rank %.3f' % ((ranks == 0).sum(), (ranks < 3).sum(), ranks.mean()))
print('embedding %.5f %.5f' % (abs(parts.E.value).mean(), abs(parts.E.value).max()))
