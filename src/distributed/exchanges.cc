// What workers exchange: barriers, sums, bytes, tensors, rows.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "distributed/communicator.h"
#include "distributed/rows.h"

namespace cantik {

using distributed::Collective;
using distributed::Waiting;

namespace {

constexpr int64_t kBucket = 25 << 20;  // bytes that are summed at a time

// The parts between offsets.
std::vector<std::string> cut(const std::string& all, std::span<const int64_t> offsets) {
  std::vector<std::string> parts;
  for (size_t i = 0; i + 1 < offsets.size(); ++i)
    parts.push_back(
        all.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i])));
  return parts;
}

}  // namespace

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Communicator::~Communicator() = default;

int64_t Communicator::rank() const { return impl_->rank; }
int64_t Communicator::size() const { return static_cast<int64_t>(impl_->workers.size()); }
const std::vector<WorkerDescriptor>& Communicator::workers() const { return impl_->workers; }
const WorkerDescriptor& Communicator::current_worker() const { return impl_->workers[impl_->rank]; }
std::string Communicator::engine() const { return impl_->engine ? impl_->engine->name() : "none"; }
distributed::Meter& Communicator::meter() const { return impl_->meter; }
int64_t Communicator::exchanges() const { return impl_->position.number; }

void Communicator::barrier() {
  if (!impl_->engine) return;  // a worker that is to be taken in waits at the beginning of its training
  const std::lock_guard lock(impl_->mutex);
  impl_->announce(Collective::barrier, "", 0);
}

void Communicator::sum(std::span<double> numbers, const std::string& name) {
  Impl& m = *impl_;
  if (m.is_alone(Collective::sum, name)) return;
  if (numbers.size_bytes() > sizeof(Impl::Notice::bytes)) {
    const Tensor all =
        Tensor::borrow(DType::float64, {static_cast<int64_t>(numbers.size())}, numbers.data(), nullptr);
    return sum(std::span(&all, 1), name);
  }
  const std::lock_guard lock(m.mutex);
  const std::vector<Impl::Notice> all =
      m.announce(Collective::sum, name, static_cast<int64_t>(numbers.size_bytes()), numbers.data(),
                 numbers.size_bytes());
  for (size_t w = 0; w < all.size(); ++w)
    for (size_t i = 0; i < numbers.size(); ++i) {
      double x;
      std::memcpy(&x, all[w].bytes + i * sizeof x, sizeof x);
      numbers[i] = w == 0 ? x : numbers[i] + x;
    }
}

namespace {

void check_numbers(std::span<const Tensor> tensors, const std::string& name) {
  for (const Tensor& t : tensors)
    if (!t.defined() || t.is_sparse() || (t.dtype() != DType::float32 && t.dtype() != DType::float64))
      throw unsupported(cat("the ", name,
                            " to be exchanged must be dense tensors of float32 or float64, and one is ",
                            t.defined() ? name_of(t.dtype()) : "undefined"))
          .remedy("give the parameters one of these types");
}

int64_t bytes_of(std::span<const Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor& t : tensors) bytes += static_cast<int64_t>(t.bytes());
  return bytes;
}

}  // namespace

void Communicator::sum(std::span<const Tensor> tensors, const std::string& name) {
  Impl& m = *impl_;
  if (m.is_alone(Collective::sum, name)) return;
  check_numbers(tensors, name);
  const std::lock_guard lock(m.mutex);
  m.announce(Collective::sum, name, bytes_of(tensors));
  for (DType type : {DType::float32, DType::float64}) {
    // Tensors side by side, cut into buckets.
    struct Piece {
      char* at;
      int64_t bytes;
    };
    std::vector<Piece> pieces;
    std::vector<char>& bucket = m.packed;
    int64_t filled = 0;
    const auto size = static_cast<int64_t>(size_of(type));
    auto flush = [&] {
      if (filled == 0) return;
      if (pieces.size() == 1) {  // in its place
        m.move([&](const Waiting& w) { return m.summing->run(pieces[0].at, filled / size, type, w); });
      } else {
        if (bucket.size() < static_cast<size_t>(filled)) bucket.resize(static_cast<size_t>(filled));
        char* to = bucket.data();
        for (const Piece& p : pieces) {
          std::memcpy(to, p.at, static_cast<size_t>(p.bytes));
          to += p.bytes;
        }
        m.move([&](const Waiting& w) { return m.summing->run(bucket.data(), filled / size, type, w); });
        const char* from = bucket.data();
        for (const Piece& p : pieces) {
          std::memcpy(p.at, from, static_cast<size_t>(p.bytes));
          from += p.bytes;
        }
      }
      pieces.clear();
      filled = 0;
    };
    for (const Tensor& t : tensors) {
      if (t.dtype() != type) continue;
      char* at = static_cast<char*>(t.raw());
      for (auto left = static_cast<int64_t>(t.bytes()); left > 0;) {
        const int64_t n = std::min(left, kBucket - filled);
        pieces.push_back({at, n});
        at += n;
        left -= n;
        filled += n;
        if (filled == kBucket) flush();
      }
    }
    flush();
  }
}

