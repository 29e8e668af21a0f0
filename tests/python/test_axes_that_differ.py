"""Operands over different sequence axes: what programs catch."""

import pytest

import cantik as C

FORMS = {
    'sums': lambda a, b: a + b,
    'differences': lambda a, b: C.squared_error(a, b),
    'choices': lambda a, b: C.element_select(a, b, b),
    'larger ones': lambda a, b: C.element_max(a, b),
    'angles': lambda a, b: C.cosine_distance(a, b),
    'joins': lambda a, b: C.splice(a, b),
    'products': lambda a, b: C.times_transpose(a, b),
    'losses': lambda a, b: C.cross_entropy_with_softmax(a, b),
}


@pytest.mark.parametrize('form', FORMS)
@pytest.mark.parametrize('kind', [RuntimeError, ValueError, C.ShapeError])
def test_programs_catch_what_cntk_raises(form, kind):
    """CNTK raises a RuntimeError; the error is a ValueError too, as other errors of shapes are."""
    a, b = (C.sequence.input_variable(2, sequence_axis=C.Axis(name)) for name in 'ab')
    with pytest.raises(kind, match='different'):
        FORMS[form](a, b)
    assert FORMS[form](a, C.sequence.broadcast_as(C.sequence.last(b), a)).dynamic_axes == a.dynamic_axes
