// An operator of two files: this one reads its keyword, shifted_compute.cc has the rest.
#include <cantik/mxnet/op.h>

static void read_keywords(nnvm::NodeAttrs* attrs) { attrs->parsed = std::stof(attrs->dict["by"]); }

NNVM_REGISTER_OP(shifted).set_attr_parser(read_keywords).describe("x + by");
