"""Converting stacks of recurrences made for GPUs."""
from ..internal.waiting import not_there


def convert_optimized_rnnstack(cudnn_model):
    """Recurrences are not there yet, see docs/status.md."""
    raise not_there('misc.convert_optimized_rnnstack')
