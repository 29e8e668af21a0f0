#include "formats/foreign.h"

#include <array>

#include "base/text.h"

namespace cantik {
namespace {

constexpr std::array<const char*, kUnknownNumber> kOperatorNames = {"Negate",
                                                                    "Sigmoid",
                                                                    "Tanh",
                                                                    "ReLU",
                                                                    "Exp",
                                                                    "Log",
                                                                    "Sqrt",
                                                                    "Floor",
                                                                    "Abs",
                                                                    "Reciprocal",
                                                                    "Softmax",
                                                                    "Hardmax",
                                                                    "TransposeAxes",
                                                                    "Where",
                                                                    "Slice",
                                                                    "Dropout",
                                                                    "Reshape",
                                                                    "Pooling",
                                                                    "SumAll",
                                                                    "Plus",
                                                                    "Minus",
                                                                    "ElementTimes",
                                                                    "Equal",
                                                                    "NotEqual",
                                                                    "Less",
                                                                    "LessEqual",
                                                                    "Greater",
                                                                    "GreaterEqual",
                                                                    "PackedIndex",
                                                                    "GatherPacked",
                                                                    "ScatterPacked",
                                                                    "Times",
                                                                    "TransposeTimes",
                                                                    "Convolution",
                                                                    "SquaredError",
                                                                    "CrossEntropyWithSoftmax",
                                                                    "ClassificationError",
                                                                    "PastValue",
                                                                    "FutureValue",
                                                                    "ReduceElements",
                                                                    "BatchNormalization",
                                                                    "Clip",
                                                                    "Select",
                                                                    "Splice",
                                                                    "Combine",
                                                                    "RandomSample",
                                                                    "RandomSampleInclusionFrequency",
                                                                    "ROIPooling",
                                                                    "Logistic",
                                                                    "OptimizedRNNStack",
                                                                    "ReconcileDynamicAxis",
                                                                    "LogSoftmax",
                                                                    "LogPlus",
                                                                    "CosDistance",
                                                                    "Sin",
                                                                    "Cos",
                                                                    "Pass",
                                                                    "Block",
                                                                    "Unpooling",
                                                                    "LambdaRank",
                                                                    "NDCG",
                                                                    "EditDistanceError",
                                                                    "NoOp",
                                                                    "LabelsToGraph",
                                                                    "StopGradient",
                                                                    "ELU",
                                                                    "ForwardBackward",
                                                                    "CosDistanceWithNegativeSamples",
                                                                    "OneHotOp",
                                                                    "Pow",
                                                                    "ToSequenceOp",
                                                                    "ToSequenceLikeOp",
                                                                    "UnpackSequenceOp",
                                                                    "Assign",
                                                                    "Gather",
                                                                    "StableSigmoid",
                                                                    "RandomDistribution",
                                                                    "Sinh",
                                                                    "Cosh",
                                                                    "UnpackBatchAxis",
                                                                    "ToBatchAxis",
                                                                    "Asin",
                                                                    "Acos",
                                                                    "Pad",
                                                                    "Crop",
                                                                    "Atanh",
                                                                    "Asinh",
                                                                    "TopK",
                                                                    "Squeeze",
                                                                    "ConstantOp",
                                                                    "LatticeSequenceWithSoftmax",
                                                                    "Cast",
                                                                    "EyeLikeOp",
                                                                    "CustomProxyOp",
                                                                    "StraightThrough",
                                                                    "Tan",
                                                                    "Atan",
                                                                    "ConvolutionSequenceShape"};
static_assert(kOperatorNames.back() != nullptr);
constexpr const char* kCannotRun = " cannot be run: this program does not have it";

// What there is to show of an attribute.
Attribute shown(const DictionaryValue& v) {
  if (auto* b = v.get<bool>()) return *b;
  if (auto* i = v.get<int32_t>()) return static_cast<int64_t>(*i);
  if (auto* u = v.get<uint64_t>()) return static_cast<int64_t>(*u);
  if (auto* f = v.get<float>()) return static_cast<double>(*f);
  if (auto* d = v.get<double>()) return *d;
  if (auto* t = v.get<std::string>()) return *t;
  if (auto* s = v.get<Shape>(); s && s->is_known()) return Attribute(*s);
  if (auto* a = v.get<Axis>()) return a->text();
  return {};
}

}  // namespace

const char* cntk_operator_name(uint64_t number) {
  return number < kOperatorNames.size() ? kOperatorNames[number] : "";
}

std::shared_ptr<const Foreign> make_foreign(const Dictionary& block) {
  auto foreign = std::make_shared<Foreign>();
  foreign->record["attributes"] = block.at("attributes");
  return foreign;
}

std::shared_ptr<const Foreign> make_foreign(const Dictionary& record, int64_t number, int inputs, int outputs,
                                            const std::string& why) {
  auto foreign = std::make_shared<Foreign>();
  foreign->record = record;
  Operator& op = foreign->op;
  auto text = [](const Dictionary& d, const char* key) {
    const DictionaryValue* v = d.find(key);
    return v && v->get<std::string>() ? *v->get<std::string>() : std::string();
  };
  if (number >= 0) {
    op.name = cntk_operator_name(static_cast<uint64_t>(number));
    foreign->missing = "CNTK's operator " + op.name + why + kCannotRun;
  } else {
    const DictionaryValue* found = record.find("user_defined_state");
    Dictionary state = found && found->get<Dictionary>() ? *found->get<Dictionary>() : Dictionary();
    std::string of = text(state, "class").empty() ? text(state, "deserialize_method") : text(state, "class");
    op.name = text(state, "op_name").empty() ? text(state, "op") : text(state, "op_name");
    if (op.name.empty()) op.name = of.empty() ? "UserDefinedFunction" : of;
    foreign->missing =
        cat("the user's function ", op.name, of.empty() ? "" : ", ", of,
            text(state, "module").empty() ? "" : " of the module ", text(state, "module"), why, kCannotRun,
            text(state, "deserialize_method").empty()
                ? ". Define its class, a UserFunction with deserialize, or its function, with @cantik.op, "
                  "before the model is loaded"
                : ". Load the library that brings it before the model: with load_operators, or --library of "
                  "a command");
  }
  op.signature = op.name + "(...)";
  op.inputs_min = op.inputs_max = inputs;
  op.outputs = outputs;
  op.traits = CANTIK_HIDDEN;
  op.names["cntk"] = op.name;
  if (const DictionaryValue* attributes = record.find("attributes");
      attributes && attributes->get<Dictionary>())
    for (const auto& [key, value] : *attributes->get<Dictionary>())
      if (Attribute a = shown(value); a.defined()) op.fields.push_back({key, "", "", CANTIK_PLAIN, false, a});
  op.user = foreign.get();
  // nothing is known of the results
  op.infer = [](void*, cantik_infer*) -> cantik_status { return CANTIK_OK; };
  op.lower = [](void* user, cantik_builder* b) -> cantik_status {
    b->fail(b->self, CANTIK_UNSUPPORTED, (static_cast<const Foreign*>(user)->missing).c_str(), "");
    return CANTIK_UNSUPPORTED;
  };
  return foreign;
}

}  // namespace cantik
