#include <cstring>
#include <memory>

#include "cpu/kernels/kernels.h"
#include "runtime/random_counter.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

class RandomState : public runtime::LibraryKernel {
 public:
  RandomState(int64_t words, int64_t delta) : words_(words), delta_(delta) {}

  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const override {
    const unsigned __int128 state = environment.random_counter->Take(static_cast<uint64_t>(delta_));
    // The low word comes first.
    for (int64_t i = 0; i < words_; ++i) {
      const uint64_t word = static_cast<uint64_t>(state >> (i == 0 ? 0 : 64));
      std::memcpy(static_cast<char*>(arrays[0]) + i * sizeof(word), &word, sizeof(word));
    }
    return absl::OkStatus();
  }

 private:
  const int64_t words_;
  const int64_t delta_;
};

class RandomSeed : public runtime::LibraryKernel {
 public:
  absl::Status Run(void* const* arrays, const runtime::Environment& environment) const override {
    std::memcpy(arrays[0], &environment.seed, sizeof(environment.seed));
    return absl::OkStatus();
  }
};

}  // namespace

KernelOrStatus MakeRandomSeed(const runtime::LibraryCall& call) {
  if (!call.operands.empty() || call.results.size() != 1 ||
      !ShapeUtil::Equal(call.results[0], ShapeUtil::MakeShape(U64, {}))) {
    return InvalidArgument("custom-call %s: GetRngSeed has no operands and gives u64[]",
                           call.instruction.name());
  }
  return std::make_unique<RandomSeed>();
}

KernelOrStatus MakeRandomState(const runtime::LibraryCall& call) {
  return std::make_unique<RandomState>(ShapeUtil::ElementsIn(call.results[0]),
                                       call.instruction.delta());
}

}  // namespace xla::cpu
