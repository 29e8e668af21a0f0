// Training in several processes.
#include <nanobind/stl/optional.h>

#include <cantik/distributed.h>

#include "binding/dictionary.h"
#include "binding/options.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

std::vector<Tensor> tensors_in(nb::handle list) {
  std::vector<Tensor> tensors;
  for (nb::handle item : nb::borrow(list)) {
    const Tensor* t = tensor_in(item);
    if (!t) throw type_error("an NDArrayView was expected, not " + class_name(item));
    tensors.push_back(*t);
  }
  return tensors;
}

nb::list wrapped(const std::vector<Tensor>& tensors) {
  nb::list all;
  for (const Tensor& t : tensors) all.append(wrap(t));
  return all;
}

nb::list sums_of(Communicator& c, nb::handle values, bool in_place) {
  std::vector<Tensor> sums = tensors_in(values);
  if (!in_place)
    for (Tensor& t : sums) t = t.clone();
  {
    Unlocked unlock;
    c.sum(sums, "values");
  }
  return wrapped(sums);
}

// The dictionaries of all workers.
nb::list gathered(Communicator& c, nb::handle own) {
  const std::string bytes = dictionary_from(own).to_bytes();
  std::vector<std::string> all;
  {
    Unlocked unlock;
    all = c.gather(bytes, "dictionaries");
  }
  nb::list dictionaries;
  for (const std::string& s : all) dictionaries.append(to_python(Dictionary::from_bytes(s)));
  return dictionaries;
}

LearnerPtr local_in(nb::handle h) {
  LearnerPtr learner;
  if (!nb::try_cast(h, learner) || !learner)
    throw type_error("learner must be a learner, not " + class_name(h));
  return learner;
}

// The workers of a Communicator of Python's; none for all.
CommunicatorPtr workers_in(nb::handle communicator) {
  CommunicatorPtr workers;
  if (communicator.is_none()) return workers;
  nb::object held = nb::getattr(communicator, "_all", nb::none());
  if (!nb::try_cast(held, workers) || !workers)
    throw not_of_kind("communicator", "a Communicator", communicator);
  return workers;
}

}  // namespace

