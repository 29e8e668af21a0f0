#include "execute/rows.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "base/text.h"
#include "graph/node.h"

namespace cantik::runtime {

void check_same_rows(const Variable& a, const Layout& x, const Variable& b, const Layout& y) {
  if (x.has_lengths_of(y)) return;
  if (x.sequences() != y.sequences())
    throw value_error(cat("the inputs have different numbers of ", x.is_batch() ? "samples" : "sequences",
                          ": ", a.text(), " has ", x.sequences(), ", ", b.text(), " has ", y.sequences()))
        .remedy("feed the same samples to all inputs");
  int64_t i = 0;
  while (x.length(i) == y.length(i)) ++i;
  throw value_error(cat("inputs on one sequence axis have sequences of different lengths: sequence ", i,
                        " of ", a.text(), " has ", x.length(i), " steps, of ", b.text(), " ", y.length(i)))
      .remedy("feed sequences of the same lengths, or give the inputs different sequence axes");
}

namespace {

// The rows of a value as an input on these axes has them: samples are sequences of one step, and such
// sequences are samples.
std::shared_ptr<const Layout> layout_on(const Axes& axes, const std::shared_ptr<const Layout>& given) {
  if (given->is_batch() != axes.has_sequence()) return given;
  if (!given->is_batch()) return Layout::batch(given->sequences());
  return Layout::of_lengths(std::vector<int64_t>(static_cast<size_t>(given->sequences()), 1));
}

// Layouts of one run while they are found: for each space, and the input it came from.
struct Binding {
  const Program& p;
  const std::vector<Variable>& leaves;
  std::vector<RowSpace>& spaces;
  SmallVector<int32_t, 8> from;

  const Variable& leaf_at(int32_t leaf) const {
    const size_t i = static_cast<size_t>(leaf);
    return i < leaves.size() ? leaves[i] : p.graph.leaves[i - leaves.size()];
  }
  const Variable& origin(size_t space) const { return leaf_at(from[space]); }
  const Space& about(size_t space) const { return p.spaces[space]; }

  void take_feeds(const std::vector<const Value*>& feeds) {
    for (size_t s = 1; s < spaces.size(); ++s)
      for (int32_t leaf : about(s).feeds) {
        const Value* v = feeds[leaf];
        if (!v) continue;
        const std::shared_ptr<const Layout> given = layout_on(about(s).axes, v->layout);
        if (!spaces[s].layout) {
          spaces[s].layout = given, from[s] = leaf;
          continue;
        }
        check_same_rows(origin(s), *spaces[s].layout, leaf_at(leaf), *given);
        join_parts(s, leaf, given);
      }
  }

  // One input on an axis may say for all which sequences go on with those of the last minibatch.
  void join_parts(size_t s, int32_t leaf, const std::shared_ptr<const Layout>& given) {
    std::span<const int32_t> known = spaces[s].layout->continues(), more = given->continues();
    if (more.empty() || given == spaces[s].layout) return;
    if (known.empty()) {
      spaces[s].layout = given, from[s] = leaf;
      return;
    }
    size_t i = 0;
    while (i < more.size() && known[i] == more[i]) ++i;
    if (i == more.size()) return;
    auto told = [](int32_t from) {
      return from < 0 ? std::string("it begins") : cat("it goes on with #", from, " of the last minibatch");
    };
    throw value_error(cat("inputs on one sequence axis differ in how sequence ", i, " begins: for ",
                          origin(s).text(), " ", told(known[i]), ", for ", leaf_at(leaf).text(), " ",
                          told(more[i])))
        .remedy("give the start flags to one of the inputs, or the same to all");
  }

  // Sequences say how many samples there are, where no input does.
  void join_batches() {
    for (size_t s = 1; s < spaces.size(); ++s) {
      if (!spaces[s].layout || about(s).batch < 0) continue;
      size_t b = static_cast<size_t>(about(s).batch);
      if (!spaces[b].layout) {
        spaces[b].layout = Layout::batch(spaces[s].layout->sequences());
        from[b] = from[s];
      } else if (about(s).meets_batch && spaces[b].layout->rows() != spaces[s].layout->sequences()) {
        throw value_error(cat("the inputs have different numbers of samples: ", origin(b).text(), " has ",
                              spaces[b].layout->rows(), ", ", origin(s).text(), " has ",
                              spaces[s].layout->sequences(), " sequences"))
            .remedy("feed the same samples to all inputs");
      }
    }
  }

  // Batches whose sizes the types know; and those that nothing speaks of: they have as many samples as the
  // inputs, or one.
  void complete_batches() {
    for (size_t s = 1; s < spaces.size(); ++s) {
      if (about(s).axes.has_sequence() || spaces[s].layout || about(s).made_from >= 0) continue;
      const int64_t samples = p.graph.samples_of(about(s).axes[0]);
      spaces[s].layout = Layout::batch(samples < 0 ? 1 : samples);
    }
  }

  // Sequences whose lengths neither an input states nor the run: a recurrence that reads nothing but its own
  // state.
  void want_lengths() const {
    for (size_t s = 1; s < spaces.size(); ++s)
      if (!spaces[s].layout && about(s).made_from < 0 && !about(s).operands.empty())
        throw value_error(cat("the lengths of the sequences on the axes ", about(s).axes.text(),
                              " are unknown: no input that is read has these axes"))
            .remedy(
                "let the recurrence read an input on that axis, or take its axes from one: "
                "reconcile_dynamic_axes(x, like)");
  }

  // Rows that the run makes, from those they are made of: a chain at most as long as there are spaces.
  void bound_the_rest(const std::vector<int64_t>& grown) {
    bool any = false;
    for (size_t s = 0; s < spaces.size(); ++s) {
      spaces[s].most = spaces[s].layout ? spaces[s].layout->rows() : 1;
      any |= about(s).made_from >= 0;
    }
    for (size_t round = 0; any && round < spaces.size(); ++round)
      for (size_t s = 1; s < spaces.size(); ++s) {
        if (spaces[s].layout || about(s).made_from < 0) continue;
        size_t origin = static_cast<size_t>(about(s).made_from);
        int32_t batch = about(origin).axes.has_sequence() ? about(origin).batch : about(s).made_from;
        int64_t sequences =
            batch >= 0 && spaces[batch].layout ? spaces[batch].layout->rows() : spaces[origin].most;
        spaces[s].most = std::max(
            spaces[origin].most * about(s).most_rows_per_row + sequences * about(s).most_rows_per_sequence,
            s < grown.size() ? grown[s] : 0);
      }
  }
};

}  // namespace

void find_rows(const Program& p, const std::vector<Variable>& leaves, const std::vector<const Value*>& feeds,
               const std::vector<int64_t>& grown, std::vector<RowSpace>& spaces) {
  spaces.assign(p.spaces.size(), {});
  Binding binding{p, leaves, spaces, {}};
  for (size_t s = 0; s < spaces.size(); ++s) binding.from.push_back(-1);
  binding.take_feeds(feeds);
  binding.join_batches();
  binding.complete_batches();
  binding.want_lengths();
  binding.bound_the_rest(grown);
}

}  // namespace cantik::runtime
