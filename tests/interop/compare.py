# Models of CNTK 2.7 in Cantik, and of Cantik in CNTK 2.7: the same scores both ways.
#
#   python compare.py MODEL_TOOL [CASE...]      run by a Python that has CNTK 2.7
#
# Each case of models.py is built and saved by CNTK, loaded and evaluated by Cantik, saved again by Cantik,
# and loaded and evaluated by CNTK. Then the models that Cantik builds itself (model_tool list) go the other
# way. float32 has to agree to 1e-5 of the largest score, float64 to 1e-12.
import os
import subprocess
import sys
import tempfile

import cntk as C
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import models
import recurrences


class Unsupported(Exception):
    pass


def tool(*arguments):
    r = subprocess.run(
        (TOOL,) + arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
        timeout=120,
    )
    if r.returncode:
        text = r.stderr.strip() or "status %d" % r.returncode
        raise (Unsupported if "cannot be run: this program does not have it" in text else RuntimeError)(text)
    return r.stdout


def scores(model, inputs):
    values = model.eval(dict(zip(model.arguments, feeds(model, inputs))))
    if len(model.outputs) == 1:
        return [all_rows(values)]
    return [all_rows(values[o]) for o in model.outputs]


def all_rows(values):
    return (
        np.concatenate(values) if isinstance(values, list) else np.asarray(values)
    )  # sequences one behind the other


def feeds(model, inputs):
    return [one_hot(x, v.shape[0]) if v.is_sparse else x for v, x in zip(model.arguments, inputs)]


def one_hot(x, classes):
    return C.Value.one_hot([np.atleast_1d(np.argmax(r, -1)).tolist() for r in x], classes)


def cantik_scores(path, inputs, folder):
    for i, x in enumerate(inputs):
        lengths = os.path.join(folder, "in%d.lengths.npy" % i)
        if isinstance(x, list):
            np.save(lengths, np.array([len(s) for s in x], x[0].dtype))
        elif os.path.exists(lengths):
            os.remove(lengths)
        np.save(os.path.join(folder, "in%d.npy" % i), np.ascontiguousarray(all_rows(x)))
    tool("eval", path, folder)
    outs = []
    while os.path.exists(os.path.join(folder, "out%d.npy" % len(outs))):
        outs.append(np.load(os.path.join(folder, "out%d.npy" % len(outs))))
        os.remove(os.path.join(folder, "out%d.npy" % (len(outs) - 1)))
    return outs


def check(name, wanted, got):
    if len(wanted) != len(got):
        raise RuntimeError("%s: %d outputs instead of %d" % (name, len(got), len(wanted)))
    worst = 0
    for i, (w, g) in enumerate(zip(wanted, got)):
        w = w.reshape(g.shape) if w.size == g.size else w
        if w.shape != g.shape:
            raise RuntimeError("%s: output %d has the shape %s instead of %s" % (name, i, g.shape, w.shape))
        error = np.abs(w.astype(float) - g.astype(float)).max() / max(1, np.abs(w).max()) if w.size else 0
        if not error <= (1e-12 if w.dtype == np.float64 else 1e-5):
            raise RuntimeError("%s: output %d differs by %g of the largest score" % (name, i, error))
        worst = max(worst, error)
    return worst


def from_cntk(name):
    np.random.seed(1)
    C.cntk_py.reset_random_seed(1)
    model, inputs = models.CASES[name]()
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = os.path.join(folder, "cntk.model"), os.path.join(folder, "cantik.model")
        model.save(theirs)
        wanted = scores(model, inputs)
        worst = check("loaded by Cantik", wanted, cantik_scores(theirs, inputs, folder))
        tool("save", theirs, ours)
        again = C.Function.load(ours)
        worst = max(worst, check("saved by Cantik, loaded by CNTK", wanted, scores(again, inputs)))
        worst = max(worst, check("saved and loaded by Cantik", wanted, cantik_scores(ours, inputs, folder)))
        for kind in ("parameters", "constants", "arguments"):
            a, b = [[(v.name, v.uid, v.shape) for v in getattr(m, kind)] for m in (model, again)]
            if a != b:
                raise RuntimeError("the %s differ after a round trip: %s and %s" % (kind, a, b))
    return worst


def from_cantik(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        tool("make", name, path)
        model = C.Function.load(path)
        inputs = []
        np.random.seed(1)
        for v in model.arguments:
            if len(v.dynamic_axes) > 1:
                inputs.append(
                    recurrences.symbols(v.shape[0])
                    if v.is_sparse
                    else recurrences.steps(v.shape[0], dtype=v.dtype)
                )
            else:
                inputs.append(
                    models.one_hot(v.shape[0], dtype=v.dtype)
                    if v.is_sparse
                    else models.rows(v.shape, dtype=v.dtype)
                )
        return check("made by Cantik", scores(model, inputs), cantik_scores(path, inputs, folder))


def main():
    wanted = sys.argv[2:]
    cases = [(from_cntk, n) for n in models.CASES] + [(from_cantik, n) for n in tool("list").split()]
    failed = missing = 0
    for f, name in cases:
        if wanted and name not in wanted:
            continue
        try:
            print("%-12s %-24s agrees, %.1e" % (f.__name__, name, f(name)))
        except Unsupported as e:
            missing += 1
            print("%-12s %-24s not yet: %s" % (f.__name__, name, str(e).split("\n")[0]))
        except Exception as e:
            failed += 1
            print("%-12s %-24s FAILED: %s" % (f.__name__, name, str(e).split("[CALL STACK]")[0].strip()))
        sys.stdout.flush()
    print("%d failed, %d not yet" % (failed, missing))
    return 1 if failed or missing else 0


TOOL = sys.argv[1]
sys.exit(main())
