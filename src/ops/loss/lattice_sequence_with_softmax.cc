// Sequence training over lattices: maximum mutual information, boosted or not, and the state-level minimum
// Bayes risk, each smoothed with the cross entropy of the frames (Povey 2003; Povey et al. 2008, Boosted MMI;
// Su et al. 2013, Error back propagation for sequence training; Vesely et al. 2013).
//
// With x the logarithms of the likelihoods, r(t) the state that was spoken, k = 1 / AMF, and log Z, gamma and
// c of lattice_paths.h:
//
//   MMI: value = k sum over t of x(t, r(t)) - log Z          MBR: value = k sum over t of x(t, r(t)) - c
//
// The value is CNTK's, which tells how training goes; the gradient of the prediction is that of what is
// trained, H, where x is the prediction's log softmax but for constants:
//
//   MMI: H = (1 - h) CE - h / k * value                      MBR: H = (1 - h) CE - h c
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "ops/loss/lattice_paths.h"
#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct SequenceTraining {
  std::string symListPath, phonePath, stateListPath, transProbPath, latticeConfigPath = "LatticeNode.config";
  double hSmoothingWeight = 0.95, frameDropThresh = 1e-10;
  bool doReferenceAlign = false, seqGammarUsesMBR = false;
  double seqGammarAMF = 14, seqGammarLMF = 14, seqGammarBMMIFactor = 0, seqGammarWordPen = 0;
  static constexpr auto fields() {
    return list(
        field("symListPath", &SequenceTraining::symListPath, "the file of the symbols of lattices")
            .key("SymListPath"),
        field("phonePath", &SequenceTraining::phonePath,
              "the file of the units: transitions and states of each")
            .key("PhonePath"),
        field("stateListPath", &SequenceTraining::stateListPath, "the file of the states")
            .key("StateListPath"),
        field("transProbPath", &SequenceTraining::transProbPath, "the file of the transitions")
            .key("TransProbPath"),
        field(
            "latticeConfigPath", &SequenceTraining::latticeConfigPath,
            "a file that, where it is there, names the four others in their order, a line each, in place of "
            "what is given")
            .key("LatticeConfigPath"),
        field("hSmoothingWeight", &SequenceTraining::hSmoothingWeight,
              "the weight of the sequences' criterion; the rest is that of the frames' cross entropy")
            .key("HSmoothingWeight")
            .role(CANTIK_SINGLE),
        field("frameDropThresh", &SequenceTraining::frameDropThresh,
              "MMI: a frame whose spoken state is less probable than that in the lattice has no gradient")
            .key("FrameDropThresh")
            .role(CANTIK_SINGLE),
        field("doReferenceAlign", &SequenceTraining::doReferenceAlign, "not there, as in CNTK: must be False")
            .key("DoReferenceAlign"),
        field("seqGammarUsesMBR", &SequenceTraining::seqGammarUsesMBR,
              "the minimum Bayes risk of states in place of maximum mutual information")
            .key("SeqGammarUsesMBR"),
        field("seqGammarAMF", &SequenceTraining::seqGammarAMF, "divides all scores of an arc")
            .key("SeqGammarAMF")
            .role(CANTIK_SINGLE),
        field("seqGammarLMF", &SequenceTraining::seqGammarLMF, "multiplies the scores of the language model")
            .key("SeqGammarLMF")
            .role(CANTIK_SINGLE),
        field("seqGammarBMMIFactor", &SequenceTraining::seqGammarBMMIFactor,
              "what each frame in its spoken state takes from the score of an arc: boosted MMI")
            .key("SeqGammarBMMIFactor")
            .role(CANTIK_SINGLE),
        field("seqGammarWordPen", &SequenceTraining::seqGammarWordPen, "added to the score of each arc")
            .key("SeqGammarWordPen")
            .role(CANTIK_SINGLE));
  }
};

LatticeFiles files_of(const SequenceTraining& a) {
  LatticeFiles files{a.symListPath, a.phonePath, a.stateListPath, a.transProbPath};
  if (!is_file(a.latticeConfigPath)) return files;
  const Bytes bytes = read_file(a.latticeConfigPath);
  std::string_view text = bytes.view();
  for (std::string* path : {&files.symbols, &files.phones, &files.states, &files.transitions}) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) throw Failure(CANTIK_RUNTIME, a.latticeConfigPath + " names fewer than four files");
    *path = line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return files;
}

