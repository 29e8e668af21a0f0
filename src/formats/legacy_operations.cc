#include "formats/legacy_operations.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

// Axes count from 1 there, in the order of both generations; 0 stands for all of them.
Axis axis_of(int32_t one_based) { return one_based == 0 ? Axis::all_static() : Axis(int64_t{one_based} - 1); }

int32_t one_based(const Axis& a) {
  if (a == Axis::all_static()) return 0;
  if (!a.is_static() || a.static_index() < 0)
    throw unsupported(
        "an axis of a function that counts from the end, or is no static one, cannot be written")
        .remedy("save the model in the format of CNTK 2");
  return static_cast<int32_t>(a.static_index()) + 1;
}

DictionaryVector flags(LegacyStream& s) {
  DictionaryVector list(s.count(1));
  for (DictionaryValue& v : list) v = s.flag();
  return list;
}

Dictionary times(LegacyStream& s) {
  const uint64_t rank = s.number<uint64_t>();
  return {{"outputRank", rank}, {"inferInputRankToMap", s.number<int32_t>()}};
}

void write_times(LegacyOutput& out, const Dictionary& d) {
  out.number(d.at("outputRank").as<uint64_t>());
  const DictionaryValue* map = d.find("inferInputRankToMap");
  out.number<int32_t>(map ? map->as<int32_t>() : -1);
}

Dictionary transpose_times(LegacyStream& s) {
  Dictionary d = times(s);
  d.erase("inferInputRankToMap");
  return d;
}

// A dimension of 0 is what is left.
Dictionary reshape(LegacyStream& s) {
  const int64_t begin = s.number<int32_t>(), end = s.number<int32_t>();
  Shape shape = s.shape();
  for (int64_t& d : shape)
    if (d == 0) d = kInferred;
  return {{"beginAxis", Axis(begin - 1)},
          {"endAxis", end == 0 ? Axis::new_leading() : Axis(end - 1)},
          {"newShape", shape}};
}

// One axis, or several side by side.
Dictionary slice(LegacyStream& s) {
  const uint32_t n = s.since(22) ? s.number<uint32_t>() : 1;
  DictionaryVector axes, begins, ends, strides;
  for (uint32_t i = 0; i < n; ++i) {
    const auto begin = s.number<int64_t>(), length = s.number<int64_t>();
    if (begin != static_cast<int32_t>(begin) || length != static_cast<int32_t>(length))
      s.refuse(cat("a slice begins at ", begin, " and is ", length, " long"));
    axes.push_back(axis_of(s.number<int32_t>()));
    strides.push_back(s.since(27) ? s.number<int32_t>() : 1);
    begins.push_back(static_cast<int32_t>(begin));
    ends.push_back(static_cast<int32_t>(begin + length));
  }
  if (n == 1)
    return {
        {"axis", axes[0]}, {"beginIndex", begins[0]}, {"endIndex", ends[0]}, {"sliceStrides", strides[0]}};
  return {{"axisVec", axes}, {"beginIndexVec", begins}, {"endIndexVec", ends}, {"sliceStridesVec", strides}};
}

