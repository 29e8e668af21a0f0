// What is kept from run to run so that the next one is quicker: plans, programs, what binds them to a graph,
// frames, packed weights. They lie on shelves. All shelves of the process share one policy and one budget in
// bytes (<cantik/memory.h>): beyond it the things that were used longest ago go, whatever they are. Things in
// use stay, since nothing would be freed. So do those used since the last kSpared were made: a model may need
// more than the budget for each of its steps. Older things have a quarter of the budget even then.
//
// Time is counted in things made. A hit reads that clock and writes no memory that threads share, except
// the shelf's own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <cantik/memory.h>

namespace cantik::runtime {

// Bytes that a thing takes, counted for as long as it is there.
class Charge {
 public:
  Charge() = default;
  Charge(Charge&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() { set(0); }
  void set(size_t bytes);
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

class Shelf {
 public:
  Shelf(const Shelf&) = delete;
  static constexpr uint64_t kSpared = 16;
  // Something was made that shelves keep: time goes on, and there may have to be room for it. No shelf's lock
  // is held.
  static void made();

 protected:
  Shelf() = default;
  ~Shelf() = default;
  // Of each derived class: last of all when it is made, and first of all when it goes. In between other
  // threads may ask it what may be dropped.
  void enter();
  void leave();
  static uint64_t now();

  struct Thing {
    uint64_t used;
    size_t bytes;
  };
  // Things that may go are added to the list.
  virtual void list(std::vector<Thing>& things) = 0;
  // Those among them that were used last at this time or before go to `dropped`.
  virtual void drop(uint64_t until, std::vector<std::shared_ptr<const void>>& dropped) = 0;

  std::mutex mutex_;

 private:
  struct Room;
  static Room& room();
  friend class Charge;
  friend CacheUse cantik::cache_use();
  friend void cantik::set_cache_budget(size_t);
};

// Things by key; several of one key where they are taken away for use. `T` says its `bytes()`, and whether it
// `may_go()`.
template <class Key, class T>
class ShelfOf final : public Shelf {
 public:
  ShelfOf() { enter(); }
  ~ShelfOf() { leave(); }

  // The thing that was put there last under this key, if it is as the caller needs it.
  template <class K, class Is>
  std::shared_ptr<T> find(const K& key, Is&& is) {
    std::lock_guard lock(mutex_);
    for (size_t i = entries_.size(); i-- > 0;)
      if (entries_[i].key == key && is(*entries_[i].thing)) return use(i).thing;
    return nullptr;
  }
  template <class K>
  std::shared_ptr<T> find(const K& key) {
    return find(key, [](const T&) { return true; });
  }

  // The same, which is then the caller's alone.
  template <class K>
  std::shared_ptr<T> take(const K& key) {
    std::lock_guard lock(mutex_);
    for (size_t i = entries_.size(); i-- > 0;)
      if (entries_[i].key == key) {
        std::shared_ptr<T> thing = std::move(use(i).thing);
        entries_.pop_back();
        return thing;
      }
    return nullptr;
  }

  void give_back(Key key, std::shared_ptr<T> thing) {
    std::lock_guard lock(mutex_);
    entries_.push_back({std::move(key), std::move(thing), now()});
  }

  // A new thing, unless another thread has put one there in the meantime: that one then.
  std::shared_ptr<T> add(const Key& key, std::shared_ptr<T> thing) {
    {
      std::lock_guard lock(mutex_);
      for (Entry& e : entries_)
        if (e.key == key) return e.thing;
      entries_.push_back({key, thing, now()});
    }
    made();
    return thing;
  }

  void clear() {
    std::vector<Entry> removed;  // destroyed without the lock
    std::lock_guard lock(mutex_);
    std::swap(removed, entries_);
  }

  // The things under this key that the caller no longer needs.
  template <class K, class Is>
  void remove(const K& key, Is&& is) {
    std::vector<std::shared_ptr<T>> removed;  // destroyed without the lock
    std::lock_guard lock(mutex_);
    for (size_t i = entries_.size(); i-- > 0;)
      if (entries_[i].key == key && is(*entries_[i].thing)) {
        removed.push_back(std::move(use(i).thing));
        entries_.pop_back();
      }
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<T> thing;
    uint64_t used;
  };
  // What is used stands last, where it is found at once.
  Entry& use(size_t i) {
    if (i + 1 < entries_.size()) std::swap(entries_[i], entries_.back());
    entries_.back().used = now();
    return entries_.back();
  }
  static bool may_go(const Entry& e) { return e.thing.use_count() == 1 && e.thing->may_go(); }

  void list(std::vector<Thing>& things) override {
    std::lock_guard lock(mutex_);
    for (const Entry& e : entries_)
      if (may_go(e)) things.push_back({e.used, e.thing->bytes()});
  }
  void drop(uint64_t until, std::vector<std::shared_ptr<const void>>& dropped) override {
    std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](Entry& e) {
      if (e.used > until || !may_go(e)) return false;
      dropped.push_back(std::move(e.thing));
      return true;
    });
  }

  std::vector<Entry> entries_;
};

}  // namespace cantik::runtime
