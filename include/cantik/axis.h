// Axes: static ones by their index, dynamic ones (batch, sequence) by their name.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <cantik/api.h>
#include <cantik/axis_code.h>

namespace cantik {

class CANTIK_API Axis {
 public:
  explicit Axis(int64_t static_index) : index_(static_index) {}
  explicit Axis(std::string_view name, bool ordered = true);
  static Axis batch();
  static Axis sequence();  // the default one
  static Axis all();
  static Axis all_static();
  static Axis new_leading() { return Axis(axis_code::kNewLeading); }
  static Axis unknown();
  static Axis operand_sequence();
  static Axis unique(std::string_view prefix);  // a sequence axis of its own
  static Axis of_id(int32_t id) {
    Axis a(axis_code::kDynamic);
    a.id_ = id;
    return a;
  }

  std::string name() const;
  int64_t static_index() const { return index_; }  // axis_code::kDynamic of a dynamic one
  int64_t code() const;                            // as attributes have it
  bool is_static() const { return index_ < axis_code::kAll || index_ == axis_code::kNewLeading; }
  bool is_dynamic() const { return index_ == axis_code::kDynamic; }
  bool is_ordered() const;
  bool is_batch() const { return is_dynamic() && !is_ordered(); }
  bool is_sequence() const { return is_dynamic() && is_ordered(); }
  int32_t id() const { return id_; }  // of a dynamic axis: the same name, the same number
  std::string text() const;           // Axis('defaultBatchAxis')
  friend bool operator==(const Axis& a, const Axis& b) { return a.index_ == b.index_ && a.id_ == b.id_; }

 private:
  int64_t index_;
  int32_t id_ = -1;
};

// Dynamic axes of a value: none, the batch, or the batch and a sequence axis; unknown until a placeholder is
// bound.
class CANTIK_API Axes {
 public:
  Axes() = default;
  Axes(std::initializer_list<Axis> axes) {
    for (const Axis& a : axes) push_back(a);
  }
  static Axes unknown() {
    Axes a;
    a.count_ = -1;
    return a;
  }
  static Axes batch() { return Axes({Axis::batch()}); }
  static Axes sequence() { return Axes({Axis::batch(), Axis::sequence()}); }

  void push_back(const Axis& a);
  bool is_known() const { return count_ >= 0; }
  int size() const { return count_ < 0 ? 0 : count_; }
  bool empty() const { return count_ <= 0; }
  Axis operator[](int i) const {
    if (i < 0 || i >= count_) throw_no_axis(i);
    return Axis::of_id(ids_[i]);
  }
  bool has_batch() const { return count_ > 0; }
  bool has_sequence() const { return count_ > 1; }
  int32_t sequence_id() const { return has_sequence() ? ids_[1] : -1; }
  std::string text() const;  // "[#, *]"
  friend bool operator==(const Axes& a, const Axes& b) {
    if (a.count_ != b.count_) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a.ids_[i] != b.ids_[i]) return false;
    return true;
  }

 private:
  [[noreturn]] void throw_no_axis(int i) const;
  static constexpr int kMost = 4;
  int32_t count_ = 0;
  int32_t ids_[kMost] = {};
};

}  // namespace cantik