void write_slice(LegacyOutput& out, const Dictionary& d) {
  const bool one = d.contains("axis");
  const auto list = [&](const char* key) {
    return one ? DictionaryVector{d.at(key)} : d.at(std::string(key) + "Vec").as<DictionaryVector>();
  };
  const DictionaryVector axes = list("axis"), begins = list("beginIndex"), ends = list("endIndex"),
                         strides = list("sliceStrides");
  out.number(static_cast<uint32_t>(axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t begin = begins[i].as<int32_t>(), end = ends[i].as<int32_t>();
    out.number(begin);
    out.number(end - begin);
    out.number(one_based(axes[i].as<Axis>()));
    out.number(strides[i].as<int32_t>());
  }
}

void write_splice(LegacyOutput& out, const Dictionary& d) { out.number(one_based(d.at("axis").as<Axis>())); }

Dictionary splice(LegacyStream& s) { return {{"axis", axis_of(s.number<int32_t>())}}; }

// Two axes change places, or, where both are 0, all of them.
Dictionary transpose(LegacyStream& s) {
  const int32_t first = s.number<int32_t>(), second = s.number<int32_t>();
  if (first != 0 || second != 0 || !s.since(25))
    return {{"axis1", axis_of(first)}, {"axis2", axis_of(second)}};
  DictionaryVector axes(s.count(sizeof(uint64_t)));
  for (DictionaryValue& a : axes) a = Axis(static_cast<int64_t>(s.number<uint64_t>()));
  return {{"axisVec", axes}};
}

Dictionary reduce(LegacyStream& s) {
  const uint32_t n = s.since(22) ? s.number<uint32_t>() : 1;
  DictionaryVector axes;
  for (uint32_t i = 0; i < n; ++i) axes.push_back(axis_of(s.number<int32_t>()));
  Dictionary d{{"reductionOpName", s.text()}};
  const bool keeps = s.since(24) ? s.flag() : true;
  const bool all = n == 1 && axes[0].as<Axis>() == Axis::all_static();
  d["reductionKeepDimensions"] = keeps || all;  // as CNTK 2.7 reads it
  if (n == 1)
    d["axis"] = axes[0];
  else
    d["axisVec"] = axes;
  return d;
}

void write_reduce(LegacyOutput& out, const Dictionary& d) {
  const DictionaryVector axes =
      d.contains("axis") ? DictionaryVector{d.at("axis")} : d.at("axisVec").as<DictionaryVector>();
  out.number(static_cast<uint32_t>(axes.size()));
  for (const DictionaryValue& a : axes) out.number(one_based(a.as<Axis>()));
  out.text(d.at("reductionOpName").as<std::string>());
  const DictionaryValue* keeps = d.find("reductionKeepDimensions");
  out.flag(!keeps || keeps->as<bool>());
}

// Whatever looks at windows: convolutions and poolings.
struct LegacyWindow {
  Shape kernel, strides, lower, upper;
  DictionaryVector sharing, padding;
  uint32_t pooling = 0;  // 1: maxima, 2: means
  uint64_t memory = 0;
  bool transpose = false, ceil = false, include_pad = false;
  Shape output;
};

LegacyWindow window(LegacyStream& s) {
  LegacyWindow w;
  w.kernel = s.shape();
  s.shape();  // of the maps, which the parameter tells, too
  w.strides = s.shape();
  w.sharing = flags(s);
  w.padding = flags(s);
  w.lower = s.shape();
  w.upper = s.shape();
  w.pooling = s.number<uint32_t>();
  s.number<uint32_t>();  // the order of the axes of images
  w.memory = s.number<uint64_t>();
  if (s.since(11)) w.transpose = s.flag();
  if (s.since(20)) w.output = s.shape();
  if (s.since(21)) w.ceil = s.flag();
  if (s.since(23)) w.include_pad = s.flag();
  return w;
}

Dictionary convolution(LegacyStream& s) {
  LegacyWindow w = window(s);
  s.flag();  // a convolution of two dimensions
  Shape dilation = s.since(18) ? s.shape() : Shape{1};
  return {{"kernelShape", w.kernel},  {"strides", w.strides},
          {"sharing", w.sharing},     {"autoPadding", w.padding},
          {"lowerPad", w.lower},      {"upperPad", w.upper},
          {"transpose", w.transpose}, {"outputShape", w.output.empty() ? Shape{0} : w.output},
          {"dilation", dilation},     {"maxTempMemSizeInSamples", w.memory},
          {"sequential", false},      {"groups", uint64_t{1}}};
}

Dictionary pooling(LegacyStream& s) {
  const LegacyWindow w = window(s);
  if (w.pooling < 1 || w.pooling > 2) s.refuse(cat("a pooling is of the kind ", w.pooling));
  return {{"poolingType", uint64_t{w.pooling - 1}},
          {"poolingWindowShape", w.kernel},
          {"strides", w.strides},
          {"autoPadding", w.padding},
          {"lowerPad", w.lower},
          {"upperPad", w.upper},
          {"ceilOutDim", w.ceil},
          {"includePad", w.include_pad}};
}

Dictionary unpooling(LegacyStream& s) {
  const LegacyWindow w = window(s);
  return {{"poolingType", uint64_t{0}}, {"unpoolingWindowShape", w.kernel},
          {"strides", w.strides},       {"autoPadding", w.padding},
          {"lowerPad", w.lower},        {"upperPad", w.upper}};
}

Dictionary roi_pooling(LegacyStream& s) {
  const Shape output = s.shape();
  const uint32_t kind = s.number<uint32_t>();
  return {
      {"roiOutputShape", output}, {"poolingType", uint64_t{kind - 1}}, {"spatialScale", s.number<double>()}};
}

Dictionary batch_normalization(LegacyStream& s) {
  Dictionary d{{"spatial", s.flag()}};
  d["normalizationTimeConstant"] = s.number<double>();
  d["blendTimeConstant"] = s.number<double>();
  s.number<uint32_t>();  // the order of the axes of images
  s.number<uint64_t>();  // samples seen: they are an operand, too
  d["epsilon"] = s.number<double>();
  d["useCuDNNEngine"] = !s.flag();
  d["disableRegularization"] = false;
  return d;
}

uint64_t seed(LegacyStream& s) { return s.since(17) ? s.number<uint64_t>() : s.number<uint32_t>(); }

// The rate is an option of the training there, and not in the file.
Dictionary dropout(LegacyStream& s) {
  const uint64_t first = seed(s);
  return {{"dropoutRate", 0.0}, {"rngSeed", first}, {"rngOffset", s.number<uint64_t>()}};
}

Dictionary random_sample(LegacyStream& s) {
  Dictionary d{{"allowDuplicates", s.flag()}};
  d["numSamples"] = s.number<uint64_t>();
  d["rngSeed"] = seed(s);
  d["rngOffset"] = s.number<uint64_t>();
  return d;
}

// Axes of which a model knows no more than the name.
Dictionary where(LegacyStream& s) {
  const std::string axis = s.text();
  if (axis == kNoSequenceAxis) return {{"newDynamicAxes", DictionaryVector{Axis::batch()}}};
  return {{"newDynamicAxes", DictionaryVector{Axis(axis), Axis::batch()}}};
}

Dictionary forward_backward(LegacyStream& s) {
  const int32_t delay = s.number<int32_t>();
  return {{"DelayConstraint", delay}, {"BlankTokenId", s.number<uint64_t>()}};
}

Dictionary edit_distance(LegacyStream& s) {
  Dictionary d{{"SubstitutionPenalty", s.number<float>()}};
  d["DeletionPenalty"] = s.number<float>();
  d["InsertionPenalty"] = s.number<float>();
  d["SquashInputs"] = s.flag();
  DictionaryVector tokens(s.count(sizeof(uint64_t)));
  for (DictionaryValue& t : tokens) t = s.number<uint64_t>();
  d["TokensToIgnore"] = tokens;
  return d;
}

Dictionary crop(LegacyStream& s) {
  const double x = s.number<double>(), y = s.number<double>();
  if (!(x >= 0 && x < 1e9 && y >= 0 && y < 1e9)) s.refuse("offsets of a crop are no places");
  return {{"offset", DictionaryVector{static_cast<uint64_t>(x), static_cast<uint64_t>(y)}}};
}

const std::vector<LegacyOperation>& operations() {
  static const std::vector<LegacyOperation> all = {
      {"Abs", 8},
      {"Acos", 82},
      {"Asin", 81},
      {"BatchNormalization", 40, {}, batch_normalization},
      {"ClassificationError", 36, {1, 0, 2}},
      {"Clip", 41, {2, 0, 1}},
      {"Convolution", 33, {}, convolution},
      {"CosDistance", 53},
      {"Cosh", 78},
      {"Cosine", 55},
      {"Crop", 84, {}, crop},
      {"Dropout", 15, {}, dropout},
      {"EditDistanceError", 61, {}, edit_distance},
      {"ElementTimes", 21},
      {"Equal", 22},
      {"ErrorPrediction", 36, {1, 0, 2}},
      {"Exp", 4},
      {"ExponentialLinearUnit", 65},
      {"Floor", 7},
      {"ForwardBackward", 66, {}, forward_backward},
      {"GatherPacked", 29, {1, 0}},
      {"Greater", 26},
      {"GreaterEqual", 27},
      {"Hardmax", 11},
      {"If", 42},
      {"LabelsToGraph", 63},
      {"LambdaRank", 59, {1, 0, 2}},
      {"Less", 24},
      {"LessEqual", 25},
      {"Log", 5},
      {"LogPlus", 52},
      {"Logistic", 48, {1, 0, 2}},
      {"MaxUnpooling", 58, {}, unpooling},
      {"Minus", 20},
      {"NDCG1Eval", 60, {1, 0, 2}},
      {"Negate", 0},
      {"NotEqual", 23},
      {"PackedIndex", 28},
      {"Pass", 62},
      {"Plus", 19},
      {"Pooling", 17, {}, pooling},
      {"Pow", 69},
      {"ROIPooling", 47, {}, roi_pooling},
      {"RandomSample", 45, {}, random_sample},
      {"RandomSampleInclusionFrequency", 46, {}, random_sample},
      {"Reciprocal", 9},
      {"ReconcileDynamicAxis", 50},
      {"RectifiedLinear", 3},
      {"ReduceElements", 39, {}, reduce, write_reduce},
      {"Reshape", 16, {}, reshape},
      {"RowStack", 43, {}, splice, write_splice},
      {"ScatterPacked", 30, {2, 1, 0}},
      {"Sigmoid", 75},
      {"Sin", 54},
      {"Sinh", 77},
      {"Slice", 14, {}, slice, write_slice},
      {"Softmax", 10},
      {"Sqrt", 6},
      {"StableSigmoid", 75},
      {"StopGradient", 64},
      {"Tan", 95},
      {"Tanh", 2},
      {"Times", 31, {}, times, write_times},
      {"TransposeDimensions", 12, {}, transpose},
      {"TransposeTimes", 32, {}, transpose_times, write_times},
      {"Where", 13, {}, where},
  };
  return all;
}

}  // namespace

const LegacyOperation* legacy_operation(std::string_view name) {
  static const std::unordered_map<std::string_view, const LegacyOperation*> by_name = [] {
    std::unordered_map<std::string_view, const LegacyOperation*> map;
    for (const LegacyOperation& o : operations()) map.emplace(o.name, &o);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const LegacyOperation* legacy_operation(uint64_t number) {
  const auto found = std::ranges::find_if(operations(), [&](const LegacyOperation& o) {
    return o.number == number && (o.write || !o.attributes) && std::string_view(o.name) != "Sigmoid";
  });
  return found == operations().end() ? nullptr : &*found;
}

}  // namespace cantik
