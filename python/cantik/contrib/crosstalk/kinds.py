"""What a watched variable consists of, where it is more than one array, and what tells it."""

from collections import namedtuple


def _kind(name, doc, **fields):
    made = namedtuple(name, fields)
    made.__doc__ = doc
    for field, text in fields.items():
        getattr(made, field).__doc__ = text
    made.__module__ = 'cntk.contrib.crosstalk'  # the name in files, those of CNTK too
    return made


Conv2DAttr = _kind(
    'Conv2DAttr',
    'Tells a convolution over one channel.',
    filter_shape='(height, width) of the filters',
    num_filters='how many filters',
)
Conv2DArgs = _kind(
    'Conv2DArgs',
    'The values of a convolution over one channel.',
    W='[num_filters, height, width]',
    b='[num_filters]',
)
RnnAttr = _kind(
    'RnnAttr',
    'Tells a recurrence that runs from both ends.',
    bidirectional='True',
    op_type="'lstm'",
    input_dim='numbers in a step of the input',
    hidden_dim='numbers in a state',
    forget_bias='what another toolkit adds to the bias of forget gates, 0 here',
)
RnnArgs = _kind(
    'RnnArgs',
    'The values of a recurrence, forwards (fw) and backwards (bw). Gates in the order i, g, f, o: '
    'input, new memory, forget, output.',
    fw_W='[input_dim, 4 hidden_dim]',
    fw_H='[hidden_dim, 4 hidden_dim]',
    fw_b='[4 hidden_dim]',
    bw_W='[input_dim, 4 hidden_dim]',
    bw_H='[hidden_dim, 4 hidden_dim]',
    bw_b='[4 hidden_dim]',
)
EmbedAttr = _kind(
    'EmbedAttr',
    'Tells a table of embeddings.',
    dict='a word for each row of the table, a list',
    input_dim='how many rows',
)
