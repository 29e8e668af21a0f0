// Axes: static ones by their index, dynamic ones (batch, sequence) by their name.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <cantik/api.h>
#include <cantik/axis_code.h>

namespace cantik {

// One axis: a static one, by its index in NumPy's order, or a dynamic one, by its name. Two dynamic axes of
// one name are the same axis.
class CANTIK_API Axis {
 public:
  // The static axis of this index; negative ones count from the end.
  explicit Axis(int64_t static_index) : index_(static_index) {}
  // The dynamic axis of this name: of sequences where it is ordered, of a batch otherwise.
  explicit Axis(std::string_view name, bool ordered = true);
  // The batch axis.
  static Axis batch();
  static Axis sequence();  // the default one
  // All axes, static and dynamic, for reductions.
  static Axis all();
  // All static axes, for reductions.
  static Axis all_static();
  // A new static axis before the first one.
  static Axis new_leading() { return Axis(axis_code::kNewLeading); }
  // The dynamic axes of a placeholder that is not bound yet.
  static Axis unknown();
  // The sequence axis that the operand has, whichever it is.
  static Axis operand_sequence();
  static Axis unique(std::string_view prefix);  // a sequence axis of its own
  // The dynamic axis with this id().
  static Axis of_id(int32_t id) {
    Axis a(axis_code::kDynamic);
    a.id_ = id;
    return a;
  }

  // The name of a dynamic axis; of a static one a text with its index.
  std::string name() const;
  int64_t static_index() const { return index_; }  // axis_code::kDynamic of a dynamic one
  int64_t code() const;                            // as attributes have it
  // Whether it is one static axis.
  bool is_static() const { return index_ < axis_code::kAll || index_ == axis_code::kNewLeading; }
  // Whether it is the batch axis or a sequence axis.
  bool is_dynamic() const { return index_ == axis_code::kDynamic; }
  // Whether the order along it counts, as it does along steps of sequences.
  bool is_ordered() const;
  // Whether it counts samples.
  bool is_batch() const { return is_dynamic() && !is_ordered(); }
  // Whether it counts the steps of sequences.
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
  // The batch axis, and the sequence axis behind it, where there is one.
  Axes(std::initializer_list<Axis> axes) {
    for (const Axis& a : axes) push_back(a);
  }
  // Axes that are not known yet.
  static Axes unknown() {
    Axes a;
    a.count_ = -1;
    return a;
  }
  // The batch axis alone.
  static Axes batch() { return Axes({Axis::batch()}); }
  // The batch axis and the default sequence axis.
  static Axes sequence() { return Axes({Axis::batch(), Axis::sequence()}); }

  void push_back(const Axis& a);
  // Whether it is known which axes there are.
  bool is_known() const { return count_ >= 0; }
  int size() const { return count_ < 0 ? 0 : count_; }
  bool empty() const { return count_ <= 0; }
  Axis operator[](int i) const {
    if (i < 0 || i >= count_) throw_no_axis(i);
    return Axis::of_id(ids_[i]);
  }
  // Whether there is a batch axis.
  bool has_batch() const { return count_ > 0; }
  // Whether there is a sequence axis.
  bool has_sequence() const { return count_ > 1; }
  // The id of the sequence axis; -1 where there is none.
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