// Operands from `first` on: labels, prediction, logarithms of likelihoods, lattice.
template <class T>
struct Criterion : Kernel {
  SequenceTraining a;
  int first;
  int64_t classes;
  LatticeUnits models;
  Criterion(const Prepare& p, const SequenceTraining& a, int first)
      : a(a), first(first), classes(p.in(first).shape.elements()), models(files_of(a)) {
    if (models.states() > classes)
      throw Failure(CANTIK_RUNTIME, "the file of states has " + std::to_string(models.states()) +
                                        " states, and the labels have " + std::to_string(classes) +
                                        " classes");
  }
  int64_t units(int64_t) const override { return 1; }

  // One sequence: its frames, the state spoken in each, its lattice.
  struct Utterance {
    int64_t begin, frames;  // its rows
    std::vector<int64_t> spoken;
    Lattice lattice;
  };

  Utterance utterance(const Run& r, int64_t s) const {
    Utterance u{sequences::first(r.in(first), s), sequences::length(r.in(first), s), {}, {}};
    for (int64_t t = 0; t < u.frames; ++t) {
      const T* label = r.row<T>(first, u.begin + t);
      u.spoken.push_back(std::max_element(label, label + classes) - label);
    }
    std::string bytes;
    for (int64_t row = sequences::first(r.in(first + 3), s); row < sequences::last(r.in(first + 3), s); ++row)
      bytes.append(reinterpret_cast<const char*>(r.row<float>(first + 3, row)), sizeof(float));
    u.lattice = Lattice::read(bytes, s);
    if (u.lattice.frames != u.frames)
      throw Failure(CANTIK_RUNTIME, "the lattice of sequence " + std::to_string(s) + " has " +
                                        sequences::counted(u.lattice.frames, "frame") +
                                        ", and the sequence has " + std::to_string(u.frames));
    expect_symbols(u.lattice, s);
    return u;
  }

  // Those that arcs have must be in the list.
  void expect_symbols(const Lattice& lattice, int64_t s) const {
    auto expect = [&](int64_t symbol) {
      if (symbol >= models.symbols())
        throw Failure(CANTIK_RUNTIME, "the lattice of sequence " + std::to_string(s) + " has the symbol " +
                                          std::to_string(symbol) + ", and the list has " +
                                          sequences::counted(models.symbols(), "symbol") +
                                          ", the pause \"sp\" included");
    };
    for (const Lattice::Arc& arc : lattice.arcs) {
      for (int64_t k = arc.first; k < arc.first + arc.count; ++k) expect(lattice.units[k].symbol);
      if (arc.ends_in_pause) expect(lattice.pause_symbol);
    }
  }

  LatticePaths paths() const {
    return LatticePaths(models, {.acoustic = a.seqGammarAMF,
                                 .language = a.seqGammarLMF,
                                 .word_penalty = a.seqGammarWordPen,
                                 .boost = a.seqGammarUsesMBR ? 0 : a.seqGammarBMMIFactor});
  }
  void read(const Run& r, const Utterance& u, LatticePaths& paths) const {
    paths.read(u.lattice, u.spoken, [&](int64_t t) { return r.row<T>(first + 2, u.begin + t); });
  }
};

template <class T>
struct Loss final : Criterion<T> {
  Loss(const Prepare& p, const SequenceTraining& a) : Criterion<T>(p, a, 0) {}
  void run(const Run& r) const override {
    LatticePaths paths = this->paths();
    double sum = 0;
    for (int64_t s = 0, n = sequences::count(r.in(0)); s < n; ++s) {
      const auto u = this->utterance(r, s);
      this->read(r, u, paths);
      for (int64_t t = 0; t < u.frames; ++t)
        sum += static_cast<double>(r.row<T>(2, u.begin + t)[u.spoken[t]]) / this->a.seqGammarAMF;
      sum -= this->a.seqGammarUsesMBR ? paths.correct() : paths.log_sum();
    }
    *r.result<T>(0, 0) = static_cast<T>(sum);
  }
};

// Operands: dy, then those of the loss. The result is the gradient of the prediction.
template <class T>
struct Slopes final : Criterion<T> {
  Slopes(const Prepare& p, const SequenceTraining& a) : Criterion<T>(p, a, 1) {}

