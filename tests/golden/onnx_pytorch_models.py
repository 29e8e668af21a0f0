"""Networks of the kinds that people export, as small as they can be: what onnx_pytorch.py writes."""

import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import nn

MODELS = []


@dataclasses.dataclass
class Entry:
    name: str
    make: type
    inputs: dict  # as onnx_pytorch.feeds_of reads them
    sizes: list  # named sizes: of the export and the training first, then of other runs
    outputs: list
    exporters: tuple
    learns: bool  # the exported weights are those of the module, so that they learn the same
    free_outputs: bool  # their first size is not that of an input
    small: tuple  # sizes that may be 1
    opset: int  # that the older exporter writes


def model(
    inputs,
    sizes,
    outputs=('y',),
    exporters=('script', 'dynamo'),
    learns=True,
    free_outputs=False,
    small=(),
    opset=17,
):
    def add(module):
        MODELS.append(
            Entry(
                module.__name__.lower(),
                module,
                inputs,
                sizes,
                list(outputs),
                exporters,
                learns,
                free_outputs,
                small,
                opset,
            )
        )
        return module

    return add


BATCHES = [{'batch': 3}, {'batch': 2}, {'batch': 5}]
STEPS = [{'batch': 3, 'steps': 5}, {'batch': 2, 'steps': 9}, {'batch': 4, 'steps': 3}]
PICTURES = [
    {'batch': 2, 'height': 16, 'width': 12},
    {'batch': 3, 'height': 8, 'width': 20},
    {'batch': 4, 'height': 12, 'width': 12},
]


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.one = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.normal = nn.BatchNorm2d(outside)
        self.two = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.again = nn.BatchNorm2d(outside)
        self.short = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))
        for n in (self.normal, self.again, self.short[1]):
            nn.init.uniform_(n.running_mean, -0.1, 0.1)
            nn.init.uniform_(n.running_var, 0.5, 1.5)

    def forward(self, x):
        y = F.relu(self.normal(self.one(x)))
        return F.relu(self.again(self.two(y)) + self.short(x))


@model({'x': ['real', 'batch', 3, 16, 16]}, BATCHES, learns=False)
class Classifier(nn.Module):
    """A residual network with an average over all places at its end."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.body = nn.Sequential(Residual(4, 6, 2), Residual(6, 8, 1))
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        y = F.adaptive_avg_pool2d(self.body(self.stem(x)), 1)
        return F.log_softmax(self.head(torch.flatten(y, 1)), 1)


@model({'x': ['real', 'batch', 3, 'height', 'width']}, PICTURES)
class AnySize(nn.Module):
    """Pictures of any size; averages over the places of a grid."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 4, 3, padding=1)
        self.two = nn.Conv2d(4, 4, 3, padding=1, groups=2, dilation=1, padding_mode='reflect')
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        y = F.leaky_relu(self.two(F.silu(self.one(x))))
        return self.head(y.mean((2, 3)))


@model({'x': ['real', 'batch', 3, 12, 18]}, BATCHES)
class Grid(nn.Module):
    """An average for each place of a grid, as in VGG."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 4, 3, 2, 1)
        self.pool = nn.AdaptiveAvgPool2d((2, 3))
        self.most = nn.AdaptiveMaxPool2d((3, 3))
        self.head = nn.Linear(4 * 15, 5)

    def forward(self, x):
        y = F.hardswish(self.one(x))
        return self.head(torch.cat([self.pool(y).flatten(1), self.most(y).flatten(1)], 1))


@model({'x': ['real', 'batch', 2, 16, 12]}, BATCHES)
class UNet(nn.Module):
    """Down twice and up again, once by a transposed convolution, once by interpolation."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(2, 4, 3, padding=1)
        self.b = nn.Conv2d(4, 6, 3, padding=1)
        self.c = nn.Conv2d(6, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 6, 2, 2)
        self.d = nn.Conv2d(12, 6, 3, padding=1)
        self.e = nn.Conv2d(10, 4, 3, padding=1)
        self.last = nn.Conv2d(4, 3, 1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(F.max_pool2d(a, 2)))
        c = F.relu(self.c(F.max_pool2d(b, 2)))
        d = F.relu(self.d(torch.cat([self.up(c), b], 1)))
        wide = F.interpolate(d, scale_factor=2, mode='bilinear', align_corners=False)
        return self.last(F.relu(self.e(torch.cat([wide, a], 1))))


