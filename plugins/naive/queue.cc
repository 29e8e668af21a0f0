#include "queue.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "memory.h"

namespace naive {
namespace {

// A call of a kernel, with operands of its own: the host changes its own as soon as it is back.
class Launch {
 public:
  explicit Launch(const cantik_launch& l)
      : run_(l.run),
        state_(l.state),
        call_(*l.call),
        operands_(l.call->in, l.call->in + l.inputs),
        inputs_(static_cast<size_t>(l.inputs)) {
    operands_.insert(operands_.end(), l.call->out, l.call->out + l.outputs);
    for (cantik_operand& o : operands_) {
      o.data = found(o.data);
      o.map = found(o.map);
      o.offsets = found(o.offsets);
      o.starts = found(o.starts);
      o.columns = found(o.columns);
    }
    call_.scratch = found(call_.scratch);
  }
  cantik_status operator()(char* text, size_t size) {
    call_.in = operands_.data();
    call_.out = operands_.data() + inputs_;
    return run_(state_, &call_, text, size);
  }

 private:
  cantik_status (*run_)(const void*, const cantik_run*, char*, size_t);
  const void* state_;
  cantik_run call_;
  std::vector<cantik_operand> operands_;
  size_t inputs_;
};

class Queue {
 public:
  using Work = std::function<cantik_status(char* text, size_t size)>;
  void put(int64_t number, Work work) { work_.emplace_back(number, std::move(work)); }

  // Does all that is there. After a failure the rest is left undone.
  cantik_status catch_up(cantik_device_failure* f) {
    const auto all = std::exchange(work_, {});
    for (const auto& [number, work] : all)
      if (const cantik_status status = work(f->text, f->text_size)) {
        f->launch = number;
        return status;
      }
    return CANTIK_OK;
  }

 private:
  std::vector<std::pair<int64_t, Work>> work_;
};

// f() puts something into a queue, for which there may be no memory.
template <class F>
cantik_status putting(cantik_device_failure* f, F&& put) {
  try {
    put();
    return CANTIK_OK;
  } catch (const std::exception& e) {
    std::snprintf(f->text, f->text_size, "%s", e.what());
    return CANTIK_MEMORY;
  }
}

Queue& queue_of(void* queue) { return *static_cast<Queue*>(queue); }

cantik_status open(void*, int32_t, void** queue, cantik_device_failure* f) {
  return putting(f, [&] { *queue = new Queue; });
}

void close(void*, void* queue) {
  char text[512];
  cantik_device_failure nobody{sizeof nobody, text, sizeof text, -1};
  queue_of(queue).catch_up(&nobody);
  delete &queue_of(queue);
}

cantik_status to_device(void*, void* queue, void* to, const void* from, size_t bytes,
                        cantik_device_failure* f) {
  return putting(f, [&] {
    std::vector<char> sent(bytes);
    std::memcpy(sent.data(), from, bytes);
    queue_of(queue).put(-1, [to, sent = std::move(sent)](char*, size_t) {
      std::memcpy(found(to), sent.data(), sent.size());
      return cantik_status{CANTIK_OK};
    });
  });
}

cantik_status within(void*, void* queue, void* to, const void* from, size_t bytes, cantik_device_failure* f) {
  return putting(f, [&] {
    queue_of(queue).put(-1, [=](char*, size_t) {
      std::memcpy(found(to), found(from), bytes);
      return cantik_status{CANTIK_OK};
    });
  });
}

cantik_status to_host(void*, void* queue, void* to, const void* from, size_t bytes,
                      cantik_device_failure* f) {
  const cantik_status status = queue_of(queue).catch_up(f);
  if (status == CANTIK_OK) std::memcpy(to, found(from), bytes);
  return status;
}

cantik_status launch(void*, void* queue, const cantik_launch* l, cantik_device_failure* f) {
  return putting(f, [&] { queue_of(queue).put(l->number, Launch(*l)); });
}

}  // namespace

void give_queues(cantik_backend& b) {
  b.open = &open;
  b.close = &close;
  b.to_device = &to_device;
  b.to_host = &to_host;
  b.within = &within;
  b.launch = &launch;
  b.wait = [](void*, void* queue, cantik_device_failure* f) { return queue_of(queue).catch_up(f); };
}

}  // namespace naive
