// Programs with shardings on several devices.
#ifndef HILO_TOOLS_DIVIDED_RUN_H_
#define HILO_TOOLS_DIVIDED_RUN_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/backend.h"
#include "tools/npy.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"

namespace xla {

// The array, or tuple of arrays, of shape `whole` of which each device has a part. Internal where
// devices that should hold the same do not.
absl::StatusOr<Literal> JoinParts(absl::Span<const Literal> parts, const HloSharding& sharding,
                                  const Shape& whole);

// How an array is divided, and which devices have zeros where they hold summands of it.
struct DividedArray {
  HloSharding sharding;
  std::vector<bool> has_zeros;
};

// A module as a program for several devices.
class DividedProgram {
 public:
  // Divides the module by its shardings; one that is made for so many replicas or partitions stays
  // as it is. InvalidArgument where it is made for another number of devices.
  static absl::StatusOr<DividedProgram> Compile(ExecutionBackend& backend,
                                                std::unique_ptr<HloModule> module, int64_t devices);

  CompiledModule& compiled() const { return *compiled_; }
  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  bool is_divided() const { return is_divided_; }

  // What a device takes of the module's inputs. Where the last part of a dimension has less than
  // others, numbers that mean nothing fill it up.
  std::vector<Literal> InputsOf(int64_t device, absl::Span<const Literal> inputs) const;
  // The same of inputs that lie whole in files, of which no more is read.
  absl::StatusOr<std::vector<Literal>> ReadInputsOf(int64_t device,
                                                    absl::Span<const NpyFile> files) const;
  // Runs it on devices of this process, each with its part of the inputs, and gives the result of
  // each.
  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const std::vector<Literal>> parts,
                                           const RunContext& context) const;
  // Of a device's result the arrays that no earlier device has as well, with their numbers, without
  // what fills up last parts. Of a program that is not divided, all.
  std::vector<std::pair<int64_t, Literal>> ShardsOf(int64_t device, const Literal& result) const;
  // The module's result from those of all devices; only for one that is divided.
  absl::StatusOr<Literal> Join(absl::Span<const Literal> parts) const;

 private:
  DividedProgram() : result_sharding_(HloSharding::Replicate()) {}

  std::unique_ptr<CompiledModule> compiled_;
  int64_t replicas_ = 1;
  int64_t partitions_ = 1;
  bool is_divided_ = true;
  std::vector<std::vector<DividedArray>> inputs_;  // the arrays and tokens of each
  HloSharding result_sharding_;
  Shape whole_;
};

// Divides the module and runs it on so many devices of this process.
absl::StatusOr<Literal> RunDivided(ExecutionBackend& backend, std::unique_ptr<HloModule> module,
                                   absl::Span<const Literal> inputs, int64_t devices,
                                   const RunContext& context);

}  // namespace xla

#endif  // HILO_TOOLS_DIVIDED_RUN_H_