@model({'x': ['real', 'batch', 2, 'height', 'width']}, PICTURES)
class ToSize(nn.Module):
    """Interpolates to the size of another value: sizes that only a run knows."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(2, 3, 3, 2, 1)
        self.b = nn.Conv2d(3, 2, 1)

    def forward(self, x):
        y = self.b(F.elu(self.a(x)))
        near = F.interpolate(y, size=x.shape[-2:], mode='nearest')
        return near + F.interpolate(y, size=x.shape[-2:], mode='bilinear', align_corners=True)


@model({'x': ['real', 'batch', 'steps', 8], 'padding': ['padding', 'batch', 'steps']}, STEPS)
class Encoder(nn.Module):
    """A Transformer's encoder, with steps that are not there."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, batch_first=True, activation='gelu')
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(8, 3)

    def forward(self, x, padding):
        return self.head(self.layers(x, src_key_padding_mask=padding))


@model(
    {'x': ['real', 'batch', 'steps', 8], 'memory': ['real', 'batch', 'places', 6]},
    [{**s, 'places': 4} for s in STEPS],
)
class Attention(nn.Module):
    """One attention over another sequence, with its weights as a second result."""

    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True)

    def forward(self, x, memory):
        y, weights = self.attend(x, memory, memory)
        return x + y, weights


