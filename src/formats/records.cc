#include "formats/records.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.h"
#include "formats/foreign.h"

namespace cantik {
namespace {

constexpr uint32_t kMostOutputs = 1 << 16;
constexpr int kDeepestBlocks = 100;
constexpr int64_t kMostElements = int64_t{1} << 48;

template <class T>
const T* entry(const Dictionary& d, const char* key) {
  const DictionaryValue* v = d.find(key);
  return v ? v->get<T>() : nullptr;
}

template <class T>
const T& required(const Dictionary& d, const char* key, const std::string& of) {
  const DictionaryValue* v = d.find(key);
  if (!v) broken_model(cat(of, " lacks the entry ", key));
  if (const T* x = v->get<T>()) return *x;
  broken_model(cat("the entry ", key, " of ", of, " has the wrong kind, ", v->kind()));
}

std::string optional_text(const Dictionary& d, const char* key) {
  const std::string* s = entry<std::string>(d, key);
  return s ? *s : std::string();
}

void require_type(const Dictionary& d, const char* wanted) {
  std::string type = optional_text(d, "type");
  if (type != wanted)
    broken_model(cat("a dictionary of the type '", wanted, "' was expected, and one of the type '", type,
                     "' was found"));
}

std::string version_text(const Dictionary& d) {
  const uint64_t* v = entry<uint64_t>(d, "version");
  return v ? cat(", version ", *v) : std::string();
}

// The file has the sequence axis first.
Axes read_axes(const DictionaryVector& list, const std::string& of) {
  Axes axes;
  if (list.size() > 4)
    broken_model(cat(of, " has ", list.size(), " dynamic axes, and at most 4 are possible"));
  for (size_t i = list.size(); i-- > 0;) {
    const Axis* a = list[i].get<Axis>();
    if (!a || !a->is_dynamic()) broken_model(of + " lists a dynamic axis that is static, or is not an axis");
    if (*a == Axis::unknown()) return Axes::unknown();
    axes.push_back(*a);
  }
  return axes;
}

}  // namespace

void broken_model(const std::string& what) {
  throw runtime_error("The model cannot be loaded: " + what + ".")
      .remedy("save the model again: the file is damaged, or is not a model");
}

ModelRecords::ModelRecords(const Dictionary& m) : model(m) {
  require_type(m, "CompositeFunction");
  uid = required<std::string>(m, "uid", "the model");
  name = optional_text(m, "name");
  for (const DictionaryValue& v : required<DictionaryVector>(m, "inputs", "the model")) {
    if (!v.get<Dictionary>()) broken_model("an entry of the model's list of variables is not a dictionary");
    read_leaf(*v.get<Dictionary>());
  }
  for (const DictionaryValue& v : required<DictionaryVector>(m, "primitive_functions", "the model")) {
    if (!v.get<Dictionary>()) broken_model("an entry of the model's list of functions is not a dictionary");
    read_function(*v.get<Dictionary>());
  }
  for (size_t i = 0; i < functions.size(); ++i) connect(functions[i], static_cast<int>(i));
  auto at = function_of_.find(required<std::string>(m, "root", "the model"));
  if (at == function_of_.end())
    broken_model("the root " + m.at("root").as<std::string>() + " is not among the model's functions");
  root = at->second;
  check_values();
  check_containment();
  list_inside();
  check_arguments();
}

const LeafRecord* ModelRecords::leaf(const std::string& text) const {
  auto at = leaf_of_.find(text);
  return at == leaf_of_.end() ? nullptr : &leaves[at->second];
}

void ModelRecords::read_leaf(const Dictionary& d) {
  LeafRecord v;
  require_type(d, "Variable");
  v.uid = required<std::string>(d, "uid", "a variable");
  std::string of = "the variable " + v.uid;
  v.name = optional_text(d, "name");
  uint64_t kind = required<uint64_t>(d, "kind", of), dtype = required<uint64_t>(d, "data_type", of);
  if (kind != 0 && kind != 2 && kind != 3 && kind != 4)
    broken_model(cat(of, " has the unknown kind ", kind, version_text(d)));
  constexpr Node::Kind kKinds[] = {Node::Kind::input, Node::Kind::input, Node::Kind::parameter,
                                   Node::Kind::constant, Node::Kind::placeholder};
  v.kind = kKinds[kind];
  bool known = dtype == 1 || dtype == 2 || (dtype >= 4 && dtype <= 6) || (dtype == 0 && kind == 4);
  if (!known) broken_model(cat(of, " has the unknown element type ", dtype, version_text(d)));
  v.type.dtype = static_cast<DType>(dtype);
  v.type.axes = read_axes(required<DictionaryVector>(d, "dynamic_axis", of), of);
  v.type.storage = required<bool>(d, "is_sparse", of) ? Storage::csr : Storage::dense;
  v.needs_gradient = required<bool>(d, "needs_gradient", of);
  v.type.shape = required<Shape>(d, "shape", of);
  int64_t elements = 1;
  for (int64_t n : v.type.shape)
    if (n > 0 && (__builtin_mul_overflow(elements, n, &elements) || elements > kMostElements))
      broken_model(of + " has the impossible shape " + v.type.shape.text());
  if (v.kind == Node::Kind::parameter || v.kind == Node::Kind::constant) {
    v.value = required<Tensor>(d, "value", of);
    if (v.value.shape() != v.type.shape || v.value.dtype() != v.type.dtype)
      broken_model(cat(of, " has the type ", v.type.text(), ", but its value is ", name_of(v.value.dtype()),
                       v.value.shape().text()));
    v.type.storage = Storage::dense;
    v.type.axes = Axes();
  } else if (v.kind == Node::Kind::input && !v.type.shape.is_known()) {
    broken_model(of + " is an input without a shape");
  }
  if (!leaf_of_.emplace(v.uid, static_cast<int>(leaves.size())).second)
    broken_model("two variables have the uid " + v.uid);
  leaves.push_back(std::move(v));
}

void ModelRecords::read_function(const Dictionary& d) {
  FunctionRecord f;
  f.record = &d;
  f.uid = required<std::string>(d, "uid", "a function");
  f.name = optional_text(d, "name");
  std::string of = "the function " + f.uid;
  if (optional_text(d, "type") == "UserDefinedFunction") {
    f.kind = FunctionRecord::Kind::user;
  } else {
    require_type(d, "PrimitiveFunction");
    f.number = required<uint64_t>(d, "op", of);
    f.attributes = &required<Dictionary>(d, "attributes", of);
    if (f.number >= kUnknownNumber)
      broken_model(cat(of, " has the unknown operator number ", f.number, version_text(d)));
    if (f.number == kBlockNumber) f.kind = FunctionRecord::Kind::block;
  }
  if (!function_of_.emplace(f.uid, static_cast<int>(functions.size())).second)
    broken_model("two functions have the uid " + f.uid);
  functions.push_back(std::move(f));
}

// A uid is that of a leaf, or of an output: <function>_Output_<index>. A placeholder of an output's uid
// stands for the output: the file had to name it before its function, or it closes a loop.
Ref ModelRecords::find(const std::string& text, const std::string& reader) const {
  constexpr std::string_view kOutput = "_Output_";
  size_t at = text.rfind(kOutput);
  if (at != std::string::npos) {
    uint32_t index = 0;
    const char *digits = text.data() + at + kOutput.size(), *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(digits, end, index);
    auto f = function_of_.find(text.substr(0, at));
    if (error == std::errc() && stop == end && f != function_of_.end()) {
      if (index >= kMostOutputs) broken_model(cat(reader, " reads output ", index, " of ", f->first));
      return {-1, f->second, index};
    }
  }
  auto leaf = leaf_of_.find(text);
  if (leaf == leaf_of_.end()) broken_model(reader + " reads " + text + ", which is not in the file");
  return {leaf->second, -1, 0};
}

void ModelRecords::connect(FunctionRecord& f, int index) {
  const Dictionary& d = *f.record;
  std::string of = "the function " + f.uid;
  auto refs = [&](const char* key) {
    std::vector<Ref> list;
    for (const DictionaryValue& v : required<DictionaryVector>(d, key, of)) {
      if (!v.get<std::string>())
        broken_model(cat("the entry ", key, " of ", of, " holds an item that is not a uid"));
      list.push_back(find(*v.get<std::string>(), of));
      if (list.back().function >= 0) {
        uint32_t& outputs = functions[list.back().function].outputs;
        outputs = std::max(outputs, list.back().output + 1);
      }
    }
    return list;
  };
  if (f.kind != FunctionRecord::Kind::block) {
    f.inputs = refs("inputs");
    return;
  }
  f.op_name = required<std::string>(d, "block_function_op_name", of);
  const Dictionary& inner = required<Dictionary>(d, "block_function_composite", of);
  require_type(inner, "CompositeFunction");
  f.inner_uid = required<std::string>(inner, "uid", "the inside of " + f.uid);
  f.inner_name = optional_text(inner, "name");
  auto inner_root = function_of_.find(required<std::string>(inner, "root", "the inside of " + f.uid));
  if (inner_root == function_of_.end())
    broken_model("the root of the block " + f.uid + " is not among the model's functions");
  f.inner_root = inner_root->second;
  f.inputs = refs("block_function_composite_arguments_map_values");
  std::vector<Ref> places = refs("block_function_composite_arguments_map_keys");
  if (places.size() != f.inputs.size())
    broken_model(cat(of, " is a block whose composite has ", places.size(), " arguments, but it is given ",
                     f.inputs.size()));
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].leaf < 0 || leaves[places[i].leaf].kind != Node::Kind::placeholder)
      broken_model("an argument of the block " + f.uid + " is not a placeholder");
    LeafRecord& place = leaves[places[i].leaf];
    if (place.block >= 0) broken_model("the placeholder " + place.uid + " is an argument of two blocks");
    place.block = index;
    place.outside = f.inputs[i];
    f.arguments.push_back(places[i].leaf);
  }
}

