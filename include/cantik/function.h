// Function: a graph that can be called. An operator applied to variables, a block of such, or a whole
// network.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/attribute.h>
#include <cantik/device.h>
#include <cantik/value.h>
#include <cantik/variable.h>

namespace cantik {

class Dictionary;

// What becomes of the parameters in a copy: `share` keeps the same parameters, `clone` copies them, `freeze`
// makes constants of their values.
enum class CloneMethod { share, clone, freeze };
// Variables, and the variables that take their places.
using Replacements = std::unordered_map<Variable, Variable>;
// Inputs with their values, in any order.
using Feeds = std::vector<std::pair<Variable, Value>>;
class BackPropState;

// What one run computed, in the order in which it was asked for.
struct Answer {
  // the values of the outputs, and the gradients of the variables
  std::vector<Value> outputs, gradients;
};
// What a forward run computed, and what backward() needs of it; null where nothing was to be kept.
struct ForwardPass {
  std::vector<Value> outputs;            // their values
  std::shared_ptr<BackPropState> state;  // what backward() needs
};

// Networks that run for the first time while it is on look for NaNs in this and all later runs, as with
// RunOptions::check_nan.
CANTIK_API void set_checked_mode(bool on);
// Whether set_checked_mode is on.
CANTIK_API bool checked_mode();

// How a run is done.
struct RunOptions {
  int threads = 0;                    // at most; 0: as many as set_thread_limit says
  bool check_nan = false;             // name the first operator that makes a NaN
  std::optional<Device> device = {};  // where it runs; none: where Device::use says
};

// A handle: copies stand for the same function. A function is an operator applied to variables (primitive), a
// block of such, or a composite: a whole network, with everything that its outputs are computed from.
class CANTIK_API Function : public detail::FunctionHandle {
 public:
  // Empty: no function at all, which `if (f)` tells. Any question to it is an error.
  Function() = default;
  using detail::FunctionHandle::FunctionHandle;

  // ---- what it is
  // Whether it is a network: everything that its outputs are computed from.
  bool is_composite() const { return composite() != nullptr; }
  // Whether it is one operator applied to variables.
  bool is_primitive() const { return *this && !composite() && !is_block(); }
  bool is_block() const;  // of a composite: false; its root may be one
  Function root() const;  // the function that makes the output
  // Of a block: the function inside that makes its output.
  Function block_root() const;
  // Of a block: the network inside, as a composite of placeholders.
  Function block_composite() const;
  std::vector<std::pair<Variable, Variable>> block_arguments() const;  // placeholder inside, variable outside
  // The name that the user gave; empty if there is none.
  const std::string& name() const;
  // Gives the function another name; of a composite, the network, not its root.
  void set_name(const std::string& name) const;
  // A name that no other function has.
  std::string uid() const;
  // The name of the operator, or of the block: "Times", "Dense".
  std::string op_name() const;
  // The attributes of the operator with their values.
  std::vector<std::pair<std::string, Attribute>> attributes() const;
  // Changes an attribute that may change after the function is made: dropout has dropoutRate and rngSeed. Any
  // other one is a ValueError.
  void set_attribute(std::string_view name, const Attribute& value) const;
  Dictionary custom_attributes() const;  // the user's own; saved with the function
  // Replaces the user's own attributes.
  void set_custom_attributes(const Dictionary& attributes) const;

  // ---- what it reads and makes. Of a composite: the leaves of the graph; of its root: the operands.
  // The variables that it reads: operands, or leaves of the network.
  std::vector<Variable> inputs() const;
  // The variables that it makes.
  std::vector<Variable> outputs() const;
  Variable output() const;  // the only one
  // The inputs and placeholders among inputs(), in the order in which a call takes them.
  std::vector<Variable> arguments() const;
  // The arguments that a caller must pass; values captured from an enclosing traced function are not among
  // them.
  std::vector<Variable> signature_arguments() const;
  // The parameters among inputs().
  std::vector<Variable> parameters() const;
  // The constants among inputs().
  std::vector<Variable> constants() const;
  // The placeholders among inputs().
  std::vector<Variable> placeholders() const;
  Variable parameter(std::string_view name) const;  // by name; an error lists those that are there

  // ---- text
  std::string text() const;       // Composite(Dense): Input('x', [#], [3]) -> Output('d1', [#], [4])
  std::string signature() const;  // Dense(x: Tensor[3]) -> Tensor[4]

  // ---- graphs from graphs
  // The network applied to other variables, one for each of arguments(), in their order. Parameters are
  // shared.
  Function operator()(std::initializer_list<Variable> arguments) const;
  Function operator()(const std::vector<Variable>& arguments) const;
  template <class... V>
  Function operator()(const Variable& first, const V&... more) const {
    return (*this)(std::vector<Variable>{first, Variable(more)...});
  }
  // A copy of the network, with inputs of its own. `substitutions`: variables of the network, and what takes
  // their places in the copy; others are ignored, as in CNTK.
  Function clone(CloneMethod method, const Replacements& substitutions = {}) const;
  // what is in blocks takes their place
  Function clone_flattened(CloneMethod method = CloneMethod::share) const;
  Function replace_placeholders(const Replacements& bindings) const;  // in place
  // The network that this function is the root of, under its root's name if none is given. A composite is
  // itself where it gets no other name.
  Function as_composite(std::optional<std::string> name = {}) const;
  Function find_by_name(std::string_view name, int depth = 0) const;  // empty if there is none
  // Every function with this name, in the network and in `depth` levels of blocks; a negative depth: all
  // levels.
  std::vector<Function> find_all_with_name(std::string_view name, int depth = 0) const;

