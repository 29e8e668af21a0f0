#!/usr/bin/env python3
"""Runs every line of ops_cases.txt on CNTK 2.7 and writes ops_golden.txt: results and gradients in float32
and float64. And so for special_cases.txt (NaN, infinite numbers, negative zeros, denormals), whose figures
are rounded.

    python tests/golden/ops_cntk.py [name ...]

With names, only those cases are run and printed. A case is `name | operator | operands | attributes`, with a
fifth field where we mean to differ or CNTK's float32 is poor: `not y1 d0: why; rough: why` (`d0@f32`: with
this element type only; `d0?`: on some processors). An operand is

    b:2,3         batch input of 3 samples, its gradient is wanted       p:2,3   parameter
    c:2,3         constant                                               n:0.5   scalar constant
    s:5           sparse batch input, some entries a sample, no gradient o:5     sparse one-hot batch input
    g:2,3         batch input without a gradient
    q:2,3         sequences of 4, 1 and 3 steps on the default axis, their gradient is wanted; h: without a
    gradient v:2,3         sequences of the same lengths on an axis of their own; w: of one step each; u: of
    2, 3 and 5 steps; z: sparse ones

followed, if wanted, by @low,high (the range of its numbers), @int5 (whole numbers 0 .. 4), @=1,2,3 (the
numbers themselves). Numbers come from splitmix64(position, operand), which tests/ops/golden_test.cc makes as
well. The gradients are those of the sum of result * weight, the weights being numbers of the same kind. A
case that CNTK refuses is written with its error.
"""

import os
import sys

import numpy as np
import cntk as C

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = 3
LENGTHS = {'q': (4, 1, 3), 'h': (4, 1, 3), 'z': (4, 1, 3), 'v': (4, 1, 3), 'w': (1, 1, 1), 'u': (2, 3, 5)}
MASK = (1 << 64) - 1


def unit(position, stream):
    z = (position * 0x9E3779B97F4A7C15 + (stream + 1) * 0xD1B54A32D192ED03) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53


def numbers(count, stream, spec, dtype):
    if spec.startswith("="):
        given = [float(x) for x in spec[1:].split(",")]
        return np.array([given[i % len(given)] for i in range(count)], dtype)
    u = [unit(i, stream) for i in range(count)]
    if spec.startswith("int"):
        return np.array([np.floor(x * int(spec[3:])) for x in u], dtype)
    low, high = [float(x) for x in spec.split(",")] if spec else (-1.3, 1.7)
    return np.array([low + (high - low) * x for x in u], dtype)


def operand(text, index, dtype):
    """The variable and, of an input, its data."""
    kind, rest = text.split(":", 1)
    dims, _, spec = rest.partition("@")
    if kind == "n":
        return C.constant(np.array(float(rest), dtype)), None
    shape = tuple(int(d) for d in dims.split(",")) if dims else ()
    count = int(np.prod(shape)) if shape else 1
    if kind in "pc":
        value = numbers(count, index, spec, dtype).reshape(shape)
        return (C.parameter(init=value) if kind == "p" else C.constant(value)), None
    if kind in LENGTHS:
        return sequences(kind, shape, count, index, spec, dtype)
    data = numbers(SAMPLES * count, index, spec, dtype).reshape((SAMPLES,) + shape)
    if kind == "o":  # one-hot: the class is the place of the largest number
        hot = np.zeros_like(data)
        hot[np.arange(SAMPLES), data.argmax(1)] = 1
        data = hot
    if kind == "s":
        data = np.where(data > 0, data, 0)
    from scipy.sparse import csr_matrix

    sparse = kind in "so"
    v = C.input_variable(shape, dtype=dtype, needs_gradient=kind == "b", is_sparse=sparse, name="x%d" % index)
    return v, csr_matrix(data) if sparse else data


