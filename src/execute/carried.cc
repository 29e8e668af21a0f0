#include "execute/carried.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/text.h"

namespace cantik::runtime {

void CarriedRows::resize(int64_t count) {
  sequences = count;
  unknown.clear();
  if (size_t wanted = bytes_of(count, sequence_bytes()); wanted > bytes_) {
    memory_ = allocate_block(wanted);
    bytes_ = wanted;
  }
}

const CarriedRows* Carried::find(const Node* delay, size_t index) const {
  if (index < delays.size() && (delays[index].delay == delay || !delays[index].delay)) return &delays[index];
  auto at =
      std::find_if(delays.begin(), delays.end(), [&](const CarriedRows& r) { return r.delay == delay; });
  return at == delays.end() ? nullptr : &*at;
}

std::shared_ptr<const Carried> CarriedStates::last() const {
  std::lock_guard lock(mutex_);
  return last_;
}

std::shared_ptr<Carried> CarriedStates::spare() {
  std::lock_guard lock(mutex_);
  if (spare_ && alone(spare_)) return std::move(spare_);
  return std::make_shared<Carried>();
}

void CarriedStates::keep(std::shared_ptr<Carried> made) {
  std::lock_guard lock(mutex_);
  spare_ = std::exchange(last_, std::move(made));
}

std::pair<std::shared_ptr<Carried>, std::shared_ptr<Carried>> CarriedStates::take() {
  std::lock_guard lock(mutex_);
  return {std::move(last_), std::move(spare_)};
}

void CarriedStates::put(std::shared_ptr<Carried> last, std::shared_ptr<Carried> spare) {
  std::lock_guard lock(mutex_);
  last_ = std::move(last);
  spare_ = std::move(spare);
}

DictionaryVector CarriedStates::state() const {
  DictionaryVector all;
  if (std::shared_ptr<const Carried> now = last())
    for (const CarriedRows& r : now->delays) {
      Tensor rows(r.dtype, {r.sequences, r.steps, static_cast<int64_t>(r.row_bytes / size_of(r.dtype))});
      if (rows.elements())
        std::memcpy(rows.raw(), r.of(0), static_cast<size_t>(r.sequences) * r.sequence_bytes());
      DictionaryVector unknown;
      for (size_t s = 0; s < r.unknown.size(); ++s)
        if (r.unknown[s]) unknown.push_back(static_cast<uint64_t>(s));
      all.push_back(Dictionary{{"rows", rows}, {"unknown", unknown}});
    }
  return all;
}

void CarriedStates::restore(const DictionaryVector& state) {
  if (state.empty()) return put(nullptr, nullptr);
  auto made = std::make_shared<Carried>();
  for (const DictionaryValue& v : state) {
    const Dictionary& d = v.as<Dictionary>();
    const Tensor& rows = d.at("rows").as<Tensor>();
    if (rows.shape().rank() != 3 || rows.is_sparse())
      throw value_error(
          cat("the checkpoint is damaged: the states of a recurrence have the shape ", rows.shape().text()))
          .remedy("restore another checkpoint");
    CarriedRows& r = made->delays.emplace_back();
    r.dtype = rows.dtype();
    r.steps = rows.shape()[1];
    r.row_bytes = static_cast<size_t>(rows.shape()[2]) * size_of(r.dtype);
    r.resize(rows.shape()[0]);
    if (rows.elements())
      std::memcpy(r.of(0), rows.raw(), static_cast<size_t>(r.sequences) * r.sequence_bytes());
    for (const DictionaryValue& u : d.at("unknown").as<DictionaryVector>()) {
      r.unknown.resize(static_cast<size_t>(r.sequences), 0);
      if (uint64_t s = u.as<uint64_t>(); s < r.unknown.size()) r.unknown[s] = 1;
    }
  }
  put(std::move(made), nullptr);
}

}  // namespace cantik::runtime