@model({'tokens': ['below 11', 'batch', 'steps']}, STEPS)
class Gpt(nn.Module):
    """A decoder with a causal mask and tied weights."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(11, 8)
        self.places = nn.Embedding(16, 8)
        self.blocks = nn.ModuleList([GptBlock(8, 2) for _ in range(2)])
        self.normal = nn.LayerNorm(8)
        self.head = nn.Linear(8, 11, bias=False)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.places(places)
        for block in self.blocks:
            x = block(x)
        return self.head(self.normal(x))


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.one = nn.LayerNorm(width)
        self.joint = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.two = nn.LayerNorm(width)
        self.inner = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(approximate='tanh'), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        batch, steps, width = x.shape
        q, k, v = self.joint(self.one(x)).split(width, 2)
        q, k, v = (t.view(batch, steps, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, steps, width))
        return x + self.inner(self.two(x))


@model({'tokens': ['below 11', 'batch', 'steps']}, STEPS)
class MinGpt(nn.Module):
    """The same with a mask that is kept, cut to the length of the run."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(11, 8)
        self.register_buffer('mask', torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16) == 1)
        self.joint = nn.Linear(8, 24)
        self.head = nn.Linear(8, 11)

    def forward(self, tokens):
        x = self.tokens(tokens)
        b, t, c = x.size()
        q, k, v = self.joint(x).chunk(3, -1)
        q, k, v = (u.view(b, t, 2, c // 2).transpose(1, 2) for u in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(~self.mask[:, :, :t, :t], float('-inf'))
        y = (scores.softmax(-1) @ v).transpose(1, 2).contiguous().view(b, t, c)
        return self.head(y + x)


@model({'x': ['real', 'batch', 'steps', 4]}, STEPS)
class Rotary(nn.Module):
    """Turned keys and queries, a gated inner layer and normalisation by the root of squares, as in LLaMA."""

    def __init__(self):
        super().__init__()
        self.normal = nn.RMSNorm(4)
        self.q, self.k, self.v = (nn.Linear(4, 4, bias=False) for _ in range(3))
        self.up, self.gate = nn.Linear(4, 6, bias=False), nn.Linear(4, 6, bias=False)
        self.down = nn.Linear(6, 4, bias=False)

    def forward(self, x):
        steps = x.shape[1]
        rates = 1.0 / (100.0 ** (torch.arange(0, 4, 2).float() / 4))
        angles = torch.arange(steps).float()[:, None] * rates[None, :]
        angles = torch.cat([angles, angles], -1)
        cos, sin = angles.cos(), angles.sin()

        def turned(t):
            half = torch.cat([-t[..., 2:], t[..., :2]], -1)
            return t * cos + half * sin

        h = self.normal(x)
        q, k, v = turned(self.q(h)), turned(self.k(h)), self.v(h)
        mask = torch.full((steps, steps), float('-inf')).triu(1)
        y = torch.softmax(q @ k.transpose(1, 2) / 2 + mask, -1) @ v
        x = x + y
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


@model(
    {'x': ['real', 'batch', 'steps', 4], 'lengths': ['lengths steps', 'batch']}, STEPS, exporters=('script',)
)
class Tagger(nn.Module):
    """A recurrence of two layers in both directions over sequences of several lengths."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(y)


@model({'x': ['real', 'steps', 'batch', 4]}, STEPS)
class Lstm(nn.Module):
    """The steps first; the last state is a result."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, bidirectional=True)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return y, h, c


@model(
    {'words': ['below 9', 'batch', 'places'], 'before': ['below 7', 'batch', 'steps']},
    [{**s, 'places': 6} for s in STEPS],
)
class Translator(nn.Module):
    """A recurrence reads words, another one writes, with attention over what was read."""

    def __init__(self):
        super().__init__()
        self.words, self.before = nn.Embedding(9, 4), nn.Embedding(7, 4)
        self.reads = nn.GRU(4, 5, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(10, 6)
        self.writes = nn.GRU(4, 6, batch_first=True)
        self.keys = nn.Linear(10, 6)
        self.head = nn.Linear(16, 7)

    def forward(self, words, before):
        read, last = self.reads(self.words(words))
        start = torch.tanh(self.bridge(torch.cat([last[0], last[1]], 1)))
        written, _ = self.writes(self.before(before), start.unsqueeze(0))
        scores = torch.bmm(written, self.keys(read).transpose(1, 2))
        seen = torch.bmm(scores.softmax(2), read)
        return self.head(torch.cat([written, seen], 2))


@model({'x': ['real', 'batch', 'steps', 4]}, STEPS)
class Rnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 5, nonlinearity='relu', batch_first=True)
        self.head = nn.Linear(5, 2)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


@model({'x': ['real', 'batch', 3, 16, 16]}, BATCHES, outputs=('boxes', 'scores', 'classes'), learns=False)
class Detector(nn.Module):
    """The best places of a picture: their boxes, scores and classes."""

    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 4, 3, 2, 1)
        self.classes = nn.Conv2d(4, 2 * 3, 3, padding=1)
        self.boxes = nn.Conv2d(4, 2 * 4, 3, padding=1)

    def forward(self, x):
        y = F.relu(self.body(x))
        n = y.shape[0]
        classes = self.classes(y).permute(0, 2, 3, 1).reshape(n, -1, 3).sigmoid()
        boxes = self.boxes(y).permute(0, 2, 3, 1).reshape(n, -1, 4)
        scores, labels = classes.max(-1)
        scores, places = scores.topk(5, 1)
        boxes = boxes.gather(1, places.unsqueeze(-1).expand(-1, -1, 4))
        labels = labels.gather(1, places)
        corners = torch.cat(
            [boxes[..., :2] - boxes[..., 2:].exp() / 2, boxes[..., :2] + boxes[..., 2:].exp() / 2], -1
        )
        return corners.clamp(-1, 2), scores, labels


@model({'x': ['real', 'batch', 'steps', 4], 'places': ['below 3', 'batch', 2]}, STEPS)
class Picked(nn.Module):
    """Rows at places of each sequence, by indices for all axes: GatherND."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, x, places):
        batch = torch.arange(x.shape[0]).unsqueeze(1)
        return self.head(x[batch, places])


@model({'x': ['real', 'batch', 1, 12, 12]}, BATCHES)
class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Sequential(
            nn.Conv2d(1, 4, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(4, 6, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(54, 4),
        )
        self.up = nn.Sequential(
            nn.Linear(4, 54),
            nn.Unflatten(1, (6, 3, 3)),
            nn.ConvTranspose2d(6, 4, 3, 2, 1, output_padding=1),
            nn.PReLU(4),
            nn.ConvTranspose2d(4, 1, 4, 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        code = self.down(x)
        return self.up(code), code


@model({'x': ['real', 'batch', 4, 6, 5]}, BATCHES)
class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.group = nn.GroupNorm(2, 4)
        self.layer = nn.LayerNorm([6, 5])
        self.instance = nn.InstanceNorm2d(4, affine=True)
        self.local = nn.LocalResponseNorm(3)

    def forward(self, x):
        y = self.instance(self.layer(self.group(x)))
        return self.local(y) + F.normalize(x, dim=1)


@model({'tokens': ['below 11', 'batch', 'steps']}, STEPS)
class Bag(nn.Module):
    """The mean of the words of each line."""

    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(11, 4, mode='mean')
        self.head = nn.Linear(4, 2)

    def forward(self, tokens):
        return self.head(self.bag(tokens))


@model({'x': ['real', 'batch', 3, 8, 8]}, BATCHES)
class Vision(nn.Module):
    """A Transformer over patches of a picture, with a token for the class."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, 8) * 0.1)
        self.places = nn.Parameter(torch.randn(1, 5, 8) * 0.1)
        layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        y = self.patches(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.token.expand(x.shape[0], -1, -1), y], 1) + self.places
        return self.head(self.layers(y)[:, 0])


