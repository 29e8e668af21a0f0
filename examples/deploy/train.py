"""Two kinds of points are told apart; the network goes into a repository of models.

python train.py FOLDER      # FOLDER/points/1/points.cntk
"""

import sys
from pathlib import Path

import numpy as np

import cantik as C

draw = np.random.default_rng(1)
kinds = np.arange(1000) % 2
points = (draw.normal(size=(1000, 2)) + 3 * kinds[:, None]).astype(np.float32)

x = C.input_variable(2, name='x')
y = C.input_variable(2, name='kind')
scores = C.layers.Sequential([C.layers.Dense(8, activation=C.relu), C.layers.Dense(2)])(x)
loss = C.cross_entropy_with_softmax(scores, y)
trainer = C.Trainer(
    scores, (loss, None), [C.adam(scores.parameters, 0.02, momentum=0.9, use_mean_gradient=True)]
)
labels = np.eye(2, dtype=np.float32)[kinds]
for begin in [*range(0, 1000, 50)] * 3:
    trainer.train_minibatch({x: points[begin : begin + 50], y: labels[begin : begin + 50]})

place = Path(sys.argv[1]) / 'points' / '1'
place.mkdir(parents=True, exist_ok=True)
C.softmax(scores, name='chances').save(str(place / 'points.cntk'))
