"""Regions of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base import MXNetError
from ..lower import call, text
from .entry import Float, Shape, operator

if TYPE_CHECKING:
    from ...mxnet.lower import Lowering
    from ...mxnet.table.entry import Attributes


@operator(
    'ROIPooling',
    'data rois',
    pooled_size=Shape(required=True),
    spatial_scale=Float(required=True),
    shapes_of=lambda a, shapes: [(shapes[1][0], shapes[0][1]) + a.pooled_size],
)
def roi_pooling(g: Lowering, a: Attributes, x: Any, rois: Any) -> Any:
    """The largest number in each cell of a grid over each region: [image, left, top, right, bottom], both
    ends included."""
    if x.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 5:
        raise MXNetError(
            'ROIPooling: pictures [batch, channels, height, width] and regions [regions, 5], not '
            f'{text(x.shape)} and {text(rois.shape)}'
        )
    return g.value(
        call('roi_pool', (g.plain(x).v, g.stop(g.plain(rois)).v), (a.pooled_size, a.spatial_scale), ''),
        dtype=x.dtype,
    )
