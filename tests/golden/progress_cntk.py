"""What CNTK 2.7's ProgressPrinter prints, for tests/unit/train/progress_test.cc:  python progress_cntk.py >
progress_cntk.inc

Each block begins with a line `## name`; the test makes the same printer and the same calls. Times that passed
are cut off.
"""

import contextlib
import io
import os
import re
import tempfile

from cntk.logging import ProgressPrinter

PRINTERS = {
    "default": {},
    "every": dict(freq=1),
    "table": dict(freq=0),
    "table_epochs": dict(freq=0, tag="T", num_epochs=3),
    "no_percent": dict(freq=10, tag="Training", num_epochs=5, metric_is_pct=False),
    "table_first": dict(freq=0, first=3, metric_is_pct=False),
    "test_table": dict(freq=1, test_freq=0),
    "rank": dict(test_freq=1, rank=0, tag="A"),
    "heartbeat": dict(freq=5, gen_heartbeat=True),
}
OWN_LOOPS = {
    "own_default": {},
    "own_2": dict(freq=2),
    "own_table": dict(freq=0),
    "own_first": dict(freq=2, first=1, num_epochs=4, tag="Z", metric_is_pct=False),
    "own_table_first": dict(freq=0, first=2),
}
FILES = {
    "file": dict(freq=1, log_to_file="a.log"),
    "file_table": dict(freq=0, log_to_file="b.log", num_epochs=3, tag="T"),
    "file_rank": dict(freq=1, log_to_file="c.log", rank=2, num_epochs=2),
    "file_heartbeat": dict(freq=1, log_to_file="d.log", gen_heartbeat=True, num_epochs=1),
}
UPDATES = [
    (0, 1, 32, 114.43, 18),
    (1, 3, 64, 40.277, 26),
    (3, 7, 128, 91.5, 60),
    (7, 15, 256, 1e-5, 0),
    (15, 31, 512, 123456.0, 300),
    (31, 63, 1000, 1e9, 1000),
    (63, 127, 10000, -5.5, 10000),
    (127, 99999, 5, float("nan"), float("inf")),
    (0, 0, 0, 1, 1),
]
NUMBERS = [
    0.1,
    1e-9,
    123456789.125,
    1.0,
    1e16,
    1e15,
    123456789012345680.0,
    1e-4,
    1e-5,
    0.00012345,
    float("inf"),
    float("nan"),
    -0.0,
    5e-324,
    1 / 3,
    100.0,
    1e22,
    1.5e300,
]


def calls(pp):
    samples, loss, metric = 0, 0.0, 0.0
    for first, last, n, dl, dm in UPDATES:
        pp.on_write_training_update(
            (samples, samples + n), (first, last), (loss, loss + dl), (metric, metric + dm)
        )
        samples, loss, metric = samples + n, loss + dl, metric + dm
    pp.on_training_update_end()
    pp.on_training_update_end()
    samples, metric = 0, 0.0
    for first, last, n, _, dm in UPDATES[:4]:
        pp.on_write_test_update((samples, samples + n), (first, last), (metric, metric + dm))
        samples, metric = samples + n, metric + dm
    pp.on_write_distributed_sync_update((0, 32), (0, 1), (0.0, 3.0))
    pp.on_write_training_summary(20000, 625, 1, 6887.98, 2516.0, 521)
    pp.on_write_training_summary(20000, 625, 2, 6887.98, 2516.0, 0)
    pp.on_write_training_summary(0, 0, 3, 0.0, 0.0, 5)
    pp.on_write_training_summary(20000, 625, 14, 6887.98, 2516.0, 123456789)
    pp.on_write_test_summary(1024, 32, 1, 83.0, 12)
    pp.on_write_test_summary(0, 0, 2, 0.0, 0)
    for x in NUMBERS:
        pp.write("key", x)
    pp.log("a message")
    pp.end_progress_print("done")
    pp.end_progress_print()


def own_loop(pp):
    for i in range(7):
        pp.update(1.5 + i, 10, 0.25)
        pp.log(
            "%s %s %s %s"
            % (
                pp.avg_loss_since_start(),
                pp.avg_metric_since_start(),
                pp.avg_loss_since_last(),
                pp.avg_metric_since_last(),
            )
        )
    pp.update(1.0, 10)
    pp.log(str(pp.epoch_summary(with_metric=True)))
    for i in range(3):
        pp.update(1.5 + i, 10)
    pp.log(str(pp.epoch_summary()))
    pp.log(str(pp.epoch_summary(with_metric=True)))


def show(name, text):
    print("## " + name)
    print(re.sub(r" [0-9.]+s \( *[0-9.]+ samples/s\);", "", text) if name.startswith("own") else text, end="")


print('R"TEXT(')
for name, options in PRINTERS.items():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        calls(ProgressPrinter(**options))
    show(name, text.getvalue())
for name, options in OWN_LOOPS.items():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        own_loop(ProgressPrinter(**options))
    show(name, text.getvalue())
os.chdir(tempfile.mkdtemp())
for name, options in FILES.items():
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        calls(ProgressPrinter(**options))
    show(name, text.getvalue())
    (file,) = list(os.listdir("."))
    show(name + "_content", open(file).read())
    os.remove(file)
print(')TEXT"')