std::vector<std::string> Communicator::gather(const std::string& bytes, const std::string& name) {
  Impl& m = *impl_;
  if (m.is_alone(Collective::gather, name)) return {bytes};
  const std::lock_guard lock(m.mutex);
  const std::vector<Impl::Notice> notices =
      m.announce(Collective::gather, name, static_cast<int64_t>(bytes.size()));
  const size_t n = notices.size();
  std::vector<int64_t> offsets(n + 1);
  for (size_t i = 0; i < n; ++i) offsets[i + 1] = offsets[i] + notices[i].position.bytes;
  std::string all(static_cast<size_t>(offsets[n]), '\0');
  std::memcpy(all.data() + offsets[m.rank], bytes.data(), bytes.size());
  m.move([&](const Waiting& w) { return m.engine->all_gather(all.data(), offsets.data(), w); });
  return cut(all, offsets);
}

std::vector<std::string> Communicator::all_to_all(const std::vector<std::string>& bytes,
                                                  const std::string& name) {
  Impl& m = *impl_;
  const size_t n = workers().size();
  if (bytes.size() != n)
    throw value_error(
        cat("all_to_all needs bytes for each of ", n, " workers, and was given ", bytes.size()));
  if (m.is_alone(Collective::all_to_all, name)) return bytes;
  const std::lock_guard lock(m.mutex);
  m.announce(Collective::all_to_all, name, 0);
  // sizes[i * n + j]: of what worker i has for worker j
  std::vector<int64_t> sizes(n * n), offsets(n + 1), out(n + 1), in(n + 1);
  const auto rank = static_cast<size_t>(m.rank);
  for (size_t j = 0; j < n; ++j) sizes[rank * n + j] = static_cast<int64_t>(bytes[j].size());
  for (size_t i = 0; i <= n; ++i) offsets[i] = static_cast<int64_t>(i * n * sizeof(int64_t));
  m.move([&](const Waiting& w) {
    return m.engine->all_gather(reinterpret_cast<char*>(sizes.data()), offsets.data(), w);
  });
  std::string send;
  for (size_t i = 0; i < n; ++i) {
    send += bytes[i];
    out[i + 1] = out[i] + sizes[rank * n + i];
    in[i + 1] = in[i] + sizes[i * n + rank];
  }
  std::string received(static_cast<size_t>(in[n]), '\0');
  m.move([&](const Waiting& w) {
    return m.engine->all_to_all(send.data(), out.data(), received.data(), in.data(), w);
  });
  return cut(received, in);
}

void Communicator::broadcast(std::span<const Tensor> tensors, int64_t from, const std::string& name) {
  Impl& m = *impl_;
  if (from < 0 || from >= size())
    throw value_error(cat("there is no worker ", from, " among ", size(), " workers"));
  if (m.is_alone(Collective::broadcast, name)) return;
  for (const Tensor& t : tensors)
    if (!t.defined() || t.is_sparse())
      throw value_error(cat("the ", name, " to be sent must be dense tensors"));
  const std::lock_guard lock(m.mutex);
  m.announce(Collective::broadcast, name, bytes_of(tensors));
  for (const Tensor& t : tensors)
    for (int64_t at = 0, all = static_cast<int64_t>(t.bytes()); at < all; at += kBucket)
      m.move([&](const Waiting& w) {
        return m.engine->broadcast(static_cast<char*>(t.raw()) + at, std::min(kBucket, all - at),
                                   static_cast<int>(from), w);
      });
}

// ---- what is made of these