@model({'x': ['real', 'batch', 4, 10, 10]}, BATCHES, learns=False)
class Mobile(nn.Module):
    """An inverted residual with a gate for each channel."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Sequential(nn.Conv2d(4, 8, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish())
        self.depth = nn.Sequential(
            nn.Conv2d(8, 8, 5, 1, 2, groups=8, bias=False), nn.BatchNorm2d(8), nn.ReLU6()
        )
        self.less, self.more = nn.Conv2d(8, 2, 1), nn.Conv2d(2, 8, 1)
        self.last = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        y = self.depth(self.wide(x))
        gate = F.hardsigmoid(self.more(F.relu(self.less(F.adaptive_avg_pool2d(y, 1)))))
        return x + self.last(y * gate)


@model({'x': ['real', 'batch', 3, 'steps']}, STEPS)
class Temporal(nn.Module):
    """Convolutions over what came before, wider and wider."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(3, 3, 3, dilation=2**i) for i in range(3)])

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = x + torch.tanh(layer(F.pad(x, (2 * 2**i, 0))))
        return x.amax(-1)


@model({'x': ['real', 'batch', 2, 4, 6, 6]}, BATCHES)
class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Conv3d(2, 3, 3, padding=1)
        self.up = nn.ConvTranspose3d(3, 2, 2, 2)

    def forward(self, x):
        y = F.avg_pool3d(F.relu(self.one(x)), 2)
        return F.max_pool3d(self.up(y), (1, 2, 2))


@model({'x': ['real', 'batch', 3, 6, 6]}, BATCHES)
class Enlarge(nn.Module):
    """Twice the size by channels, beside a picture by cubes."""

    def __init__(self):
        super().__init__()
        self.one = nn.Conv2d(3, 12, 3, padding=1, padding_mode='replicate')

    def forward(self, x):
        cubes = F.interpolate(x, scale_factor=2, mode='bicubic', align_corners=False)
        return F.pixel_shuffle(self.one(x), 2) + cubes + F.pixel_unshuffle(F.pixel_shuffle(self.one(x), 2), 1)


@model({'x': ['real', 'batch', 1, 8, 8]}, BATCHES, opset=20)
class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.where = nn.Linear(64, 6)
        with torch.no_grad():
            self.where.bias.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))

    def forward(self, x):
        theta = self.where(x.flatten(1)).view(-1, 2, 3)
        grid = F.affine_grid(theta, list(x.shape), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


@model({'x': ['real', 'batch', 6]}, BATCHES)
class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6) for _ in range(14)])

    def forward(self, x):
        functions = [
            F.gelu, F.silu, F.mish, F.softplus, F.selu, F.celu, F.hardtanh, F.hardsigmoid, F.logsigmoid,
            F.softsign, F.tanhshrink, F.hardshrink, F.softshrink, lambda t: F.glu(torch.cat([t, t], -1)),
        ]  # fmt: skip
        for layer, f in zip(self.layers, functions):
            x = x + f(layer(x))
        return x