def sequences(kind, shape, count, index, spec, dtype):
    lengths = LENGTHS[kind]
    data = numbers(sum(lengths) * count, index, spec, dtype).reshape((sum(lengths),) + shape)
    axis = C.Axis(kind) if kind in 'vwu' else C.Axis.default_dynamic_axis()
    v = C.sequence.input_variable(
        shape,
        dtype=dtype,
        needs_gradient=kind in 'qvwu',
        is_sparse=kind == 'z',
        sequence_axis=axis,
        name='x%d' % index,
    )
    data = np.split(data, np.cumsum(lengths)[:-1])
    if kind == 'z':
        from scipy.sparse import csr_matrix

        data = [csr_matrix(np.where(d > 0, d, 0)) for d in data]
    return v, data


def function_of(name):
    f = C
    for part in name.split("."):
        f = getattr(f, part)
    return f


def attribute(value):
    names = {
        "batch": C.Axis.default_batch_axis(),
        "sequence": C.Axis.default_dynamic_axis(),
        "all": C.Axis.all_axes(),
        "all_static": C.Axis.all_static_axes(),
        "new_leading": C.Axis.new_leading_axis(),
    }
    if isinstance(value, str) and value in names:
        return names[value]
    if isinstance(value, str) and value in ("float32", "float64"):
        return getattr(np, value)
    if isinstance(value, list):
        return [attribute(v) for v in value]
    return value


def by_training(root, at, parameter):
    """The gradient as the step of a learner with rate 1."""
    before = parameter.value
    loss = C.reduce_sum(root)
    C.Trainer(
        None, (loss, loss), [C.sgd([parameter], C.learning_parameter_schedule_per_sample(1.0))]
    ).train_minibatch({v: at[v] for v in root.arguments})
    after = parameter.value
    parameter.value = before
    return before - after


def dense(value):
    return np.asarray(value.todense() if hasattr(value, "todense") else value)


def sequence_gradients(y, made, operands, at, wrt):
    """Of the sum of the squares, weighted by the place in a step."""
    shape = tuple(d if d >= 0 else 1 for d in y.shape)
    w = numbers(int(np.prod(shape)) if shape else 1, 100, "0.2,1.8", y.dtype).reshape(shape)
    root = C.element_times(C.square(y), C.constant(w))
    lines = []
    try:
        gradients = root.grad({v: at[v] for v in root.arguments}, wrt=wrt)
        if len(wrt) == 1:
            gradients = {wrt[0]: gradients}
        for i, (v, _) in enumerate(made):
            if v in gradients:
                g = gradients[v]
                g = (
                    np.concatenate([dense(s) for s in g])
                    if operands[i].strip()[0] in LENGTHS
                    else dense(g.asarray() if hasattr(g, "asarray") else g)
                )
                lines.append(("d%d" % i, g, operands[i].strip()[0] not in "p"))
    except Exception as e:
        lines.append(("refused gradient: " + str(e).strip().split("\n")[0], None, False))
    return lines


