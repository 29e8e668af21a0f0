// What a caller hands over has to be there.
#pragma once

#include <string_view>
#include <utility>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {

// The function itself; `what` names it in the error where it is empty: "the sink of a ProgressPrinter".
template <class F>
F callable(F f, std::string_view what) {
  if (!f) throw value_error(cat(what, " is an empty function")).remedy("give a function that can be called");
  return f;
}

// `what`: one of the list, in the error where a pointer is null: "a progress writer".
template <class List>
void check_not_null(const List& list, std::string_view what) {
  for (const auto& p : list)
    if (!p) throw value_error(cat(what, " is a null pointer"));
}

}  // namespace cantik