  void run(const Run& r) const override {
    LatticePaths paths = this->paths();
    const T dy = *r.row<T>(0, 0);
    for (int64_t s = 0, n = sequences::count(r.in(1)); s < n; ++s) {
      const auto u = this->utterance(r, s);
      this->read(r, u, paths);
      for (int64_t t = 0; t < u.frames; ++t) softmax(r.row<T>(2, u.begin + t), line(r, u, t));
      if (this->a.seqGammarUsesMBR)
        risk(r, u, paths);
      else
        information(r, u, paths);
      for (int64_t t = 0; t < u.frames; ++t)
        for (T* x = line(r, u, t); x < line(r, u, t) + this->classes; ++x) *x *= dy;
    }
  }

 private:
  using Utterance = typename Criterion<T>::Utterance;

  T* line(const Run& r, const Utterance& u, int64_t t) const { return r.result<T>(0, u.begin + t); }
  // Times what is left for the cross entropy.
  void softmax(const T* x, T* to) const {
    const double most = static_cast<double>(*std::max_element(x, x + this->classes));
    double sum = 0;
    for (int64_t k = 0; k < this->classes; ++k) sum += std::exp(static_cast<double>(x[k]) - most);
    for (int64_t k = 0; k < this->classes; ++k)
      to[k] =
          static_cast<T>((1 - this->a.hSmoothingWeight) * std::exp(static_cast<double>(x[k]) - most) / sum);
  }
  void subtract_labels(const Run& r, const Utterance& u, double weight) const {
    for (int64_t t = 0; t < u.frames; ++t) {
      const T* label = r.row<T>(1, u.begin + t);
      for (int64_t k = 0; k < this->classes; ++k) line(r, u, t)[k] -= static_cast<T>(weight) * label[k];
    }
  }

  // (1 - h) softmax + h gamma - labels
  void information(const Run& r, const Utterance& u, LatticePaths& paths) const {
    std::vector<double> of_spoken(static_cast<size_t>(u.frames));
    paths.occupancies([&](int64_t t, int64_t state, double gamma) {
      line(r, u, t)[state] += static_cast<T>(this->a.hSmoothingWeight * gamma);
      if (const auto i = static_cast<size_t>(t); state == u.spoken[i]) of_spoken[i] += gamma;
    });
    subtract_labels(r, u, 1);
    for (int64_t t = 0; t < u.frames; ++t)
      if (of_spoken[t] < this->a.frameDropThresh) std::fill_n(line(r, u, t), this->classes, T(0));
  }
  // (1 - h) (softmax - labels) - h dc/dx
  void risk(const Run& r, const Utterance& u, LatticePaths& paths) const {
    const double h = this->a.hSmoothingWeight;
    paths.slopes_of_correct(
        [&](int64_t t, int64_t state, double slope) { line(r, u, t)[state] -= static_cast<T>(h * slope); });
    subtract_labels(r, u, 1 - h);
  }
};

template <template <class> class K>
constexpr auto kernel = [](const Prepare& p, const SequenceTraining& a) -> std::unique_ptr<Kernel> {
  return of_type<K>(p.dtype(), p, a);
};

// Of the operator and of its gradient; labels, prediction, likelihoods and lattice from `first` on.
TypeView joined(Infer& in, int first) {
  for (int i = first; i < first + 4; ++i) sequences::want_sequence(in.in(i));
  const TypeView lattice = in.in(first + 3);
  if (lattice.dtype != DType::unknown && lattice.dtype != DType::float32)
    throw value_failure("the lattice must be of float32, four bytes of it to a number, and is of " +
                        std::string(name_of(lattice.dtype)));
  if (lattice.shape.is_known() && lattice.shape.is_static() && lattice.shape.elements() != 1)
    throw shape_failure("the lattice must have one number a step, and has the shape " + lattice.shape.text());
  const Shape labels = in.shape(first);
  for (int i : {first + 1, first + 2})
    if (const Shape x = in.shape(i); x.is_known() && x.is_static() && labels.is_known() &&
                                     labels.is_static() && x.elements() != labels.elements())
      throw shape_failure(
          "labels, prediction and log likelihoods must have the same number of classes, and " +
          std::to_string(labels.elements()) + " and " + std::to_string(x.elements()) + " stand side by side");
  in.join(first, first + 1, Shape());
  in.join(first, first + 2, Shape());
  return in.join(first + 1, first + 2, in.shape(first + 1));
}

