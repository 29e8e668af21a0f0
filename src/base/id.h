// Ids: places in tables, each kind of table with a type of place of its own, so that the place of a node
// cannot be taken for that of a value, nor for a count.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace cantik {

// The place of a Thing in its table, or none.
template <class Thing>
class Id {
 public:
  constexpr Id() = default;
  template <std::integral Number>
  constexpr explicit Id(Number place) : place_(static_cast<int32_t>(place)) {}

  constexpr explicit operator bool() const { return place_ >= 0; }
  constexpr int32_t number() const { return place_; }  // -1: none
  constexpr size_t index() const { return static_cast<size_t>(place_); }
  constexpr Id& operator++() { return ++place_, *this; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  int32_t place_ = -1;
};

// Where a thing with this number or id stands in a list.
constexpr size_t index_of(int32_t number) { return static_cast<size_t>(number); }
template <class Thing>
constexpr size_t index_of(Id<Thing> id) {
  return id.index();
}

// The first ids of a table, in order: for loops.
template <class I>
class IdRange {
 public:
  constexpr IdRange(I begin, I end) : begin_(begin), end_(end) {}
  struct Iterator {
    using value_type = I;
    using difference_type = std::ptrdiff_t;

    I id;
    constexpr I operator*() const { return id; }
    constexpr Iterator& operator++() { return ++id, *this; }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      return ++id, before;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;
  };
  constexpr Iterator begin() const { return {begin_}; }
  constexpr Iterator end() const { return {end_}; }

 private:
  I begin_, end_;
};

// A list that is indexed by ids of one kind. What is known of each node of a graph is a ById<NodeId, T>.
template <class I, class T>
class ById : public std::vector<T> {
 public:
  using std::vector<T>::vector;

  T& operator[](I id) { return std::vector<T>::operator[](id.index()); }
  const T& operator[](I id) const { return std::vector<T>::operator[](id.index()); }
  bool has(I id) const { return id && id.index() < this->size(); }
  I end_id() const { return I(this->size()); }  // of the next that is added
  IdRange<I> ids() const { return {I(0), end_id()}; }
  IdRange<I> ids_from(I first) const { return {first, end_id()}; }
  I add(T thing) {
    this->push_back(std::move(thing));
    return I(this->size() - 1);
  }
};

}  // namespace cantik

template <class Thing>
struct std::hash<cantik::Id<Thing>> {
  size_t operator()(cantik::Id<Thing> id) const { return std::hash<int32_t>()(id.number()); }
};