@model({'users': ['below 9', 'batch'], 'items': ['below 7', 'batch'], 'x': ['real', 'batch', 3]}, BATCHES)
class Recommender(nn.Module):
    """Factors of users and items, crossed with what is known of both."""

    def __init__(self):
        super().__init__()
        self.users, self.items = nn.Embedding(9, 4), nn.Embedding(7, 4)
        self.deep = nn.Sequential(nn.Linear(11, 6), nn.ReLU(), nn.Dropout(0.2), nn.Linear(6, 1))

    def forward(self, users, items, x):
        u, i = self.users(users), self.items(items)
        return (u * i).sum(1, keepdim=True) + self.deep(torch.cat([u, i, x], 1))


@model(
    {'x': ['real', 'batch', 5, 4], 'edges': ['below 5', 2, 'edges']},
    [{'batch': 2, 'edges': 7}, {'batch': 3, 'edges': 4}],
    learns=False,
)
class GraphNetwork(nn.Module):
    """Messages along edges, which are added up at their ends."""

    def __init__(self):
        super().__init__()
        self.message = nn.Linear(8, 6)
        self.update = nn.GRUCell(6, 4)

    def forward(self, x, edges):
        pairs = torch.cat([x[:, edges[0]], x[:, edges[1]]], -1)
        messages = torch.relu(self.message(pairs))
        sums = torch.zeros(x.shape[0], 5, 6).index_add(1, edges[1], messages)
        return self.update(sums.reshape(-1, 6), x.reshape(-1, 4)).reshape(x.shape)


@model({'x': ['real', 'batch', 'steps', 4]}, STEPS)
class Pooled(nn.Module):
    """Einstein sums, powers, sorts, running sums, choices."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 4) * 0.3)
        self.a = nn.Parameter(torch.randn(4) * 0.3)

    def forward(self, x):
        y = torch.einsum('btc,cd->btd', x, self.w)
        weights = torch.softmax(torch.einsum('btc,c->bt', y, self.a), 1)
        seen = torch.einsum('bt,btc->bc', weights, y)
        run = torch.cumsum(y, 1)
        run = torch.where(run > 0, run, run.abs() ** 1.5)
        spread = torch.cat([y.std(1), y.var(1, unbiased=False), y.logsumexp(1), run.mean(1)], -1)
        return seen, spread, run.flip(1).roll(1, -1)


@model({'x': ['real', 'batch', 3]}, BATCHES, exporters=('script',))
class Rounds(nn.Module):
    """Steps of a solver that a program takes in turn."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(3, 3)
        self.rounds = 4

    def forward(self, x):
        for _ in range(self.rounds):
            x = x + 0.25 * torch.tanh(self.f(x))
        return x


@model({'x': ['real', 'batch', 3], 'noise': ['real', 'batch', 4], 'time': ['below 50', 'batch']}, BATCHES)
class Diffusion(nn.Module):
    """Noise is taken off: waves of the time stand beside the values."""

    def __init__(self):
        super().__init__()
        self.time = nn.Linear(8, 6)
        self.one, self.two = nn.Linear(7, 6), nn.Linear(6, 3)

    def forward(self, x, noise, time):
        rates = torch.exp(-math.log(1000.0) * torch.arange(4).float() / 4)
        angle = time.float()[:, None] * rates[None]
        waves = torch.cat([angle.sin(), angle.cos()], 1)
        return self.two(F.silu(self.one(torch.cat([x, noise], 1)) + self.time(waves)))


