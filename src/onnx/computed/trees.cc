// Sums over trees of decisions (the domain ai.onnx.ml): at each node a feature is compared with a number, the
// leaf that is reached adds to targets.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"
#include "onnx/computed/scores.h"
#include "onnx/numbers.h"

namespace cantik::onnx {
namespace {

enum class Compares { at_most, below, at_least, above, equal, unequal, member };
enum class Aggregate { average = 0, sum = 1, least = 2, greatest = 3 };

struct TreeNode {
  Compares how = Compares::at_most;
  int64_t feature = 0, yes = -1, no = -1;
  double split = 0;
  bool missing_is_yes = false;
  bool is_leaf = false;
  std::vector<double> members;
  std::vector<std::pair<int64_t, double>> adds;  // of a leaf: to a target, so much
};

struct Forest {
  std::vector<int64_t> roots;
  std::vector<TreeNode> nodes;
  std::vector<double> base;  // of each target, or none
  int64_t targets = 1;
  Aggregate sums = Aggregate::sum;

  const TreeNode& node(int64_t i) const {
    if (i < 0 || static_cast<size_t>(i) >= nodes.size())
      throw value_error("the nodes of a tree lead nowhere");
    return nodes[i];
  }
  const TreeNode& leaf(int64_t root, const double* x, int64_t features) const {
    const TreeNode* at = &node(root);
    for (size_t steps = 0; !at->is_leaf; ++steps) {
      if (steps > nodes.size()) throw value_error("the nodes of a tree lead nowhere");
      if (at->feature < 0 || at->feature >= features)
        throw value_error(cat("a tree reads the feature ", at->feature, " of ", features));
      at = &node(is_yes(*at, x[at->feature]) ? at->yes : at->no);
    }
    return *at;
  }
  // x: [rows, features]; y: [rows, targets]
  Array scores(const Array& x) const {
    const int64_t rows = x.dims.at(0), features = x.dims.at(1);
    Array y = sized({rows, targets});
    std::vector<int64_t> count(static_cast<size_t>(targets));
    for (int64_t r = 0; r < rows; ++r) {
      std::fill(count.begin(), count.end(), 0);
      double* to = y.numbers.data() + r * targets;
      for (int64_t root : roots)
        for (const auto& [target, weight] : leaf(root, x.numbers.data() + r * features, features).adds)
          add(to[target], weight, count[target]++ == 0);
      for (int64_t t = 0; t < targets; ++t) {
        if (sums == Aggregate::average) to[t] /= static_cast<double>(roots.size());
        if (!base.empty()) to[t] += base[t];
      }
    }
    return y;
  }

