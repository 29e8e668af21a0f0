// CNTK's native user functions: operators of libraries, under the names that CNTK's programs use for them.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/dictionary.h>
#include <cantik/function.h>

namespace cantik {

// From now on `op_id` is the operator that is made by this factory of this module (CNTK's words for its
// library without `.so`). The operator says so by its names "cntk.factory" and "cntk.module"; a library that
// is not loaded yet is looked for in the folders of CANTIK_OPERATOR_PATH, then in those of LD_LIBRARY_PATH; a
// module may be a path.
CANTIK_API void register_native_function(const std::string& op_id, const std::string& module,
                                         const std::string& factory);
// Whether register_native_function has been called for `op_id`.
CANTIK_API bool is_native_function_registered(const std::string& op_id);
// Attributes that the operator does not have stay with the function: they are shown and saved.
CANTIK_API Function native_function(const std::string& op_id, const std::vector<Variable>& operands,
                                    const Dictionary& attributes = {}, const std::string& name = {});

// The attributes that native_function() was given and that its operator does not have; empty of other
// functions.
CANTIK_API Dictionary further_attributes(const Function& f);

}  // namespace cantik
