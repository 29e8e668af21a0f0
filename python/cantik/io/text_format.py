"""Lines of CNTK's text format."""
import numpy as np


def _is_tensor(data):
    """Whether it is numbers, in lists of lists or in one array; no list of arrays."""
    while isinstance(data, list) and data:
        data = data[0]
    return not isinstance(data, (list, np.ndarray)) if not isinstance(data, np.ndarray) else False


def sequence_to_cntk_text_format(seq_idx, alias_tensor_map):
    """A sequence as lines of CNTK's text format.

    Args:
        seq_idx (int): the number of the sequence
        alias_tensor_map (dict): from names of streams to arrays [steps, ...], or lists of values

    Example:
        >>> import cantik as C, numpy as np
        >>> print(C.io.sequence_to_cntk_text_format(3, {'a': np.array([[1, 2], [3, 4]]), 'b': np.array([[5]])}))
        3	|a 1 2 |b 5
        3	|a 3 4
    """
    def numbers(step):
        if hasattr(step, 'indptr'):
            return ' '.join('{}:{:g}'.format(i, v) for i, v in zip(step.indices, step.data))
        try:
            return ' '.join('{:g}'.format(v) for v in np.asarray(step).ravel().astype(np.float64))
        except TypeError:
            raise ValueError('the samples of a stream are numbers, or rows of a CSR matrix, not {}'.format(type(step).__name__)) from None
    streams = {alias: list(data) for alias, data in alias_tensor_map.items()}
    longest = max(map(len, streams.values()), default=0)
    return '\n'.join('{}\t{}'.format(seq_idx, ' '.join('|{} {}'.format(alias, numbers(data[i])) for alias, data in sorted(streams.items()) if i < len(data)))
                     for i in range(longest))
