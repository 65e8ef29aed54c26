#include "api/client/eigen_threads.h"

#define EIGEN_USE_THREADS
#include "runtime/parallel.h"
#include "unsupported/Eigen/CXX11/Tensor"
#include "xla/service/backend.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/threadpool.h"

namespace xla {

struct Backend::IntraOpThreads {
  explicit IntraOpThreads(int count)
      : pool(tsl::Env::Default(), tsl::ThreadOptions(), "intra_op", count,
             /*low_latency_hint=*/false),
        device(pool.AsEigenThreadPool(), pool.NumThreads()) {}

  tsl::thread::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
};

Backend::Backend() = default;
Backend::~Backend() = default;

Backend::IntraOpThreads& Backend::intra_op_threads() const {
  std::call_once(has_threads_, [this] {
    const int count = intra_op_parallelism_threads_;
    threads_ = std::make_unique<IntraOpThreads>(count > 0 ? count : runtime::ThreadCount());
  });
  return *threads_;
}

tsl::thread::ThreadPool* Backend::eigen_intra_op_thread_pool() const {
  return &intra_op_threads().pool;
}

const Eigen::ThreadPoolDevice* Backend::eigen_intra_op_thread_pool_device() const {
  return &intra_op_threads().device;
}

int ThreadsOf(const Eigen::ThreadPoolDevice* device) {
  return device == nullptr ? 0 : device->numThreads();
}

}  // namespace xla
