// Operators that a file names and this program does not have. The function loads, prints, lists its
// attributes and is saved again as it came; running it is an error that names what is missing. Also the
// attributes of blocks that CNTK alone understands.
#pragma once

#include <memory>
#include <string>

#include <cantik/dictionary.h>

#include "graph/operator.h"

namespace cantik {

struct Foreign {
  Operator op;
  Dictionary record;    // the function as the file has it
  std::string missing;  // the text of that error
};

// Of a block: keeps what the file says, for the case that no operator of ours is the same.
std::shared_ptr<const Foreign> make_foreign(const Dictionary& block);
// record: a PrimitiveFunction or UserDefinedFunction. number: of the CNTK operator, -1 for a user's function.
std::shared_ptr<const Foreign> make_foreign(const Dictionary& record, int64_t number, int inputs, int outputs,
                                            const std::string& why);

// Names of CNTK's primitive operators by number; empty for numbers that it does not have.
const char* cntk_operator_name(uint64_t number);
inline constexpr uint64_t kCombineNumber = 44, kReconcileNumber = 50, kBlockNumber = 57;
inline constexpr uint64_t kUnknownNumber = 98;

}  // namespace cantik
