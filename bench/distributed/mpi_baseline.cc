// Only the C interface.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "bench/distributed/baseline.h"

namespace xla {
namespace {

// Over the world that the engine has begun.
class MpiBaseline : public Baseline {
 public:
  explicit MpiBaseline(const ProcessPlace& place) : place_(place) {}

  void AllReduce(float* data, size_t count) override {
    MPI_Allreduce(MPI_IN_PLACE, data, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }

  void Exchange(const char* sent, char* received, size_t bytes) override {
    const int next = (place_.rank + 1) % place_.size;
    const int before = (place_.rank + place_.size - 1) % place_.size;
    MPI_Sendrecv(sent, static_cast<int>(bytes), MPI_BYTE, next, 0, received,
                 static_cast<int>(bytes), MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

 private:
  const ProcessPlace place_;
};

}  // namespace

std::unique_ptr<Baseline> MakeMpiBaseline(const ProcessPlace& place) {
  return std::make_unique<MpiBaseline>(place);
}

}  // namespace xla
