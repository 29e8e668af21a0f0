"""Small lattices and the models of their units, for CNTK 2.7 (lattices_cntk.py) and for the tests."""

import os
import struct

import numpy as np

STATES = ['sil1', 'sil2', 'sil3', 'a1', 'a2', 'b1', 'b2', 'b3']
SYMBOLS = ['sil', 'a', 'b', 'sp']  # of lattices, by their numbers
# of each unit: its states, and probabilities from the entry and from each state to each state and to the exit
UNITS = {
    'b': (['b1', 'b2', 'b3'], 'T2 1 0 0 0 .6 .4 0 0 0 .5 .5 0 0 0 .7 .3'),
    'sil': (['sil1', 'sil2', 'sil3'], 'T1 1 0 0 0 .6 .3 0 .1 0 .7 .3 0 .2 0 .5 .3'),
    'sp': (['sil2'], 'T4 .4 .6 .5 .5'),
    'a': (['a1', 'a2'], 'T3 .9 .1 0 .6 .4 0 0 .7 .3'),
}


def write_files(folder):
    """The paths of the four files: symbols, phones, states, transitions."""
    texts = {
        'symbols': SYMBOLS,
        'phones': [' '.join([unit, of.split()[0], *states]) for unit, (states, of) in UNITS.items()],
        'states': STATES,
        'transitions': [
            ' '.join([of.split()[0], str(len(states)), *of.split()[1:]]) for states, of in UNITS.values()
        ],
    }
    paths = []
    for name, lines in texts.items():
        paths.append(os.path.join(str(folder), name))
        with open(paths[-1], 'w') as file:
            file.write(''.join(line + '\n' for line in lines))
    return paths


class Lattice:
    """times: of the nodes; arcs: (from, to, language score, [(symbol, frames)], frames of a pause)."""

    def __init__(self, times, arcs):
        self.times, self.arcs = times, sorted(arcs, key=lambda arc: (arc[1], arc[0]))

    def bytes(self, acoustic_scores=True, pause=SYMBOLS.index('sp')):
        words, packed = [], []
        for begin, end, language, units, at_end in self.arcs:
            if acoustic_scores:
                words.append(struct.pack('<f', -1e30))  # not read
            words.append(struct.pack('<f', language))
            packed.append(begin | end << 20 | (at_end is not None) << 39 | len(words) << 40)
            for k, (symbol, frames) in enumerate(units):
                words.append(struct.pack('<I', symbol | frames << 19 | (k == len(units) - 1) << 31))
        facts = self.times[-1] | pause << 32 | int(acoustic_scores) << 63
        return b''.join(
            [
                b'LAT ' + struct.pack('<i', 2),
                struct.pack('<IIffdQ', len(self.times), len(self.arcs), 1, 0, 0.01, facts),
                b'NODS' + struct.pack('<i', len(self.times)),
                struct.pack('<%dH' % len(self.times), *self.times),
                b'EDGS' + struct.pack('<i', len(packed)) + struct.pack('<%dQ' % len(packed), *packed),
                b'ALNS' + struct.pack('<i', len(words)) + b''.join(words) + b'END ',
            ]
        )

    def numbers(self, **options):
        """What LatticeDeserializer makes of it: [n, 1]."""
        data = self.bytes(**options)
        return np.frombuffer(data + bytes(-len(data) % 4), '<f4').reshape(-1, 1)


def random_lattice(rs, nodes, more):
    """A chain of arcs through all nodes, and so many other arcs. All units have frames for their states."""
    times = [0] + [int(t) for t in np.cumsum(rs.randint(3, 6, nodes - 1))]
    arcs = [(k, k + 1) for k in range(nodes - 1)]
    while len(arcs) < nodes - 1 + more:
        begin, end = sorted(rs.choice(nodes, 2, replace=False))
        arcs.append((int(begin), int(end)))

    def units(left):
        """Words of one or two units; a pause may stand behind them."""
        pause = None
        if rs.rand() < 0.4:
            pause = int(rs.randint(0, min(3, left - 2)))
            left -= pause
        first = int(rs.randint(3, left - 2)) if left >= 6 and rs.rand() < 0.7 else left
        parts = [first] if first == left else [first, left - first]
        return [(int(rs.randint(0, 3)), n) for n in parts], pause

    made = []
    for begin, end in arcs:
        language = round(-3 * rs.rand(), 3)
        made.append((begin, end, language, *units(times[end] - times[begin])))
    return Lattice(times, made)


def with_null_arc(lattice):
    """The same with an arc of no frames at its end."""
    last = len(lattice.times)
    arcs = lattice.arcs + [(last - 1, last, -0.5, [], None)]
    return Lattice(lattice.times + lattice.times[-1:], arcs)


def cases():
    """Of each case: lattice, spoken states, prediction, logarithms of likelihoods, options."""
    rs = np.random.RandomState(7)
    for k in range(8):
        lattice = random_lattice(rs, int(rs.randint(2, 5)), int(rs.randint(1, 6)))
        frames = lattice.times[-1]
        if k % 3 == 2:
            lattice = with_null_arc(lattice)
        prediction = rs.randn(frames, len(STATES)).astype(np.float32)
        log_priors = np.log(rs.dirichlet(np.ones(len(STATES)) * 5)).astype(np.float32)
        log_p = prediction - np.log(np.exp(prediction).sum(1, keepdims=True)) - log_priors
        options = dict(
            seqGammarUsesMBR=k % 2 == 1,
            seqGammarAMF=float([14, 2, 1][k % 3]),
            seqGammarLMF=float([14, 3][k % 2]),
            seqGammarWordPen=float([0, -0.25][k // 4]),
        )
        spoken = rs.randint(0, len(STATES), frames)
        yield lattice, spoken, prediction, log_p.astype(np.float32), options