void bind_distributed(nb::module_& m) {
  nb::class_<WorkerDescriptor>(m, "WorkerDescriptor", "One of the processes that train together.")
      .def_ro("global_rank", &WorkerDescriptor::rank, "Its number among all workers, from 0.")
      .def_ro("m_global_rank", &WorkerDescriptor::rank, "The same, under the name of CNTK's binding.")
      .def_ro("m_host_id", &WorkerDescriptor::host, "Its machine, under the name of CNTK's binding.")
      .def_ro("host_id", &WorkerDescriptor::host, "Its machine.")
      .def("is_main", &WorkerDescriptor::is_main, "Whether it is the first, which writes files.")
      .def(
          "__eq__", [](const WorkerDescriptor& a, const WorkerDescriptor& b) { return a == b; },
          nb::is_operator())
      .def("__hash__", [](const WorkerDescriptor& w) { return w.rank; })
      .def("__repr__", [](const WorkerDescriptor& w) {
        return "WorkerDescriptor(global_rank=" + std::to_string(w.rank) + ", host_id='" + w.host + "')";
      });
  nb::class_<Communicator>(m, "Workers", "What the processes that train together do together.")
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size)
      .def_prop_ro("engine", &Communicator::engine)
      .def_prop_ro("descriptors",
                   [](const Communicator& c) {
                     nb::list all;
                     for (const WorkerDescriptor& w : c.workers()) all.append(nb::cast(w));
                     return all;
                   })
      .def("barrier",
           [](Communicator& c) {
             Unlocked unlock;
             c.barrier();
           })
      .def("sums", &sums_of, nb::arg("values"), nb::arg("in_place"))
      .def("gather", &gathered, nb::arg("dictionary"))
      .def(
          "concatenate",
          [](Communicator& c, nb::handle values) {
            std::vector<Value> batches;
            std::vector<Tensor> tensors;
            for (nb::handle item : nb::borrow(values))
              if (const ValueBox* box = value_in(item)) batches.push_back(box->get());
            if (batches.empty()) tensors = tensors_in(values);
            if (!batches.empty() && batches.size() != nb::len(values))
              throw type_error("values must be NDArrayViews or Values, and are some of both");
            {
              Unlocked unlock;
              if (batches.empty())
                tensors = c.concatenate(tensors, "values");
              else
                batches = c.concatenate(batches, "values");
            }
            nb::list all = wrapped(tensors);
            for (const Value& v : batches) all.append(wrap(v));
            return all;
          },
          nb::arg("values"))
      .def(
          "sum_rows",
          [](Communicator& c, nb::handle values) {
            const std::vector<Tensor> own = tensors_in(values);
            std::vector<Tensor> all;
            {
              Unlocked unlock;
              all = c.sum_rows(own);
            }
            return wrapped(all);
          },
          nb::arg("values"))
      .def(
          "sub_group",
          [](Communicator& c, const std::vector<int64_t>& ranks) {
            Unlocked unlock;
            return c.sub_group(ranks);
          },
          nb::arg("ranks"));
  m.def("workers", [] {
    Unlocked unlock;
    return Communicator::world();
  });
  m.def(
      "leave_workers",
      [](const std::string& why) {
        Unlocked unlock;
        Communicator::finalize(why);
      },
      nb::arg("why") = "");
  nb::class_<DistributedLearner, Learner>(
      m, "DistributedLearner",
      "A learner around a learner: the workers exchange what they have learned. Made by "
      "data_parallel_distributed_learner and block_momentum_distributed_learner.")
      .def_prop_ro("is_elastic", &DistributedLearner::is_elastic,
                   "Whether the others go on without a worker that is lost.")
      .def_prop_ro(
          "local_learner", [](const DistributedLearner& l) { return l.local(); },
          "The learner that changes this worker's parameters.")
      .def_prop_ro("_workers", [](const DistributedLearner& l) { return l.communicator(); })
      .def("set_as_metric_aggregator", &DistributedLearner::set_as_metric_aggregator,
           "Of several learners of a trainer this one tells losses and metrics.")
      .def("is_metric_aggregator", &DistributedLearner::is_metric_aggregator)
      .def(
          "_average_sums",
          [](DistributedLearner& l, double loss, double metric) {
            DistributedLearner::Sums sums{loss, metric};
            {
              Unlocked unlock;
              sums = l.averaged(sums);
            }
            return nb::make_tuple(sums.loss, sums.metric);
          },
          nb::arg("loss"), nb::arg("metric"))
      .def("minibatch_size_scale_factor", &DistributedLearner::minibatch_size_scale_factor,
           "How many times as many samples as a schedule says a minibatch of all workers has.")
      .def("parallelization_after", &DistributedLearner::distributed_after,
           "So many samples are learned without an exchange.")
      .def_prop_ro(
          "total_number_of_samples_seen", [](const DistributedLearner& l) { return l.samples_seen(); },
          "How many samples all workers have learned from, as far as this one knows.");
  auto made = [](const LearnerPtr& l) { return std::dynamic_pointer_cast<DistributedLearner>(l); };
  m.def(
      "data_parallel",
      [made](nb::handle learner, nb::handle asynchronous, nb::handle communicator, nb::dict given) {
        const auto options = options_in<DataParallelOptions>(given);
        if (flag_in(asynchronous, "use_async_buffered_parameter_update"))
          throw runtime_error(
              "Asynchronous parameter update is not yet supported for the DataParallelDistributedLearner.");
        const LearnerPtr local = local_in(learner);
        const CommunicatorPtr workers = workers_in(communicator);
        Unlocked unlock;
        return made(data_parallel(local, options, workers));
      },
      nb::arg("learner").none(), nb::arg("asynchronous").none(), nb::arg("communicator").none(),
      nb::arg("options"));
  m.def(
      "block_momentum",
      [made](nb::handle learner, nb::handle communicator, nb::dict given) {
        const auto options = options_in<BlockMomentumOptions>(given);
        const LearnerPtr local = local_in(learner);
        const CommunicatorPtr workers = workers_in(communicator);
        Unlocked unlock;
        return made(block_momentum(local, options, workers));
      },
      nb::arg("learner").none(), nb::arg("communicator").none(), nb::arg("options"));
  m.def(
      "local_sgd",
      [made](nb::handle learner, nb::handle communicator, nb::dict given) {
        const auto options = options_in<LocalSgdOptions>(given);
        const LearnerPtr local = local_in(learner);
        const CommunicatorPtr workers = workers_in(communicator);
        Unlocked unlock;
        return made(local_sgd(local, options, workers));
      },
      nb::arg("learner").none(), nb::arg("communicator").none(), nb::arg("options"));
}

}  // namespace cantik::python