void check(const SequenceTraining& a) {
  for (const std::string* path : {&a.symListPath, &a.phonePath, &a.stateListPath, &a.transProbPath})
    if (path->empty())
      throw value_failure(
          "symListPath, phonePath, stateListPath and transProbPath must name files, and one "
          "of them is empty");
  if (a.doReferenceAlign)
    throw Failure(CANTIK_UNSUPPORTED,
                  "alignment to the reference (doReferenceAlign) is not there, as in CNTK",
                  "give labels that are aligned");
  if (!(a.seqGammarAMF > 0))
    throw value_failure("seqGammarAMF must be greater than 0, and is " + std::to_string(a.seqGammarAMF));
}

}  // namespace

CANTIK_OP(lattice_sequence_with_softmax) {
  op.attributes<SequenceTraining>(
        "lattice_sequence_with_softmax(label, prediction, loglikelihood, lattice, symListPath, phonePath, "
        "stateListPath, transProbPath, latticeConfigPath='LatticeNode.config', hSmoothingWeight=0.95, "
        "frameDropThresh=1e-10, doReferenceAlign=False, seqGammarUsesMBR=False, seqGammarAMF=14.0, "
        "seqGammarLMF=14.0, seqGammarBMMIFactor=0.0, seqGammarWordPen=0.0, name='')")
      .doc(
          "Training on whole utterances over their lattices, summed: maximum mutual information, or the "
          "minimum Bayes risk of states, smoothed with the cross entropy of the frames. label: [states], the "
          "state that was spoken in each frame; prediction: [states], before the softmax; loglikelihood: "
          "[states], the prediction less the logarithms of the states' frequencies, through which no "
          "gradient goes; lattice: what LatticeDeserializer brings. Its gradient is not that of its value: "
          "files and formulas are in docs/reference/speech_files.md; examples/sequence_training.py trains "
          "with "
          "it.")
      .type([](Infer& in, const SequenceTraining& a) {
        check(a);
        TypeView t = joined(in, 0);
        t.shape = Shape();
        t.axes = CANTIK_NO_AXES;
        t.sequence_axis = -1;
        in.set(t);
      })
      .gradient([](Gradient& g, const SequenceTraining& a) {
        if (!g.wanted(1)) return;
        g.dx(1, g.call("lattice_sequence_slopes", {g.dy(), g.x(0), g.x(1), g.x(2), g.x(3)},
                       {{"symListPath", a.symListPath.c_str()},
                        {"phonePath", a.phonePath.c_str()},
                        {"stateListPath", a.stateListPath.c_str()},
                        {"transProbPath", a.transProbPath.c_str()},
                        {"latticeConfigPath", a.latticeConfigPath.c_str()},
                        {"hSmoothingWeight", a.hSmoothingWeight},
                        {"frameDropThresh", a.frameDropThresh},
                        {"seqGammarUsesMBR", a.seqGammarUsesMBR},
                        {"seqGammarAMF", a.seqGammarAMF},
                        {"seqGammarLMF", a.seqGammarLMF},
                        {"seqGammarBMMIFactor", a.seqGammarBMMIFactor},
                        {"seqGammarWordPen", a.seqGammarWordPen}}));
      })
      .kernel("lattices", kernel<Loss>)
      .cntk("LatticeSequenceWithSoftmax", 90)
      .named("test.none", "its lattices and files are no random numbers: tests/python/test_lattices.py");

  op.attributes<SequenceTraining>(
        "lattice_sequence_slopes(dy, label, prediction, loglikelihood, lattice, symListPath, phonePath, "
        "stateListPath, transProbPath, latticeConfigPath, hSmoothingWeight, frameDropThresh, "
        "doReferenceAlign=False, seqGammarUsesMBR=False, seqGammarAMF=14.0, seqGammarLMF=14.0, "
        "seqGammarBMMIFactor=0.0, seqGammarWordPen=0.0)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const SequenceTraining&) {
        in.set(sequences::with_axes_of(joined(in, 1), in.in(2)));
      })
      .kernel("lattices", kernel<Slopes>);
}
