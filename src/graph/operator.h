// Operator: everything the toolkit knows of one operator, as its file stated it. Registry: all of them by
// name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/attribute.h>
#include <cantik/operators.h>
#include <cantik/plugin.h>
#include <cantik/type.h>

#include "graph/expression.h"
#include "graph/facts.h"

namespace cantik {

struct Sample {
  std::vector<Shape> inputs;
  std::vector<Attribute> attributes;
  double low = -1, high = 1;
};

class UserOperator;

struct CANTIK_API Operator : OperatorInfo {
  uint32_t layout_only = 0;  // a bit for each operand
  OperatorFacts facts;
  Expression expression;
  std::vector<Expression> derivatives;
  void* user = nullptr;
  cantik_status (*infer)(void*, cantik_infer*) = nullptr;
  cantik_status (*compose)(void*, cantik_builder*) = nullptr;
  cantik_status (*lower)(void*, cantik_builder*) = nullptr;
  cantik_status (*gradient)(void*, cantik_builder*) = nullptr;
  cantik_status (*finish)(void*, cantik_builder*) = nullptr;
  std::vector<cantik_kernel> kernels;  // names are kept in kernel_names
  std::vector<std::string> kernel_names;
  std::vector<Sample> samples;
  std::vector<double> kinks;
  UserOperator* object = nullptr;  // of an object of the user's program: cantik/user_operator.h
  // In the registry, for the life of the process; others go with the node that they are of.
  bool registered = false;
  std::vector<const Operator*> relatives;  // in no registry: its body and its gradient find them by name

  // Whether its kernels ask the run's keeper.
  bool needs_keeper() const {
    return has(CANTIK_READS_SAVED | CANTIK_LENDS) || facts.saves != CANTIK_SAVES_NOTHING || facts.sizes;
  }
  // Whether every run calls it, whatever it reads.
  bool runs_each_time() const {
    return has(CANTIK_DRAWS | CANTIK_EFFECT | CANTIK_OBSERVED) || needs_keeper() || facts.lock;
  }
  // Of its own operators, the one of this name.
  const Operator* relative(std::string_view named) const;
  // Whether it is that operator, or that one is of its own.
  bool is_or_has(const Operator& o) const;
  // Whether operand i is read for its layout alone.
  bool reads_layout_only(size_t i) const { return i < 32 && (layout_only >> i & 1) != 0; }
  // In graphs and files it is a block of other operators.
  bool stands_as_block() const {
    return compose != nullptr || (!expression.empty() && !facts.file.block.empty());
  }
  // Operands, or what belongs to each, as CNTK's files and blocks have them, and back.
  template <class T>
  std::vector<T> to_file_order(const std::vector<T>& operands) const {
    const std::vector<size_t>& order = facts.file.order;
    std::vector<T> list = operands;
    for (size_t i = 0; i < order.size() && order.size() <= operands.size(); ++i) list[i] = operands[order[i]];
    return list;
  }
  template <class T>
  std::vector<T> from_file_order(const std::vector<T>& operands) const {
    const std::vector<size_t>& order = facts.file.order;
    std::vector<T> list = operands;
    for (size_t i = 0; i < order.size() && order.size() <= operands.size(); ++i) list[order[i]] = operands[i];
    return list;
  }
  // as printed; the name itself where there is no other
  const std::string& cntk_name() const;
  std::vector<Attribute> defaults() const;
};

class CANTIK_API Registry {
 public:
  // The built-in operators are there from the first call on.
  static Registry& global();

  const Operator* find(std::string_view name) const;
  const Operator& get(std::string_view name) const;                // an error that names what is close
  std::vector<const Operator*> all() const;                        // in order of their names
  std::vector<std::string> load_library(const std::string& path);  // what it defined
  std::vector<std::string> add(cantik_library_function* entry);    // the same of the program's own
  void annotate(const std::string& op, const std::string& key, const std::string& value);
  // An object that a library attached to an operator under a key; nullptr where there is none of this type.
  const void* attached(std::string_view op, std::string_view key, std::string_view type) const;

  Registry();
  ~Registry();
  Registry(const Registry&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Attributes as the C boundary wants them. The view points into the attributes.
// Few have more than eight.
using AttributesInC = SmallVector<cantik_attribute, 8>;
AttributesInC to_c(std::span<const Attribute> attributes);
cantik_attribute to_c(const Attribute& a);
Attribute from_c(const cantik_attribute& a);

}  // namespace cantik
