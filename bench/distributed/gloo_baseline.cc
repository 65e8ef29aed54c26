#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include "bench/distributed/baseline.h"

namespace xla {
namespace {

class GlooBaseline : public Baseline {
 public:
  explicit GlooBaseline(const ProcessPlace& place)
      : context_(std::make_shared<gloo::rendezvous::Context>(place.rank, place.size)) {
    gloo::transport::tcp::attr address;
    address.hostname = "127.0.0.1";
    std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(address);
    gloo::rendezvous::FileStore store(place.store);
    context_->connectFullMesh(store, device);
  }

  void AllReduce(float* data, size_t count) override {
    gloo::AllreduceOptions options(context_);
    options.setOutput(data, count);
    options.setReduceFunction(
        static_cast<void (*)(void*, const void*, const void*, size_t)>(&gloo::sum<float>));
    gloo::allreduce(options);
  }

  void Exchange(const char* sent, char* received, size_t bytes) override {
    const int next = (context_->rank + 1) % context_->size;
    const int before = (context_->rank + context_->size - 1) % context_->size;
    auto from = context_->createUnboundBuffer(const_cast<char*>(sent), bytes);
    auto to = context_->createUnboundBuffer(received, bytes);
    to->recv(before, kTag);
    from->send(next, kTag);
    to->waitRecv();
    from->waitSend();
  }

 private:
  static constexpr uint64_t kTag = 1;
  std::shared_ptr<gloo::rendezvous::Context> context_;
};

}  // namespace

std::unique_ptr<Baseline> MakeGlooBaseline(const ProcessPlace& place) {
  return std::make_unique<GlooBaseline>(place);
}

}  // namespace xla