// The output of a block is a value inside it, its argument one outside; nothing where the variable stands for
// itself alone.
Ref ModelRecords::stands_for(const Ref& r) const {
  if (r.leaf >= 0) return leaves[r.leaf].outside;
  if (r.function < 0 || functions[r.function].inner_root < 0) return {};
  int inner = functions[r.function].inner_root;
  const FunctionRecord& root_inside = functions[inner];
  if (root_inside.kind != FunctionRecord::Kind::primitive || root_inside.number != kCombineNumber)
    return {-1, inner, r.output};
  if (r.output >= root_inside.inputs.size())
    broken_model(cat("a function reads output ", r.output, " of ", functions[r.function].uid, ", which has ",
                     root_inside.inputs.size(), " outputs"));
  return root_inside.inputs[r.output];
}

// Following values in and out of blocks comes to an end: nothing stands for itself, and no placeholder for
// another too far away.
void ModelRecords::check_values() const {
  std::unordered_map<uint64_t, size_t> walk_of;  // the walk that came by
  size_t walk = 0;
  auto follow = [&](Ref r) {
    ++walk;
    for (int placeholders = 0; r.leaf >= 0 || r.function >= 0; r = stands_for(r)) {
      uint64_t key =
          r.leaf >= 0 ? ~static_cast<uint64_t>(r.leaf) : static_cast<uint64_t>(r.function) << 16 | r.output;
      auto [at, fresh] = walk_of.emplace(key, walk);
      if (!fresh && at->second == walk) broken_model("an argument of a block is bound to itself");
      if (!fresh) return;
      placeholders = r.leaf >= 0 ? placeholders + 1 : 0;
      if (placeholders > kDeepestBlocks)
        broken_model(cat("the model's blocks are nested more than ", kDeepestBlocks, " deep"));
    }
  };
  for (size_t i = 0; i < leaves.size(); ++i) follow({static_cast<int>(i), -1, 0});
  for (size_t i = 0; i < functions.size(); ++i)
    for (uint32_t k = 0; k < functions[i].outputs; ++k) follow({-1, static_cast<int>(i), k});
}