 private:
  static bool is_yes(const TreeNode& n, double x) {
    if (std::isnan(x) && n.missing_is_yes) return true;
    switch (n.how) {
      case Compares::at_most: return x <= n.split;
      case Compares::below: return x < n.split;
      case Compares::at_least: return x >= n.split;
      case Compares::above: return x > n.split;
      case Compares::equal: return x == n.split;
      case Compares::unequal: return x != n.split;
      case Compares::member: return std::find(n.members.begin(), n.members.end(), x) != n.members.end();
    }
    return false;
  }
  void add(double& sum, double weight, bool first) const {
    if (first)
      sum = weight;
    else if (sums == Aggregate::least)
      sum = std::min(sum, weight);
    else if (sums == Aggregate::greatest)
      sum = std::max(sum, weight);
    else
      sum += weight;
  }
};

// Numbers of an attribute that is a tensor.
std::vector<double> tensor_in(const ComputedNode& n, std::string_view name) {
  const AttributeRecord* a = n.node.find(name);
  if (!a || a->tensors.empty()) return {};
  const KnownNumbers k = known_of(a->tensors[0], {});
  return k.whole ? std::vector<double>(k.integers.begin(), k.integers.end()) : k.reals;
}
// Real numbers: a list, or a tensor of wider ones.
std::vector<double> numbers_in(const ComputedNode& n, const std::string& name) {
  const std::vector<double> wide = tensor_in(n, name + "_as_tensor");
  return wide.empty() ? n.reals(name) : wide;
}
void check_lengths(std::string_view what, size_t length, std::initializer_list<size_t> others) {
  for (size_t s : others)
    if (s != length) throw value_error(cat("the lists of the ", what, " of trees have different lengths"));
}
int64_t checked_targets(int64_t targets) {
  if (targets < 1 || targets > 1 << 24) throw value_error(cat("trees add to ", targets, " targets"));
  return targets;
}
std::vector<int64_t> rows_by(const ComputedNode& n, std::initializer_list<int64_t> more) {
  std::vector<int64_t> dims{std::max<int64_t>(n.dims.at(0).at(0), -1)};
  dims.insert(dims.end(), more);
  return dims;
}

// ---- the form from version 5 of the domain on: nodes and leaves are two lists

Computed trees(const ComputedNode& n) {
  Forest f;
  const std::vector<int64_t> feature = n.integers("nodes_featureids"), yes = n.integers("nodes_truenodeids"),
                             no = n.integers("nodes_falsenodeids"),
                             yes_is_leaf = n.integers("nodes_trueleafs"),
                             no_is_leaf = n.integers("nodes_falseleafs"),
                             target = n.integers("leaf_targetids");
  std::vector<int64_t> missing = n.integers("nodes_missing_value_tracks_true");
  const std::vector<double> mode = tensor_in(n, "nodes_modes"), split = tensor_in(n, "nodes_splits"),
                            weight = tensor_in(n, "leaf_weights"),
                            members = tensor_in(n, "membership_values");
  if (n.integer("post_transform", 0) != 0) throw unsupported("the scores of trees are transformed");
  const size_t nodes = feature.size(), leaves = weight.size();
  check_lengths("nodes", nodes,
                {yes.size(), no.size(), yes_is_leaf.size(), no_is_leaf.size(), mode.size(), split.size()});
  check_lengths("leaves", leaves, {target.size()});
  f.targets = checked_targets(n.integer("n_targets", 1));
  f.roots = n.integers("tree_roots");
  const int64_t sums = n.integer("aggregate_function", 1);
  if (sums < 0 || sums > 3) throw value_error(cat("trees have no aggregate function ", sums));
  f.sums = static_cast<Aggregate>(sums);
  missing.resize(nodes, 0);
  f.nodes.resize(nodes + leaves);
  // leaves stand behind the nodes; -1 leads nowhere
  auto place = [&](int64_t to, bool is_leaf) {
    const size_t most = is_leaf ? leaves : nodes;
    if (to < 0 || static_cast<size_t>(to) >= most) return int64_t{-1};
    return to + (is_leaf ? static_cast<int64_t>(nodes) : 0);
  };
  size_t next = 0;
  for (size_t i = 0; i < nodes; ++i) {
    TreeNode& t = f.nodes[i];
    if (!(mode[i] >= 0 && mode[i] <= 6))
      throw value_error("a node of a tree compares in a way that is not known");
    t.how = static_cast<Compares>(static_cast<int>(mode[i]));
    t.feature = feature[i];
    t.split = split[i];
    t.missing_is_yes = missing[i] != 0;
    t.yes = place(yes[i], yes_is_leaf[i] != 0);
    t.no = place(no[i], no_is_leaf[i] != 0);
    if (t.how != Compares::member) continue;
    for (; next < members.size() && !std::isnan(members[next]); ++next) t.members.push_back(members[next]);
    ++next;
  }
  for (size_t i = 0; i < leaves; ++i) {
    TreeNode& t = f.nodes[nodes + i];
    if (target[i] < 0 || target[i] >= f.targets)
      throw value_error("a leaf adds to a target that is not there");
    t.is_leaf = true;
    t.adds = {{target[i], weight[i]}};
  }
  const std::vector<int64_t> dims = rows_by(n, {f.targets});
  return {{{dims, n.elements[0]}},
          [f](const std::vector<Array>& in) { return std::vector<Array>{f.scores(in[0])}; }};
}

// ---- the forms before: a node is named by its tree and its number there, and leaves are nodes

// `weights`: the beginning of the names of what leaves add: "class" or "target".
Forest named_forest(const ComputedNode& n, const std::string& weights, const std::string& to) {
  constexpr std::pair<std::string_view, Compares> kModes[] = {
      {"BRANCH_LEQ", Compares::at_most}, {"BRANCH_LT", Compares::below}, {"BRANCH_GTE", Compares::at_least},
      {"BRANCH_GT", Compares::above},    {"BRANCH_EQ", Compares::equal}, {"BRANCH_NEQ", Compares::unequal}};
  Forest f;
  const std::vector<int64_t> tree = n.integers("nodes_treeids"), number = n.integers("nodes_nodeids"),
                             feature = n.integers("nodes_featureids"), yes = n.integers("nodes_truenodeids"),
                             no = n.integers("nodes_falsenodeids");
  std::vector<int64_t> missing = n.integers("nodes_missing_value_tracks_true");
  const std::vector<double> split = numbers_in(n, "nodes_values"),
                            weight = numbers_in(n, weights + "_weights");
  const AttributeRecord* modes = n.node.find("nodes_modes");
  const size_t nodes = tree.size();
  check_lengths(
      "nodes", nodes,
      {number.size(), feature.size(), yes.size(), no.size(), split.size(), modes ? modes->texts.size() : 0});
  missing.resize(nodes, 0);
  std::map<std::pair<int64_t, int64_t>, int64_t> places;
  for (size_t i = 0; i < nodes; ++i) {
    if (!places.emplace(std::pair(tree[i], number[i]), static_cast<int64_t>(i)).second)
      throw value_error(cat("two nodes of the tree ", tree[i], " are called ", number[i]));
    if (i == 0 || tree[i] != tree[i - 1]) f.roots.push_back(static_cast<int64_t>(i));
  }
  auto place = [&](int64_t of, int64_t called) {
    const auto at = places.find({of, called});
    return at == places.end() ? int64_t{-1} : at->second;
  };
  for (size_t i = 0; i < nodes; ++i) {
    TreeNode t;
    const std::string_view mode = modes->texts[i];
    t.is_leaf = mode == "LEAF";
    const auto* how =
        std::find_if(std::begin(kModes), std::end(kModes), [&](const auto& m) { return m.first == mode; });
    if (!t.is_leaf && how == std::end(kModes))
      throw value_error(cat("a node of a tree compares by ", mode, ", which is not known"));
    if (!t.is_leaf) t.how = how->second;
    t.feature = feature[i];
    t.split = split[i];
    t.missing_is_yes = missing[i] != 0;
    t.yes = place(tree[i], yes[i]);
    t.no = place(tree[i], no[i]);
    f.nodes.push_back(std::move(t));
  }
  const std::vector<int64_t> of = n.integers(weights + "_treeids"), called = n.integers(weights + "_nodeids"),
                             target = n.integers(to);
  check_lengths("leaves", weight.size(), {of.size(), called.size(), target.size()});
  for (size_t i = 0; i < weight.size(); ++i) {
    const int64_t at = place(of[i], called[i]);
    if (at < 0 || target[i] < 0) throw value_error("a weight of a tree belongs to no leaf");
    f.targets = std::max(f.targets, checked_targets(target[i] + 1));
    f.nodes[at].adds.emplace_back(target[i], weight[i]);
  }
  f.base = numbers_in(n, "base_values");
  return f;
}
void check_base(const Forest& f) {
  if (!f.base.empty() && f.base.size() != static_cast<size_t>(f.targets))
    throw value_error(cat("trees have ", f.base.size(), " base values for ", f.targets, " targets"));
}

Computed regression(const ComputedNode& n) {
  Forest f = named_forest(n, "target", "target_ids");
  const int64_t targets = checked_targets(n.integer("n_targets", f.targets));
  if (targets < f.targets) throw value_error("a leaf adds to a target that is not there");
  f.targets = targets;
  check_base(f);
  if (const std::string after = n.text("post_transform", "NONE"); after != "NONE")
    throw unsupported(cat("the sums of trees are transformed by ", after));
  constexpr std::pair<std::string_view, Aggregate> kSums[] = {{"AVERAGE", Aggregate::average},
                                                              {"SUM", Aggregate::sum},
                                                              {"MIN", Aggregate::least},
                                                              {"MAX", Aggregate::greatest}};
  const std::string sums = n.text("aggregate_function", "SUM");
  const auto* at =
      std::find_if(std::begin(kSums), std::end(kSums), [&](const auto& s) { return s.first == sums; });
  if (at == std::end(kSums)) throw value_error(cat("trees have no aggregate function ", sums));
  f.sums = at->second;
  return {{{rows_by(n, {f.targets}), kFloat}},
          [f](const std::vector<Array>& in) { return std::vector<Array>{f.scores(in[0])}; }};
}

// The label with the greatest score, and all scores. Of two classes a file may score the second one only.
Computed classification(const ComputedNode& n) {
  Forest f = named_forest(n, "class", "class_ids");
  const std::vector<int64_t> labels = class_labels(n.node, "classlabels_int64s");
  const auto classes = static_cast<int64_t>(labels.size());
  if (classes < 1 || f.targets > classes) throw value_error("trees score classes without labels");
  const ScoreTransform after = score_transform(n.text("post_transform", "NONE"), "trees");
  bool one = classes == 2, positive = true;
  int64_t first = -1;
  for (const TreeNode& t : f.nodes)
    for (const auto& [target, weight] : t.adds) {
      if (first < 0) first = target;
      one = one && target == first;
      positive = positive && weight >= 0;
    }
  if (one) {  // as a single target
    for (TreeNode& t : f.nodes)
      for (auto& add : t.adds) add.first = 0;
    f.targets = 1;
    if (f.base.size() == 2) f.base = {f.base[1]};
  } else {
    f.targets = classes;
  }
  check_base(f);
  return {{{rows_by(n, {}), kInt64}, {rows_by(n, {classes}), kFloat}}, [=](const std::vector<Array>& in) {
            Array y = f.scores(in[0]);
            const int64_t rows = y.dims[0];
            Array label = sized({rows}), scores = sized({rows, classes});
            for (int64_t r = 0; r < rows; ++r) {
              double* to = scores.numbers.data() + r * classes;
              const double* sum = y.numbers.data() + r * f.targets;
              int64_t best = std::max_element(sum, sum + f.targets) - sum;
              std::copy_n(sum, f.targets, to);
              if (one && positive) {  // a probability
                best = sum[0] > 0.5;
                to[0] = 1 - sum[0], to[1] = sum[0];
              } else if (one) {
                best = sum[0] > 0;
                to[0] = -sum[0], to[1] = sum[0];
                if (after == ScoreTransform::logistic) transform_scores(after, to, classes);
              } else {
                transform_scores(after, to, classes);
              }
              label.numbers[r] = static_cast<double>(labels[best]);
            }
            return std::vector<Array>{label, scores};
          }};
}

constexpr ComputedRule kTreeRules[] = {
    {"ai.onnx.ml::TreeEnsemble", "2", trees, 0, 0, 5},
    {"ai.onnx.ml::TreeEnsembleRegressor", "2", regression, 0, 0, 3},
    {"ai.onnx.ml::TreeEnsembleClassifier", "2", classification, 0, 0, 3},
};

}  // namespace

std::span<const ComputedRule> computed_trees() { return kTreeRules; }

}  // namespace cantik::onnx