  // ---- running
  // Computes the only output. `feeds`: a value for each of arguments(). A value that does not suit its input
  // is an error that names both.
  Value eval(const Feeds& feeds = {}, const RunOptions& options = {}) const;
  // Several outputs in one run. The list is an overload of its own: {a, b} makes no span, and {.threads = 1}
  // no list.
  std::vector<Value> eval(const Feeds& feeds, std::span<const Variable> outputs,
                          const RunOptions& options = {}) const;
  std::vector<Value> eval(const Feeds& feeds, std::initializer_list<Variable> outputs,
                          const RunOptions& options = {}) const {
    return eval(feeds, std::span(outputs.begin(), outputs.size()), options);
  }
  // Gradients of the (summed) root with respect to `wrt`, in their order.
  std::vector<Value> grad(const Feeds& feeds, const std::vector<Variable>& wrt,
                          const RunOptions& options = {}) const;
  // The same, and outputs of the same run: auto [values, gradients] = loss.grad(feeds, {w, b}, {loss,
  // error});
  Answer grad(const Feeds& feeds, const std::vector<Variable>& wrt, std::span<const Variable> outputs,
              const RunOptions& options = {}) const;
  Answer grad(const Feeds& feeds, const std::vector<Variable>& wrt, std::initializer_list<Variable> outputs,
              const RunOptions& options = {}) const {
    return grad(feeds, wrt, std::span(outputs.begin(), outputs.size()), options);
  }
  // Computes `outputs`, all of them where none is named, and keeps what the gradients of the variables `keep`
  // need: auto [values, state] = f.forward(feeds, {}, {f.output()});
  ForwardPass forward(const Feeds& feeds, const std::vector<Variable>& outputs,
                      const std::vector<Variable>& keep, const RunOptions& options = {}) const;
  // Gradients with respect to `wrt`, of the run that forward() did. `root_gradients`: outputs among `keep`
  // with their gradients, each in the shape of the value.
  std::vector<Value> backward(const std::shared_ptr<BackPropState>& state, const Feeds& root_gradients,
                              const std::vector<Variable>& wrt) const;

  // ---- files, in CNTK's format
  // Crash-safe: the old file or the new one. Folders that are missing are made.
  void save(const std::string& path) const;
  // The network in a file that save() or CNTK 2 wrote. Damaged files are a RuntimeError.
  static Function load(const std::string& path);
  // What save() writes, as bytes.
  std::string to_bytes() const;
  // The network of to_bytes().
  static Function from_bytes(std::string_view bytes);
  // values of parameters and constants from a file of the same graph
  void restore(const std::string& path) const;

  friend CANTIK_API bool operator==(const Function& a, const Function& b);
  // Equal functions have equal numbers.
  size_t hash() const noexcept;
};

// Any operator of the registry, by name. Attributes that are not given take their defaults.
CANTIK_API Function call(std::string_view op, const std::vector<Variable>& inputs,
                         std::initializer_list<NamedAttribute> attributes = {}, const std::string& name = {});
CANTIK_API Function call(std::string_view op, const std::vector<Variable>& inputs,
                         const std::vector<NamedAttribute>& attributes, const std::string& name = {});
// A function whose outputs are the operands, in their order.
CANTIK_API Function combine(const std::vector<Variable>& operands, const std::string& name = {});
// The composite with these outputs: the function that makes all of them, else combine(outputs).
CANTIK_API Function function_of(const std::vector<Variable>& outputs, const std::string& name = {});
// Code that makes a function of variables.
using Body = std::function<Function(const std::vector<Variable>&)>;
// The function that code makes of placeholders with these names, in this order; `what` is its name in errors.
CANTIK_API Function trace(const std::vector<std::string>& arguments, const Body& body,
                          const std::string& what = "function");
// The same as one block.
CANTIK_API Function trace_block(const std::vector<std::string>& arguments, const Body& body,
                                const std::string& op_name, const std::string& name = {});
// The composite as one function of the variables its placeholders are mapped to.
CANTIK_API Function as_block(const Function& composite,
                             const std::vector<std::pair<Variable, Variable>>& arguments,
                             const std::string& op_name, const std::string& name = {});
// f >> g: first f, then g.
CANTIK_API Function operator>>(const Function& f, const Function& g);

// Loads a library of operators; the names of its operators. A library that is no operator library is a
// RuntimeError.
CANTIK_API std::vector<std::string> load_operators(const std::string& path);
// The most threads that a run uses from now on; 0: as many as the variable OMP_NUM_THREADS says, or one for
// each core.
CANTIK_API void set_thread_limit(int threads);
// The most threads that a run uses.
CANTIK_API int thread_limit();

}  // namespace cantik

template <>
struct std::hash<cantik::Function> {
  size_t operator()(const cantik::Function& f) const noexcept { return f.hash(); }
};
