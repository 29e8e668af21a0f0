"""What split_v2 takes: a number of equal parts, or where parts begin."""

from __future__ import annotations

from typing import Any


def attributes(indices_or_sections: Any, axis: Any, squeeze_axis: Any) -> dict[str, Any]:
    """The attributes of the operator _split_v2, for which the first part begins at 0."""
    if isinstance(indices_or_sections, int):
        return {'indices': (), 'sections': indices_or_sections, 'axis': axis, 'squeeze_axis': squeeze_axis}
    if not isinstance(indices_or_sections, (list, tuple, set)):
        raise ValueError('indices_or_sections must either int or tuple / list / set of ints')
    return {'indices': (0, *indices_or_sections), 'sections': 0, 'axis': axis, 'squeeze_axis': squeeze_axis}
