"""Functions of the operators. Written by tools/generate from the operators' files: change those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._cantik import call as _call

if TYPE_CHECKING:
    from .._types import AxisLike, Operand
    from ..ops.functions import Function

__all__ = [
    'binary_cross_entropy',
    'binary_cross_entropy_with_logits',
    'cosine_distance',
    'cosine_distance_with_negative_samples',
    'cross_entropy_with_softmax',
    'ctc_loss',
    'fmeasure',
    'focal_loss',
    'huber',
    'lambda_rank',
    'lattice_sequence_with_softmax',
    'mae',
    'mse',
    'squared_error',
    'weighted_binary_cross_entropy',
]


def binary_cross_entropy(output: Operand, target: Operand, name: str = '') -> Function:
    """-(target * log(output) + (1 - target) * log(1 - output)), element by element, with 1e-6 added under the
    logarithms. output: probabilities.

    loss = -(target log(output + 1e-6) + (1 - target) log(1 + 1e-6 - output)), element by element.

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.binary_cross_entropy(
        ...     [[0.1, 0.3, 0.4], [0.6, 0.7, 0.9]], [[0.1, 0.3, 0.4], [0.6, 0.7, 0.9]]
        ... ).eval().round(4)
        array([[0.3251, 0.6109, 0.673 ],
               [0.673 , 0.6109, 0.3251]], dtype=float32)
    """
    return _call('binary_cross_entropy', (output, target), (), name)


def binary_cross_entropy_with_logits(scores: Operand, target: Operand, name: str = '') -> Function:
    """The mean of log(1 + exp(score)) - target * score over all numbers of a sample: binary cross entropy of
    sigmoid(score), exact for scores of any size.

    loss = mean of log(1 + e^score) - target score: binary cross entropy of sigmoid(score).

    Args:
        scores: a variable, function, number or array
        target: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.binary_cross_entropy_with_logits([2, -1], [1, 0]).eval().round(4)
        np.float32(0.2201)
    """
    return _call('binary_cross_entropy_with_logits', (scores, target), (), name)


def cosine_distance(x: Operand, y: Operand, name: str = '') -> Function:
    """The cosine of the angle between x and y, seen as vectors: 1 where they point the same way. 0 where one
    of them is 0.

    y = x · t / (|x| |t|): the cosine of the angle between two vectors.

    Args:
        x: a variable, function, number or array
        y: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cosine_distance([-1.3, 0.2, 1.7], [-1.3, 0.2, 1.7]).eval().round(4)
        np.float32(1.0)
    """
    return _call('cosine_distance', (x, y), (), name)


def cosine_distance_with_negative_samples(
    x: Operand, y: Operand, shift: int, num_negative_samples: int, name: str = ''
) -> Function:
    """[num_negative_samples + 1] cosines: of each x with its own y, and with those of the samples shift,
    shift + 1, ... further on, round the batch. Of sequences the steps of all of them take turns; where a
    shorter one has ended the cosine is 0.

    Args:
        x: a variable, function, number or array
        y: a variable, function, number or array
        shift (int): how far on the first negative sample is
        num_negative_samples (int): how many there are, one after the other
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cosine_distance_with_negative_samples([-1.3, 0.2, 1.7], [-1.3, 0.2, 1.7], 1, 2).eval().round(4)
        array([1., 1., 1.], dtype=float32)
    """
    return _call('cosine_distance_with_negative_samples', (x, y), (shift, num_negative_samples), name)


def cross_entropy_with_softmax(
    output_vector: Operand, target_vector: Operand, axis: AxisLike = -1, name: str = ''
) -> Function:
    """log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels, which may
    be sparse. The result is [1].

    loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.

    Args:
        output_vector: a variable, function, number or array
        target_vector: a variable, function, number or array
        axis (Axis or int): the axis of the classes
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.cross_entropy_with_softmax([-1.3, -0.3, 0.7, 1.7], [-1.3, -0.3, 0.7, 1.7]).eval().round(4)
        array([-3.0198], dtype=float32)
    """
    return _call('cross_entropy_with_softmax', (output_vector, target_vector), (axis,), name)


def ctc_loss(
    x: Operand, labels: Operand, steps: Operand, label_counts: Operand, blank: int = 0, name: str = ''
) -> Function:
    """Connectionist temporal classification: minus the logarithm of the probability that x reads the labels.
    x: [steps, classes] before the softmax; labels: classes, [most labels]; steps and label_counts: how
    many of both each sample has. Infinite where the labels do not fit into the steps.

    Args:
        x: a variable, function, number or array
        labels: a variable, function, number or array
        steps: a variable, function, number or array
        label_counts: a variable, function, number or array
        blank (int): which class is the blank
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.ctc_loss([[2, 0, 1], [1, 3, 0], [0, 1, 2]], [1, 2], 3, 2).eval().round(4)
        np.float32(0.8355)
    """
    return _call('ctc_loss', (x, labels, steps, label_counts), (blank,), name)


def fmeasure(output: Operand, target: Operand, beta: float = 1, name: str = '') -> Function:
    """1 - (1 + beta^2) p r / (beta^2 p + r), with the precision p = sum(output target) / sum(output) and the
    recall r = sum(output target) / sum(target). The sums are over each channel of [channels, height,
    width], over the whole sample of any other shape.

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        beta (float): how many times as much recall counts as precision
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.fmeasure([0.1, 0.4, 0.7, 1.0], [0.1, 0.4, 0.7, 1.0], beta=2).eval().round(4)
        np.float32(0.2455)
    """
    return _call('fmeasure', (output, target), (beta,), name)


def focal_loss(scores: Operand, target: Operand, gamma: float = 2.0, name: str = '') -> Function:
    """-(1 - p)^gamma log p, where p is what softmax(scores) gives the right class (Lin et al. 2017). scores:
    numbers of any size, no probabilities; target: one-hot vectors, which may be sparse.

    loss = -(1 - p)^gamma log p, where p = softmax(scores) of the right class (Lin et al. 2017).

    Args:
        scores: a variable, function, number or array
        target: a variable, function, number or array
        gamma (float): how much less counts what is right already; 0: cross entropy
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.focal_loss([2, 0, -1], [1, 0, 0]).eval().round(4)
        array([0.0041], dtype=float32)
    """
    return _call('focal_loss', (scores, target), (gamma,), name)


def huber(output: Operand, target: Operand, delta: float = 1.0, name: str = '') -> Function:
    """With d = output - target: the mean of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), over
    all numbers of a sample; the operands broadcast.

    loss = mean of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = output - target (Huber
    1964).

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        delta (float): the distance at which the square ends, greater than 0
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.huber([0.5, 3], [0, 0]).eval().round(4)
        np.float32(1.3125)
    """
    return _call('huber', (output, target), (delta,), name)


def lambda_rank(output: Operand, gain: Operand, group: Operand, name: str = '') -> Function:
    """100 * (1 - NDCG), averaged over the lists, times the number of samples. Samples of equal group one
    behind the other are a list, whose gains fall (Burges 2010).

    Args:
        output: a variable, function, number or array
        gain: a variable, function, number or array
        group: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.lambda_rank([1.7], [1.7], [1.7]).eval().round(4)
        np.float32(0.0)
    """
    return _call('lambda_rank', (output, gain, group), (), name)


def lattice_sequence_with_softmax(
    label: Operand,
    prediction: Operand,
    loglikelihood: Operand,
    lattice: Operand,
    symListPath: str,
    phonePath: str,
    stateListPath: str,
    transProbPath: str,
    latticeConfigPath: str = 'LatticeNode.config',
    hSmoothingWeight: float = 0.95,
    frameDropThresh: float = 1e-10,
    doReferenceAlign: bool = False,
    seqGammarUsesMBR: bool = False,
    seqGammarAMF: float = 14.0,
    seqGammarLMF: float = 14.0,
    seqGammarBMMIFactor: float = 0.0,
    seqGammarWordPen: float = 0.0,
    name: str = '',
) -> Function:
    """Training on whole utterances over their lattices, summed: maximum mutual information, or the minimum
    Bayes risk of states, smoothed with the cross entropy of the frames. label: [states], the state that
    was spoken in each frame; prediction: [states], before the softmax; loglikelihood: [states], the
    prediction less the logarithms of the states' frequencies, through which no gradient goes; lattice:
    what LatticeDeserializer brings. Its gradient is not that of its value: files and formulas are in
    docs/reference/speech_files.md; examples/sequence_training.py trains with it.

    Args:
        label: a variable, function, number or array
        prediction: a variable, function, number or array
        loglikelihood: a variable, function, number or array
        lattice: a variable, function, number or array
        symListPath (str): the file of the symbols of lattices
        phonePath (str): the file of the units: transitions and states of each
        stateListPath (str): the file of the states
        transProbPath (str): the file of the transitions
        latticeConfigPath (str): a file that, where it is there, names the four others in their order, a line
            each, in place of what is given
        hSmoothingWeight (float): the weight of the sequences' criterion; the rest is that of the frames'
            cross entropy
        frameDropThresh (float): MMI: a frame whose spoken state is less probable than that in the lattice has
            no gradient
        doReferenceAlign (bool): not there, as in CNTK: must be False
        seqGammarUsesMBR (bool): the minimum Bayes risk of states in place of maximum mutual information
        seqGammarAMF (float): divides all scores of an arc
        seqGammarLMF (float): multiplies the scores of the language model
        seqGammarBMMIFactor (float): what each frame in its spoken state takes from the score of an arc:
            boosted MMI
        seqGammarWordPen (float): added to the score of each arc
        name (str): of the function

    Returns:
        a function of one output
    """
    return _call(
        'lattice_sequence_with_softmax',
        (label, prediction, loglikelihood, lattice),
        (
            symListPath,
            phonePath,
            stateListPath,
            transProbPath,
            latticeConfigPath,
            hSmoothingWeight,
            frameDropThresh,
            doReferenceAlign,
            seqGammarUsesMBR,
            seqGammarAMF,
            seqGammarLMF,
            seqGammarBMMIFactor,
            seqGammarWordPen,
        ),
        name,
    )


def mae(output: Operand, target: Operand, name: str = '') -> Function:
    """The mean of |output - target| over all numbers of a sample, the mean absolute error; the operands
    broadcast.

    loss = mean of |output - target|.

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.mae([0.5, 3], [0, 0]).eval().round(4)
        np.float32(1.75)
    """
    return _call('mae', (output, target), (), name)


def mse(output: Operand, target: Operand, name: str = '') -> Function:
    """The mean of (output - target)^2 over all numbers of a sample, the mean squared error; the operands
    broadcast. squared_error is the sum.

    loss = mean of (output - target)^2.

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.mse([0.5, 3], [0, 0]).eval().round(4)
        np.float32(4.625)
    """
    return _call('mse', (output, target), (), name)


def squared_error(output: Operand, target: Operand, name: str = '') -> Function:
    """The sum of (output - target)^2 over all numbers of a sample; the operands broadcast.

    loss = sum of (output - target)^2.

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.squared_error(
        ...     [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]], [[-1.3, -0.7, -0.1], [0.5, 1.1, 1.7]]
        ... ).eval().round(4)
        np.float32(0.0)
    """
    return _call('squared_error', (output, target), (), name)


def weighted_binary_cross_entropy(
    output: Operand, target: Operand, weight: Operand, name: str = ''
) -> Function:
    """-weight * log(output * target + (1 - output) * (1 - target)), summed over all numbers of all samples,
    over the mean weight: one number. output: probabilities. As in CNTK, the gradient is that of the sum,
    not divided by the mean weight; only output has one.

    loss = -sum of weight log(output target + (1 - output) (1 - target)) / mean of weight, over all samples.

    Args:
        output: a variable, function, number or array
        target: a variable, function, number or array
        weight: a variable, function, number or array
        name (str): of the function

    Returns:
        a function of one output

    Example:
        >>> import cantik as C
        >>> C.weighted_binary_cross_entropy([0.5, 0.5], [1, 0], [1, 2]).eval().round(4)
        np.float32(1.3863)
    """
    return _call('weighted_binary_cross_entropy', (output, target, weight), (), name)
