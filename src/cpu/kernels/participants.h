// Which devices take part in a collective.
#ifndef HILO_CPU_KERNELS_PARTICIPANTS_H_
#define HILO_CPU_KERNELS_PARTICIPANTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/library_kernel.h"
#include "runtime/rendezvous.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

class Participants {
 public:
  // The call must outlive the object. `kernel` stands for the instruction.
  Participants(const runtime::LibraryCall& call, const runtime::LibraryKernel* kernel);

  const runtime::Exchange& exchange() const { return exchange_; }

  // A program made for several replicas or partitions means something else on fewer.
  absl::Status CheckDeviceCount(const runtime::Device& device) const;

  // The devices of this device's group, in its order; empty when it is in none.
  absl::StatusOr<std::vector<int64_t>> GroupOf(const runtime::Device& device) const;

  // What the ids in groups and pairs say of this device, and the devices that ids stand for.
  int64_t OwnId(const runtime::Device& device) const;
  std::vector<int64_t> Devices(const runtime::Device& device, absl::Span<const int64_t> ids) const;

  // The ids in source_target_pairs, each once.
  absl::StatusOr<std::vector<int64_t>> IdsInPairs(const runtime::Device& device) const;

 private:
  // What the ids in groups and pairs are.
  enum class Mode {
    kReplicas,              // of the device's own partition
    kPartitions,            // of the device's own replica
    kReplicasOfPartitions,  // replicas, each with all its partitions
    kDevices,
  };
  static Mode ModeOf(const HloInstructionProto& instruction);
  int64_t IdCount(const runtime::Device& device) const;
  absl::Status CheckId(int64_t id, int64_t count) const;

  const runtime::LibraryCall& call_;
  const runtime::Exchange exchange_;
  const Mode mode_;
};

// Element i of an array of integers.
int64_t IntegerAt(PrimitiveType type, const char* array, int64_t i);

}  // namespace xla::cpu

#endif  // HILO_CPU_KERNELS_PARTICIPANTS_H_
