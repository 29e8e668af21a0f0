// A network as TensorFlow's GraphDef, which TensorBoard shows.
#pragma once

#include <string>

#include <cantik/function.h>

namespace cantik {

std::string graph_def_of(const Function& model);

}  // namespace cantik