std::vector<Tensor> Communicator::concatenate(std::span<const Tensor> tensors, const std::string& name) {
  DictionaryVector own;
  for (const Tensor& t : tensors) {
    if (!t.defined() || t.is_sparse() || t.shape().rank() == 0)
      throw value_error(cat("the ", name, " to be concatenated must be dense tensors with an axis"));
    own.push_back(t);
  }
  std::vector<DictionaryVector> all;
  for (const std::string& bytes : gather(DictionaryValue(own).to_bytes(), name))
    all.push_back(DictionaryValue::from_bytes(bytes).as<DictionaryVector>());
  std::vector<Tensor> results;
  for (size_t i = 0; i < own.size(); ++i) {
    const Tensor& mine = tensors[i];
    const Shape item = mine.shape().sub(1, mine.shape().rank());
    int64_t rows = 0;
    for (size_t w = 0; w < all.size(); ++w) {
      const Tensor* t = i < all[w].size() ? all[w][i].get<Tensor>() : nullptr;
      if (!t || t->dtype() != mine.dtype() || !(t->shape().sub(1, t->shape().rank()) == item))
        throw shape_error(cat("the ", name, " to be concatenated must differ in their first axis only"))
            .line("this worker", cat(name_of(mine.dtype()), mine.shape().text()))
            .line(cat("worker ", workers()[w].rank),
                  t ? cat(name_of(t->dtype()), t->shape().text()) : "nothing");
      rows += t->shape()[0];
    }
    const Tensor& result = results.emplace_back(mine.dtype(), Shape{rows} + item);
    char* to = static_cast<char*>(result.raw());
    for (const DictionaryVector& of_worker : all) {
      const Tensor& t = of_worker[i].as<Tensor>();
      std::memcpy(to, t.raw(), t.bytes());
      to += t.bytes();
    }
  }
  return results;
}

std::vector<Value> Communicator::concatenate(std::span<const Value> values, const std::string& name) {
  std::vector<Tensor> rows;
  std::vector<int64_t> lengths;  // of all sequences, behind how many there are; -1: samples
  for (const Value& v : values) {
    if (!v.layout) throw value_error(cat("the ", name, " to be concatenated must have a batch axis"));
    rows.push_back(v.data);
    lengths.push_back(v.layout->is_batch() ? -1 : v.layout->sequences());
    for (int64_t i = 0; !v.layout->is_batch() && i < v.layout->sequences(); ++i)
      lengths.push_back(v.layout->length(i));
  }
  rows = concatenate(rows, name);
  const std::string own(reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof(int64_t));
  std::vector<std::vector<int64_t>> of_values(values.size());
  for (const std::string& bytes : gather(own, cat("lengths of ", name))) {
    std::vector<int64_t> of_worker(bytes.size() / sizeof(int64_t));
    std::memcpy(of_worker.data(), bytes.data(), bytes.size());
    auto at = of_worker.begin();
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t count = at == of_worker.end() ? -2 : *at++;
      if ((count < 0) != values[i].layout->is_batch() || count > of_worker.end() - at)
        throw value_error(
            cat("the ", name, " to be concatenated must be samples, or sequences, in all workers"));
      for (int64_t k = 0; k < count; ++k) of_values[i].push_back(*at++);
    }
  }
  std::vector<Value> results;
  for (size_t i = 0; i < values.size(); ++i)
    results.push_back(values[i].layout->is_batch() ? Value::batch(rows[i])
                                                   : Value::sequences(rows[i], of_values[i]));
  return results;
}

std::vector<Tensor> Communicator::sum_rows(std::span<const Tensor> tensors) {
  std::vector<Tensor> sums;
  for (const Tensor& t : tensors) {
    if (!t.defined() || t.storage() != Storage::row_sparse ||
        (t.dtype() != DType::float32 && t.dtype() != DType::float64))
      throw value_error("rows to be summed must be tensors with few rows, of float32 or float64");
    sums.push_back(distributed::sum_of_rows(*this, t, t.dtype(), t.shape()));
  }
  return sums;
}

CommunicatorPtr Communicator::sub_group(std::vector<int64_t> ranks) {
  Impl& m = *impl_;
  std::sort(ranks.begin(), ranks.end());
  const bool is_known = !ranks.empty() && ranks.front() >= 0 && ranks.back() < size() &&
                        std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
  if (!is_known)
    throw value_error(cat("a group has some of the workers 0 to ", size() - 1, ", each once, and not: ",
                          join(ranks, ", ", [](int64_t r) { return std::to_string(r); })))
        .remedy("give workers of this communicator");
  const std::string name = join(ranks, ",", [](int64_t r) { return std::to_string(r); });
  if (m.is_alone(Collective::part, name)) return std::make_shared<Communicator>(std::make_unique<Impl>());
  std::unique_ptr<Impl> group;
  {
    const std::lock_guard lock(m.mutex);
    m.announce(Collective::part, name, static_cast<int64_t>(ranks.size()));
    const std::vector<int> members(ranks.begin(), ranks.end());
    m.move([&](const Waiting& w) {
      std::unique_ptr<distributed::Engine> engine;
      const int status = m.engine->part(members, engine, w);
      // They meet while this communicator's watch says who lives.
      if (engine) group = std::make_unique<Impl>(std::move(engine), m.patience, m.job);
      return status;
    });
  }
  if (!group) return nullptr;
  for (size_t i = 0; i < ranks.size(); ++i) group->workers[i].rank = workers()[ranks[i]].rank;
  return std::make_shared<Communicator>(std::move(group));
}

}  // namespace cantik
