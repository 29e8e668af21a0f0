"""mx.callback: what happens behind each batch or epoch: checkpoints, and lines in the log."""

import logging
import math
import sys
import time
from .model import save_checkpoint


def do_checkpoint(prefix, period=1):
    """Writes the model behind every `period` epochs."""
    period = max(1, int(period))

    def behind_epoch(iter_no, sym, arg, aux):
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return behind_epoch


def module_checkpoint(mod, prefix, period=1, save_optimizer_states=False):
    """The same, by the module."""
    period = max(1, int(period))

    def behind_epoch(iter_no, sym=None, arg=None, aux=None):
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return behind_epoch


def log_train_metric(period, auto_reset=False):
    """Logs the metric behind every `period` batches."""

    def behind_batch(param):
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                logging.info('Iter[%d] Batch[%d] Train-%s=%f', param.epoch, param.nbatch, name, value)
            if auto_reset:
                param.eval_metric.reset_local()

    return behind_batch


class Speedometer:
    """Logs samples a second, and the metric, behind every `frequent` batches."""

    def __init__(self, batch_size, frequent=50, auto_reset=True):
        self.batch_size, self.frequent, self.auto_reset = batch_size, frequent, auto_reset
        self.init, self.tic, self.last_count = False, 0, 0

    def __call__(self, param):
        count = param.nbatch
        if self.last_count > count:
            self.init = False
        self.last_count = count
        if not self.init:
            self.init, self.tic = True, time.time()
            return
        if count % self.frequent:
            return
        took = time.time() - self.tic
        speed = self.frequent * self.batch_size / took if took else float('inf')
        if param.eval_metric is None:
            logging.info('Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec', param.epoch, count, speed)
        else:
            pairs = param.eval_metric.get_name_value()
            text = '\t%s=%f' * len(pairs)
            values = [x for pair in pairs for x in pair]
            if self.auto_reset:
                param.eval_metric.reset_local()
                logging.info(
                    'Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec' + text,
                    param.epoch,
                    count - self.frequent,
                    count,
                    speed,
                    *values,
                )
            else:
                logging.info(
                    'Epoch[%d] Batch [0-%d]\tSpeed: %.2f samples/sec' + text,
                    param.epoch,
                    count,
                    speed,
                    *values,
                )
        self.tic = time.time()


class ProgressBar:
    """A bar of how many of `total` batches are done."""

    def __init__(self, total, length=80):
        self.total, self.bar_len = total, length

    def __call__(self, param):
        filled = int(round(self.bar_len * param.nbatch / float(self.total)))
        percents = math.ceil(100.0 * param.nbatch / float(self.total))
        sys.stdout.write('[{}] {}%\r'.format('=' * filled + '-' * (self.bar_len - filled), percents))


class LogValidationMetricsCallback:
    """Logs the metric behind an evaluation."""

    def __call__(self, param):
        for name, value in param.eval_metric.get_name_value() if param.eval_metric else ():
            logging.info('Epoch[%d] Validation-%s=%f', param.epoch, name, value)
