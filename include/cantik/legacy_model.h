// Models in the format of CNTK's first generation. Function::load reads them as it reads all others.
#pragma once

#include <string>

#include <cantik/function.h>

namespace cantik {

// Writes the model as CNTK 1 did, version 31 of the format, which CNTK 2 reads too; crash-safe. Blocks are
// opened. A function that cannot be written is an unsupported error that names it.
CANTIK_API void save_legacy_model(const Function& model, const std::string& path);

}  // namespace cantik
