"""What CNTK 2.7 makes of lattice_cases.py: the values of lattice_sequence_with_softmax, a line each, into
lattices.txt. Its gradients are 0 on CPU. Run it with CNTK's Python in this folder."""

import os
import tempfile

import cntk as C
import lattice_cases
import numpy as np

ONES = np.eye(len(lattice_cases.STATES), dtype=np.float32)

with tempfile.TemporaryDirectory() as folder:
    paths = lattice_cases.write_files(folder)
    found = []
    for lattice, spoken, prediction, log_p, options in lattice_cases.cases():
        label, x, likelihoods = (
            C.sequence.input_variable(len(lattice_cases.STATES), needs_gradient=i == 1) for i in range(3)
        )
        packed = C.sequence.input_variable(1, sequence_axis=C.Axis.new_unique_dynamic_axis('lattice'))
        loss = C.lattice_sequence_with_softmax(label, x, likelihoods, packed, *paths, **options)
        given = {label: [ONES[spoken]], x: [prediction], likelihoods: [log_p], packed: [lattice.numbers()]}
        gradient, value = loss.grad(given, wrt=[x], outputs=[loss.output])
        assert not np.any(gradient)
        found.append('%.9g\n' % value)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lattices.txt'), 'w') as file:
    file.writelines(found)
