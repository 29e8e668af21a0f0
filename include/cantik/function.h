// Function: a graph that can be called. An operator applied to variables, a block of such, or a whole
// network.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/attribute.h>
#include <cantik/value.h>
#include <cantik/variable.h>

namespace cantik {

struct Composite;
class Dictionary;

enum class CloneMethod { share, clone, freeze };
using Replacements = std::unordered_map<Variable, Variable>;
using Feeds = std::vector<std::pair<Variable, Value>>;
class BackPropState;

// Networks that run for the first time while it is on look for NaNs in this and all later runs, as with
// RunOptions::check_nan.
CANTIK_API void set_checked_mode(bool on);
CANTIK_API bool checked_mode();

struct RunOptions {
  int threads = 0;         // at most; 0: as many as set_thread_limit says
  bool check_nan = false;  // name the first operator that makes a NaN
};

class CANTIK_API Function {
 public:
  Function() = default;
  Function(std::shared_ptr<Node> root, std::shared_ptr<Composite> composite)
      : root_(std::move(root)), composite_(std::move(composite)) {}
  explicit operator bool() const { return root_ != nullptr; }

  // ---- what it is
  bool is_composite() const { return composite_ != nullptr; }
  bool is_primitive() const { return root_ && !composite_ && !is_block(); }
  bool is_block() const;  // of a composite: false; its root may be one
  Function root() const;  // the function that makes the output
  Function block_root() const;
  Function block_composite() const;
  std::vector<std::pair<Variable, Variable>> block_arguments() const;  // placeholder inside, variable outside
  const std::string& name() const;
  void set_name(const std::string& name) const;
  std::string uid() const;
  std::string op_name() const;
  std::vector<std::pair<std::string, Attribute>> attributes() const;
  void set_attribute(std::string_view name, const Attribute& value) const;
  Dictionary custom_attributes() const;  // the user's own; saved with the function
  void set_custom_attributes(const Dictionary& attributes) const;

  // ---- what it reads and makes. Of a composite: the leaves of the graph; of its root: the operands.
  std::vector<Variable> inputs() const;
  std::vector<Variable> outputs() const;
  Variable output() const;  // the only one
  std::vector<Variable> arguments() const;
  // those that a call binds: all but what a function being traced around it gives it
  std::vector<Variable> signature_arguments() const;
  std::vector<Variable> parameters() const;
  std::vector<Variable> constants() const;
  std::vector<Variable> placeholders() const;
  Variable parameter(std::string_view name) const;  // by name; an error lists those that are there

  // ---- text
  std::string text() const;       // Composite(Dense): Input('x', [#], [3]) -> Output('d1', [#], [4])
  std::string signature() const;  // Dense(x: Tensor[3]) -> Tensor[4]

  // ---- graphs from graphs
  Function operator()(std::initializer_list<Variable> arguments) const;
  Function operator()(const std::vector<Variable>& arguments) const;
  template <class... V>
  Function operator()(const Variable& first, const V&... more) const {
    return (*this)(std::vector<Variable>{first, Variable(more)...});
  }
  Function clone(CloneMethod method, const Replacements& substitutions = {}) const;
  // what is in blocks takes their place
  Function clone_flattened(CloneMethod method = CloneMethod::share) const;
  Function replace_placeholders(const Replacements& bindings) const;  // in place
  Function as_composite(const std::string& name = {}) const;
  Function find_by_name(std::string_view name, int depth = 0) const;  // empty if there is none
  std::vector<Function> find_all_with_name(std::string_view name, int depth = 0) const;

  // ---- running
  Value eval(const Feeds& feeds = {}, const RunOptions& options = {}) const;
  // Several outputs in one run. The list is an overload of its own: {a, b} makes no span, and {.threads = 1}
  // no list.
  std::vector<Value> eval(const Feeds& feeds, std::span<const Variable> outputs,
                          const RunOptions& options = {}) const;
  std::vector<Value> eval(const Feeds& feeds, std::initializer_list<Variable> outputs,
                          const RunOptions& options = {}) const {
    return eval(feeds, std::span(outputs.begin(), outputs.size()), options);
  }
  // Gradients of the (summed) root with respect to `wrt`; the outputs asked for come with them.
  std::vector<Value> grad(const Feeds& feeds, const std::vector<Variable>& wrt,
                          const std::vector<Variable>& outputs = {},
                          std::vector<Value>* output_values = nullptr, const RunOptions& options = {}) const;
  std::shared_ptr<BackPropState> forward(const Feeds& feeds, const std::vector<Variable>& outputs,
                                         const std::vector<Variable>& keep, std::vector<Value>& values,
                                         const RunOptions& options = {}) const;
  std::vector<Value> backward(const std::shared_ptr<BackPropState>& state, const Feeds& root_gradients,
                              const std::vector<Variable>& wrt) const;

  // ---- files, in CNTK's format
  void save(const std::string& path) const;  // crash-safe
  static Function load(const std::string& path);
  std::string to_bytes() const;
  static Function from_bytes(std::string_view bytes);
  // values of parameters and constants from a file of the same graph
  void restore(const std::string& path) const;

  // The function's node. An empty function is an error, here and in all of the above.
  const std::shared_ptr<Node>& node() const {
    if (!root_) throw_empty();
    return root_;
  }
  const std::shared_ptr<Composite>& composite() const { return composite_; }
  friend CANTIK_API bool operator==(const Function& a, const Function& b);

 private:
  [[noreturn]] static void throw_empty();

  std::shared_ptr<Node> root_;
  std::shared_ptr<Composite> composite_;
};

// Any operator of the registry, by name. Attributes that are not given take their defaults.
CANTIK_API Function call(std::string_view op, const std::vector<Variable>& inputs,
                         std::initializer_list<NamedAttribute> attributes = {}, const std::string& name = {});
CANTIK_API Function call(std::string_view op, const std::vector<Variable>& inputs,
                         const std::vector<NamedAttribute>& attributes, const std::string& name = {});
CANTIK_API Function combine(const std::vector<Variable>& operands, const std::string& name = {});
// The network that gives these: of the function that makes them all, or a combination.
CANTIK_API Function function_of(const std::vector<Variable>& outputs, const std::string& name = {});
// What code makes of placeholders with these names, as a function of them in this order; `what` is its name
// in errors.
using Body = std::function<Function(const std::vector<Variable>&)>;
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

CANTIK_API std::vector<std::string> load_operators(const std::string& path);
CANTIK_API void set_thread_limit(int threads);
CANTIK_API int thread_limit();

}  // namespace cantik