// What a function reads may lead back to it only from outside: no block stands inside itself. An edge lies on
// a cycle where both its ends are in one strongly connected component (Tarjan's algorithm).
void ModelRecords::check_containment() const {
  struct Frame {
    int f;
    size_t next;
  };
  size_t n = functions.size();
  std::vector<int> index(n, -1), low(n, 0), component(n, -1), open;
  std::vector<Frame> stack;
  int count = 0, components = 0;
  auto child = [&](const FunctionRecord& f, size_t i) {
    return i < f.inputs.size() ? f.inputs[i].function : f.inner_root;
  };
  auto enter = [&](int f) {
    index[f] = low[f] = count++;
    open.push_back(f);
    stack.push_back({f, 0});
  };
  enter(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    const FunctionRecord& f = functions[top.f];
    int& own_low = low[top.f];
    if (top.next < f.inputs.size() + (f.inner_root >= 0 ? 1 : 0)) {
      int c = child(f, top.next++);
      if (c < 0) continue;
      if (index[c] < 0)
        enter(c);
      else if (component[c] < 0)
        own_low = std::min(own_low, index[c]);
      continue;
    }
    int done = top.f, done_low = own_low;
    if (done_low == index[done]) {
      while (component[done] < 0) {
        component[open.back()] = components;
        open.pop_back();
      }
      ++components;
    }
    stack.pop_back();
    if (!stack.empty()) low[stack.back().f] = std::min(low[stack.back().f], done_low);
  }
  for (size_t i = 0; i < n; ++i)
    if (functions[i].inner_root >= 0 && component[i] >= 0 &&
        component[i] == component[functions[i].inner_root])
      broken_model("the block " + functions[i].uid + " contains itself");
}

