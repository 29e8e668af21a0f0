// Which parameter of this worker is which one of the others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/variable.h>

namespace cantik::distributed {

// The order in which these parameters are exchanged, the same on all workers: indices into the list. As in
// CNTK, parameters of one uid belong together; where the workers' programs have numbered theirs differently,
// those of one place in the lists. A value_error on all workers where one has another number of parameters,
// or a parameter of another name, type or shape in the place of one.
std::vector<size_t> agree_on_order(Communicator& workers, std::span<const Variable> parameters);

}  // namespace cantik::distributed