@model({'tokens': ['below 11', 'batch', 'steps']}, STEPS)
class Bert(nn.Module):
    """A mask from the tokens themselves; the first token is the sentence's."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(16, 8)
        self.normal = nn.LayerNorm(8, eps=1e-12)
        self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))
        self.pool = nn.Linear(8, 8)

    def heads(self, t):
        return t.view(t.shape[0], t.shape[1], 2, 4).permute(0, 2, 1, 3)

    def forward(self, tokens):
        there = (tokens != 0).to(torch.float32)
        mask = (1.0 - there[:, None, None, :]) * torch.finfo(torch.float32).min
        places = torch.arange(tokens.size(1)).unsqueeze(0).expand_as(tokens)
        x = self.normal(self.tokens(tokens) + self.places(places))
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        p = torch.softmax(q @ k.transpose(-1, -2) / 2 + mask, -1)
        y = (p @ v).permute(0, 2, 1, 3).contiguous().view(x.shape)
        return torch.tanh(self.pool((x + self.o(y))[:, 0]))


LENGTHS = {'tokens': ['real', 'batch', 'steps', 4], 'lengths': ['lengths steps', 'batch']}


@model(LENGTHS, STEPS, ('last', 'first', 'marked'))
class Chosen(nn.Module):
    """Steps that indices choose, and steps that are written to: of a batch and steps that are both open."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 3)

    def forward(self, tokens, lengths):
        sample = torch.arange(tokens.shape[0])
        y = torch.tanh(self.head(tokens))
        best = y[:, :, 0].topk(2, dim=1)
        marked = y.clone()
        marked[sample, lengths - 1] = 2.0
        places = best.indices[:, :, None].expand(-1, -1, 3)
        return y[sample, lengths - 1], torch.gather(y, 1, places) * best.values[..., None], marked.flip(1)


@model(LENGTHS, STEPS, ('y', 'last'), exporters=('script',))
class Packed(nn.Module):
    """Sequences of different lengths in any order, both ways: they are sorted, and what is made goes back."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 3, num_layers=2, batch_first=True, bidirectional=True)

    def forward(self, tokens, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(tokens, lengths, batch_first=True, enforce_sorted=False)
        y, last = self.rnn(packed)
        return nn.utils.rnn.pad_packed_sequence(y, batch_first=True)[0], last.transpose(0, 1)


@model({'x': ['real', 'batch', 'steps', 4]}, STEPS, ('scores', 'sums', 'outer'))
class Contracted(nn.Module):
    """Products by letters, over steps of which only a run knows how many there are."""

    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(2, 4, 3))
        self.key = nn.Parameter(torch.randn(2, 4, 3))

    def forward(self, x):
        q = torch.einsum('bti,hio->bhto', x, self.query)
        k = torch.einsum('bti,hio->bhto', x, self.key)
        scores = torch.einsum('bhqo,bhko->bhqk', q, k)
        return (
            scores,
            torch.einsum('bhqk,bhkd->bqhd', scores.softmax(-1), q).sum(1),
            torch.einsum('bti,bhto->bthio', x, q),
        )


@model({'x': ['real', 'batch', 4, 'height', 'width']}, PICTURES, ('up', 'blocks', 'edges'))
class Pyramid(nn.Module):
    """Pictures of any size that become larger, by all the ways that there are."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(4, 8, 3, 2, 1)
        self.up = nn.ConvTranspose2d(8, 4, 3, 2, 1, output_padding=1)

    def forward(self, x):
        small = self.down(x)
        up = self.up(torch.tanh(small))
        linear = F.interpolate(small, scale_factor=2, mode='bilinear', align_corners=False)
        cubic = F.interpolate(small, scale_factor=2, mode='bicubic', align_corners=False)
        edges = F.pad(F.pad(small, (1, 2, 0, 1), mode='reflect'), (0, 1, 2, 1), mode='replicate')
        return up + (linear + cubic)[:, :4], F.pixel_shuffle(small, 2) + x[:, :2], edges


@model({'x': ['real', 'batch', 2, 6, 6]}, BATCHES, ('best', 'places'))
class PooledPlaces(nn.Module):
    """The largest numbers of a batch of any size with their places."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, padding=1)

    def forward(self, x):
        return F.max_pool2d(self.conv(x), 2, return_indices=True)
