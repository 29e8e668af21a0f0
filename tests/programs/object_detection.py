"""Objects in pictures: a convolutional body, regions proposed by a user function, pooled and classified,
their boxes refined; weights and biases have learners of their own."""

import numpy as np

import cntk as C
from cntk.ops.functions import UserFunction

SIZE, CELL, REGIONS, CLASSES = 24, 4, 6, 3
MAP = SIZE // CELL


def pictures(count, seed):
    """A bright box in each; its class is its channel, its place is x, y, width, height."""
    rng = np.random.RandomState(seed)
    images = (0.1 * rng.rand(count, 3, SIZE, SIZE)).astype(np.float32)
    places, kinds = np.zeros((count, 4), np.float32), rng.randint(1, CLASSES, count)
    for i in range(count):
        w, h = rng.randint(6, 13, 2)
        x, y = rng.randint(0, SIZE - w), rng.randint(0, SIZE - h)
        images[i, kinds[i], y : y + h, x : x + w] += 0.8
        places[i] = x, y, w, h
    return images, places, kinds


class Proposals(UserFunction):
    """The cells with the highest scores, each as a box of three by three cells: [regions, 4], x y to x y."""

    def __init__(self, scores, name='proposals'):
        super(Proposals, self).__init__([scores], name=name)

    def infer_outputs(self):
        return [C.output_variable((REGIONS, 4), self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        boxes = np.zeros((len(argument), REGIONS, 4), np.float32)
        for i, scores in enumerate(argument.reshape(len(argument), -1)):
            for k, cell in enumerate(np.argsort(-scores, kind='stable')[:REGIONS]):
                y, x = divmod(int(cell), MAP)
                boxes[i, k] = (
                    max(x - 1, 0) * CELL,
                    max(y - 1, 0) * CELL,
                    min(x + 2, MAP) * CELL - 1,
                    min(y + 2, MAP) * CELL - 1,
                )
        return None, boxes

    def backward(self, state, root_gradients):
        return np.zeros((root_gradients.shape[0], 1, MAP, MAP), np.float32)

    @staticmethod
    def deserialize(inputs, name, state):
        return Proposals(inputs[0], name)


def overlap(box, place):
    x, y, w, h = place
    across = max(0, min(box[2] + 1, x + w) - max(box[0], x))
    down = max(0, min(box[3] + 1, y + h) - max(box[1], y))
    both = across * down
    return both / (w * h + (box[2] + 1 - box[0]) * (box[3] + 1 - box[1]) - both)


def targets(boxes, places, kinds):
    """Classes of regions (0: background), and how the box lies in each, with weights that pick those that
    count."""
    n = len(boxes)
    labels = np.zeros((n, REGIONS, CLASSES), np.float32)
    shifts = np.zeros((n, REGIONS, 4), np.float32)
    weights = np.zeros((n, REGIONS, 4), np.float32)
    for i in range(n):
        for k, box in enumerate(boxes[i]):
            good = overlap(box, places[i]) > 0.3
            labels[i, k, kinds[i] if good else 0] = 1
            if good:
                w, h = box[2] + 1 - box[0], box[3] + 1 - box[1]
                x, y, pw, ph = places[i]
                shifts[i, k] = ((x - box[0]) / w, (y - box[1]) / h, np.log(pw / w), np.log(ph / h))
                weights[i, k] = 1
    return labels, shifts, weights


def smooth_l1(difference):
    size = C.abs(difference)
    return C.element_select(C.less(size, 1), 0.5 * C.square(difference), size - 0.5)


def object_map(places):
    """1 where a cell's middle lies in the object."""
    middle = (np.arange(MAP) + 0.5) * CELL
    x, y, w, h = (places[:, i, None, None] for i in range(4))
    inside = (middle[None, None] > x) & (middle[None, None] < x + w)
    inside = inside & (middle[None, :, None] > y) & (middle[None, :, None] < y + h)
    return inside[:, None].astype(np.float32)


C.cntk_py.set_fixed_random_seed(7)
image = C.input_variable((3, SIZE, SIZE), name='image')
cells = C.input_variable((1, MAP, MAP), name='cells')
label = C.input_variable((REGIONS, CLASSES), name='label')
shift = C.input_variable((REGIONS, 4), name='shift')
weight = C.input_variable((REGIONS, 4), name='weight')

with C.layers.default_options(init=C.glorot_uniform(), activation=C.relu):
    body = C.layers.Sequential(
        [
            C.layers.Convolution2D((3, 3), 8, pad=True),
            C.layers.MaxPooling((2, 2), strides=2),
            C.layers.Convolution2D((3, 3), 12, pad=True),
            C.layers.MaxPooling((2, 2), strides=2),
        ]
    )(image)
    score = C.layers.Convolution2D((3, 3), 1, pad=True, activation=None, name='score')(body)
    regions = C.user_function(Proposals(score))
    pooled = C.roipooling(body, regions, C.MAX_POOLING, (3, 3), spatial_scale=1.0 / CELL)
    hidden = C.layers.Dense((24,), map_rank=1, name='hidden')(pooled)
    classes = C.layers.Dense((CLASSES,), map_rank=1, activation=None, name='classes')(hidden)
    moved = C.layers.Dense((4,), map_rank=1, activation=None, name='moved')(hidden)

loss_cells = C.reduce_mean(C.binary_cross_entropy(C.sigmoid(score), cells))
loss_classes = C.reduce_mean(C.cross_entropy_with_softmax(classes, label, axis=1))
loss_boxes = C.reduce_sum(weight * smooth_l1(moved - shift)) / REGIONS
loss = loss_cells + loss_classes + loss_boxes
error = C.reduce_mean(C.classification_error(classes, label, axis=1))

biases = [p for p in loss.parameters if p.name == 'b']
others = [p for p in loss.parameters if p.name != 'b']
rate, momentum = C.learning_parameter_schedule_per_sample(0.01), C.momentum_schedule_per_sample(0.95)
learners = [
    C.momentum_sgd(others, rate, momentum, l2_regularization_weight=0.0005),
    C.momentum_sgd(biases, C.learning_parameter_schedule_per_sample(0.02), momentum),
]
trainer = C.Trainer(None, (loss, error), learners)

X, places, kinds = pictures(64, 1)
first = C.adam(loss_cells.parameters, C.learning_parameter_schedule(0.02), C.momentum_schedule(0.9))
scorer = C.Trainer(None, loss_cells, [first])
for step in range(32):
    part = slice(8 * (step % 8), 8 * (step % 8) + 8)
    scorer.train_minibatch({image: X[part], cells: object_map(places[part])})
    if step % 8 == 7:
        print('cells %2d loss %.5f' % (step, scorer.previous_minibatch_loss_average))
for step in range(12):
    part = slice(8 * (step % 8), 8 * (step % 8) + 8)
    found = regions.eval({image: X[part]})
    y, s, w = targets(found, places[part], kinds[part])
    trainer.train_minibatch({image: X[part], cells: object_map(places[part]), label: y, shift: s, weight: w})
    print(
        'step %2d loss %.5f error %.4f good regions %d'
        % (
            step,
            trainer.previous_minibatch_loss_average,
            trainer.previous_minibatch_evaluation_average,
            w.sum() / 4,
        )
    )

X, places, kinds = pictures(4, 2)
boxes, moves = regions.eval({image: X}), moved.eval({image: X})
chances = C.softmax(classes, axis=1).eval({image: X})
for i in range(4):
    best = int(np.argmax(chances[i][:, 1:].max(axis=1)))
    print(
        'picture %d box %s chances %s shift %s'
        % (
            i,
            ' '.join('%d' % v for v in boxes[i][best]),
            ' '.join('%.4f' % v for v in chances[i][best]),
            ' '.join('%.4f' % v for v in moves[i][best]),
        )
    )
