"""C.einsum against NumPy's over the samples of a batch, its gradient by finite differences, its errors."""

import numpy as np
import pytest

import cantik as C

SIZES = {'a': 2, 'b': 3, 'c': 4, 'd': 2, 'i': 3, 'j': 4, 'k': 2}
EQUATIONS = [
    'ij->ji',
    'ij->i',
    'ij->',
    'ii->i',
    'ii->',
    'ii',
    'iji->j',
    'ji',  # the alphabet's order
    'ij,jk->ik',
    'ij,jk',
    'ij,kj->ki',
    'i,i->',
    'i,i->i',
    'i,j->ji',
    'ij,j->i',
    'aij,ajk->aik',
    'ija,jka->aki',
    'abij,bjk->abik',
    'aij,bjk->abik',
    'ij,ij->ij',
    'ijc,jc,c->i',
    'ij,jk,kc->ic',
    'ij,jk,ik->',
    'aib,bjd,ijk->kad',
    ' i j , j k -> i k ',
]


def shapes(equation):
    return [
        tuple(SIZES[c] for c in letters) for letters in equation.replace(' ', '').split('->')[0].split(',')
    ]


@pytest.mark.parametrize('batched', ['all', 'first', 'last'])
@pytest.mark.parametrize('equation', EQUATIONS)
def test_every_sample_has_numpys_values(equation, batched):
    random = np.random.default_rng(3)
    given = shapes(equation)
    count = len(given)
    has_batch = [batched == 'all' or i == (0 if batched == 'first' else count - 1) for i in range(count)]
    arrays = [random.standard_normal(((5,) if b else ()) + s) for s, b in zip(given, has_batch)]
    operands = [
        C.input_variable(s, dtype=np.float64) if b else C.constant(x, dtype=np.float64)
        for s, x, b in zip(given, arrays, has_batch)
    ]
    found = C.einsum(equation, *operands).eval({v: x for v, x, b in zip(operands, arrays, has_batch) if b})
    for n in range(5):
        due = np.einsum(equation, *(x[n] if b else x for x, b in zip(arrays, has_batch)))
        assert found[n].shape == due.shape
        np.testing.assert_allclose(found[n], due, rtol=1e-12, atol=1e-12)


def test_the_gradients_of_both_operands():
    x = C.input_variable((3, 4), dtype=np.float64, needs_gradient=True)
    w = C.parameter((4, 2, 2), init=np.arange(16.0).reshape(4, 2, 2), dtype=np.float64)
    f = C.reduce_sum(C.square(C.einsum('ij,jkl->kil', x, w)))
    values = np.random.default_rng(1).standard_normal((2, 3, 4))
    slopes = f.grad({x: values}, wrt=[x, w])

    def total(v, table):
        return (np.einsum('nij,jkl->nkil', v, table) ** 2).sum()

    for at, base in ((x, values), (w, w.value)):
        numbers = np.zeros_like(base)
        for place in np.ndindex(base.shape):
            step = np.zeros_like(base)
            step[place] = 1e-6
            up, down = ((base + s, w.value) if at is x else (values, base + s) for s in (step, -step))
            numbers[place] = (total(*up) - total(*down)) / 2e-6
        np.testing.assert_allclose(slopes[at], numbers, rtol=1e-6, atol=1e-6)


def test_steps_of_sequences_stay_steps():
    x = C.sequence.input_variable((3, 4))
    steps = [np.random.default_rng(n).standard_normal((n, 3, 4)).astype('f') for n in (2, 5)]
    table = np.arange(8, dtype='f').reshape(4, 2)
    for found, given in zip(C.einsum('ij,jk->ki', x, C.constant(table)).eval({x: steps}), steps):
        np.testing.assert_allclose(found, np.einsum('nij,jk->nki', given, table), rtol=1e-5, atol=1e-6)


def test_an_equation_is_saved(tmp_path):
    x = C.input_variable((3, 4))
    f = C.einsum('ij,jk->ik', x, C.parameter((4, 2), init=0.5))
    f.save(tmp_path / 'f')
    values = np.ones((1, 3, 4), 'f')
    assert np.array_equal(C.load_model(tmp_path / 'f').eval(values), f.eval(values))


@pytest.mark.parametrize(
    'equation, given, text',
    [
        ('ij,jk->ik', [(3, 4)], 'has 2 operands, but 1 are given'),
        ('ij->i', [(3, 4), (4, 5)], 'has 1 operands, but 2 are given'),
        ('ijk->i', [(3, 4)], 'has 3 letters for operand 0'),
        ('ij,jk->ik', [(3, 4), (5, 2)], 'the axis j has the sizes 4 and 5'),
        ('ij->ik', [(3, 4)], 'has the letter k in its result alone'),
        ('ij->ii', [(3, 4)], 'has the letter i twice in its result'),
        ('...ij->...ji', [(3, 4)], 'has dots'),
        ('ij->i->j', [(3, 4)], 'has the character'),
        ('i1->i', [(3, 4)], 'has the character 1'),
        ('ij->i,j', [(3, 4)], 'has a comma behind its arrow'),
        (
            'ii->i',
            [(C.FreeDimension,) * 2],
            'the axis i, along which a diagonal lies, is not known before a run',
        ),
        ('abi,icd->abcd', [(C.FreeDimension,) * 3] * 2, 'the axes [a-d]+ stay side by side'),
    ],
)
def test_wrong_equations(equation, given, text):
    with pytest.raises(ValueError, match=text):
        C.einsum(equation, *[C.input_variable(s) for s in given])


@pytest.mark.parametrize('equation', ['ij->i', 'ij,jk->ik', 'ij,jk->', 'ij,kj->kij'])
def test_sizes_that_a_run_tells(equation):
    operands = equation.split('->')[0].split(',')
    inputs = [C.input_variable((C.FreeDimension,) * 2, needs_gradient=True) for _ in operands]
    f = C.einsum(equation, *inputs)
    rs = np.random.RandomState(3)
    for sizes in ({'i': 3, 'j': 4, 'k': 2}, {'i': 1, 'j': 5, 'k': 3}):
        given = [rs.rand(2, *(sizes[c] for c in letters)).astype(np.float32) for letters in operands]
        want = np.stack([np.einsum(equation, *sample) for sample in zip(*given)])
        np.testing.assert_allclose(f.eval(dict(zip(inputs, given))), want, rtol=1e-5)


def test_sizes_that_do_not_agree_in_a_run():
    x, y = (C.input_variable((C.FreeDimension,) * 2) for _ in range(2))
    with pytest.raises(ValueError, match='the inner dimensions differ, 3 and 4'):
        C.einsum('ij,jk->ik', x, y).eval({x: np.ones((1, 2, 3), 'f'), y: np.ones((1, 4, 2), 'f')})