def run(name, op, operands, attributes, dtype):
    made = [operand(o.strip(), i, dtype) for i, o in enumerate(operands)]
    f = function_of(op)(*[v for v, _ in made], **attributes)
    feeds = {v: d for v, d in made if d is not None}
    lines = []
    outputs = f.outputs
    at = {v: feeds[v] for v in f.arguments}
    values = f.eval(at)
    if len(outputs) == 1:
        values = {outputs[0]: values}

    def has_batch(y):
        return any(a.name == "defaultBatchAxis" for a in y.dynamic_axes)

    for i, y in enumerate(outputs):
        if len(y.dynamic_axes) == 2:
            steps = [dense(s) for s in values[y]]
            lines.append(("y%d" % i, np.concatenate(steps), True))
            lines.append(("n%d" % i, np.array([len(s) for s in steps], dtype), True))
            continue
        lines.append(("y%d" % i, dense(values[y]), has_batch(y)))
    wrt = [v for (v, _), o in zip(made, operands) if o.strip()[0] in "bpqvwu"]
    if not wrt:
        return lines
    y = outputs[0]
    if any(o.strip()[0] in LENGTHS for o in operands):
        return lines + sequence_gradients(y, made, operands, at, wrt)
    shape = tuple(d if d >= 0 else SAMPLES for d in y.shape)
    count = int(np.prod(shape)) if shape else 1
    ydtype = y.dtype
    if any(a.name == "defaultBatchAxis" for a in y.dynamic_axes):
        w = C.input_variable(shape, dtype=ydtype, name="w")
        at = dict(at)
        at[w] = numbers(SAMPLES * count, 100, "0.2,1.8", ydtype).reshape((SAMPLES,) + shape)
    else:
        w = C.constant(numbers(count, 100, "0.2,1.8", ydtype).reshape(shape))
    root = C.element_times(y, w)
    inside = [v for v in wrt if v in root.arguments or v in root.parameters]
    if inside:
        sparse = any(o.strip()[0] in "so" for o in operands) and all(
            v.is_parameter for v in inside
        )  # such gradients cannot be read
        try:
            gradients = (
                dict.fromkeys(inside) if sparse else root.grad({v: at[v] for v in root.arguments}, wrt=inside)
            )
            if len(inside) == 1 and not sparse:
                gradients = {inside[0]: gradients}
            for i, (v, _) in enumerate(made):
                if v in gradients:
                    g = gradients[v]
                    g = by_training(root, at, v) if sparse else g.asarray() if hasattr(g, "asarray") else g
                    g = np.asarray(g.todense() if hasattr(g, "todense") else g)
                    lines.append(("d%d" % i, g, operands[i].strip()[0] == "b"))
        except Exception as e:
            lines.append(("refused gradient: " + str(e).strip().split("\n")[0], None, False))
    return lines


def guarded(case, dtype, rounded):
    """In a process of its own: CNTK aborts at times."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        text = ""
        try:
            name, op, operands, attributes = case
            for what, value, batch in run(name, op, operands, attributes, dtype):
                if value is None:
                    text += "%s\n" % what
                    continue
                flat = value.reshape(-1)
                text += "%s %s%s = %s\n" % (
                    what,
                    "#" if batch else "",
                    ",".join(str(d) for d in value.shape),
                    " ".join(
                        ("%.4g" if rounded else "%.9g" if value.dtype == dtype == np.float32 else "%.17g") % x
                        for x in flat
                    ),
                )
        except Exception as e:
            text = "refused: %s: %s\n" % (type(e).__name__, str(e).strip().split("\n")[0])
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    chunks = []
    while True:
        b = os.read(read, 65536)
        if not b:
            break
        chunks.append(b)
    os.close(read)
    _, status = os.waitpid(pid, 0)
    return b"".join(chunks).decode() if status == 0 else "refused: the process died\n"


def parse(line):
    name, op, operands, attributes = [p.strip() for p in line.split("|")][:4]
    inside = eval("dict(%s)" % attributes, {})
    given = [o for o in operands.split(" ") if o]
    return name, op, given, {k: attribute(v) for k, v in inside.items()}


def run_file(name, wanted):
    out = []
    for line in open(os.path.join(HERE, name + "_cases.txt")):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        case = parse(line)
        if wanted and case[0] not in wanted and case[1] not in wanted:
            continue
        out.append("case " + line)
        for dtype in (np.float32, np.float64):
            kind = "f32" if dtype is np.float32 else "f64"
            out += ["%s %s" % (kind, said) for said in guarded(case, dtype, name == "special").splitlines()]
    text = "\n".join(out) + "\n"
    if wanted:
        sys.stdout.write(text)
    else:
        open(os.path.join(HERE, name + "_golden.txt"), "w").write(text)


def main():
    C.cntk_py.set_max_num_cputhreads(1)
    for name in ("ops", "special"):
        run_file(name, sys.argv[1:])


if __name__ == "__main__":
    main()