// The argument of a block is read in that block alone: elsewhere it would lead round about what was checked.
void ModelRecords::check_arguments() const {
  auto check = [&](const std::vector<int>& list, int block) {
    for (int f : list)
      for (const Ref& r : functions[f].inputs)
        if (r.leaf >= 0 && leaves[r.leaf].block >= 0 && leaves[r.leaf].block != block)
          broken_model("the function " + functions[f].uid +
                       " reads an argument of a block that it does not belong to");
  };
  check(inside, -1);
  for (size_t i = 0; i < functions.size(); ++i) check(functions[i].inside, static_cast<int>(i));
}

// Functions may be shared between the insides of blocks, so that a short file could stand for an endless
// graph: the whole must not be much more than what is written down.
void ModelRecords::list_inside() {
  uint64_t budget = 16 * functions.size() + (1 << 16);
  std::vector<uint64_t> size(functions.size(), 0);  // of a block, with everything in it
  std::vector<int> seen(functions.size(), -1), depth(functions.size(), 0);
  auto too_much = [] { broken_model("the model's blocks are nested too often"); };
  auto too_deep = [] {
    broken_model(cat("the model's blocks are nested more than ", kDeepestBlocks, " deep"));
  };
  auto reach = [&](int from, int mark) {
    std::vector<int> found, stack{from};
    seen[from] = mark;
    while (!stack.empty()) {
      int f = stack.back();
      stack.pop_back();
      found.push_back(f);
      if (budget-- == 0) too_much();
      for (const Ref& r : functions[f].inputs)
        if (r.function >= 0 && seen[r.function] != mark) {
          seen[r.function] = mark;
          stack.push_back(r.function);
        }
    }
    return found;
  };
  uint64_t most = 16 * functions.size() + (1 << 16);
  std::vector<std::pair<int, size_t>> stack;  // blocks being measured; -1: the model
  std::vector<char> listed(functions.size(), 0);
  inside = reach(root, static_cast<int>(functions.size()));
  auto parts = [&](int b) -> const std::vector<int>& { return b < 0 ? inside : functions[b].inside; };
  stack.push_back({-1, 0});
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    if (next < parts(b).size()) {
      int f = parts(b)[next++];
      FunctionRecord& inner = functions[f];
      if (inner.inner_root < 0 || listed[f]) continue;
      if (stack.size() > kDeepestBlocks) too_deep();
      listed[f] = 1;
      inner.inside = reach(inner.inner_root, f);
      stack.push_back({f, 0});
      continue;
    }
    uint64_t total = 0;
    int deepest = 0;
    for (int f : parts(b)) {
      total = std::min(most + 1, total + 1 + size[f]);
      deepest = std::max(deepest, depth[f]);
    }
    if (total > most) too_much();
    if (deepest >= kDeepestBlocks) too_deep();
    if (b >= 0) size[b] = total, depth[b] = deepest + 1;
    stack.pop_back();
  }
}

}  // namespace cantik
