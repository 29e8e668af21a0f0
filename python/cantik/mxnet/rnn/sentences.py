"""Sentences as numbers, in batches of sentences of about the same length."""

from __future__ import annotations

import bisect
import random
import warnings
from typing import Any

import numpy as np

from ..base import as_dtype
from ..io.batch import DataBatch, DataDesc, DataIter
from ..ndarray import array


def encode_sentences(
    sentences: Any,
    vocab: Any = None,
    invalid_label: float = -1,
    invalid_key: str = '\n',
    start_label: float = 0,
    unknown_token: Any = None,
) -> tuple[Any, ...]:
    """Numbers of the words of sentences, and the vocabulary, {word: number}.

    Without a vocabulary one is made, whose words are numbered as they come, from start_label on and without
    invalid_label, which is that of invalid_key. With one, words that it has not are those of unknown_token,
    and an AssertionError if there is none.
    """
    made = vocab is None
    vocab = {invalid_key: invalid_label} if made else vocab
    free = start_label

    def number(word):
        nonlocal free
        if word not in vocab:
            if not made and not unknown_token:
                raise AssertionError(f'Unknown token {word}')
            word = unknown_token or word
        if word not in vocab:
            taken = {invalid_label} if made else set(vocab.values())
            while free in taken:
                free += 1
            vocab[word] = free
            free += 1
        return vocab[word]

    return [[number(word) for word in sentence] for sentence in sentences], vocab


class BucketSentenceIter(DataIter):
    """Batches for language models: each sentence is in the smallest bucket that it fits into, filled up with
    invalid_label; labels are the following words.

    layout: 'NT' or 'TN', batch and steps. The batches come in another order in each round.
    """

    def __init__(
        self,
        sentences: Any,
        batch_size: int,
        buckets: Any = None,
        invalid_label: float = -1,
        data_name: str = 'data',
        label_name: str = 'softmax_label',
        dtype: Any = 'float32',
        layout: str = 'NT',
    ):
        super().__init__(batch_size)
        if not buckets:
            counts = np.bincount([len(s) for s in sentences])
            buckets = [length for length, count in enumerate(counts) if count >= batch_size]
        if not buckets:
            raise ValueError(f'no length has the {batch_size} sentences of a batch: name buckets')
        if layout not in ('NT', 'TN'):
            raise ValueError(f'Invalid layout {layout}: Must by NT (batch major) or TN (time major)')
        self.buckets = sorted(buckets)
        self.data_name, self.label_name, self.invalid_label, self.layout = (
            data_name,
            label_name,
            invalid_label,
            layout,
        )
        self.dtype, self.major_axis = as_dtype(dtype), layout.find('N')
        lists, discarded = [[] for _ in self.buckets], 0
        for sentence in sentences:
            place = bisect.bisect_left(self.buckets, len(sentence))
            if place == len(self.buckets):
                discarded += 1
                continue
            lists[place].append(list(sentence) + [invalid_label] * (self.buckets[place] - len(sentence)))
        if discarded:
            warnings.warn(f'discarded {discarded} sentences longer than the largest bucket.', stacklevel=2)
        self.data = [
            np.asarray(rows, self.dtype).reshape(-1, length) for rows, length in zip(lists, self.buckets)
        ]
        self.default_bucket_key = max(self.buckets)
        self.provide_data = self._described(data_name, self.default_bucket_key)
        self.provide_label = self._described(label_name, self.default_bucket_key)
        self.idx = [
            (i, j)
            for i, rows in enumerate(self.data)
            for j in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.reset()

    def _described(self, name, length):
        shape = (self.batch_size, length) if self.layout == 'NT' else (length, self.batch_size)
        return [DataDesc(name, shape, layout=self.layout)]  # of float32 in MXNet, whatever the words are

    def reset(self) -> None:
        self.curr_idx = 0
        random.shuffle(self.idx)
        for rows in self.data:
            np.random.shuffle(rows)

    def next(self) -> DataBatch:
        if self.curr_idx == len(self.idx):
            raise StopIteration
        i, j = self.idx[self.curr_idx]
        self.curr_idx += 1
        length = self.buckets[i]
        data = self.data[i][j : j + self.batch_size]
        label = np.full_like(data, self.invalid_label)
        label[:, :-1] = data[:, 1:]
        arrays = [array(v.T if self.layout == 'TN' else v, dtype=self.dtype) for v in (data, label)]
        return DataBatch(
            arrays[:1],
            arrays[1:],
            pad=0,
            bucket_key=length,
            provide_data=self._described(self.data_name, length),
            provide_label=self._described(self.label_name, length),
        )
