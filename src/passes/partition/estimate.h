// What a program that is divided among devices costs them, from its shapes alone.
#ifndef HILO_PASSES_PARTITION_ESTIMATE_H_
#define HILO_PASSES_PARTITION_ESTIMATE_H_

#include <cstdint>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// Devices that are alike. Each has one link to all others, that sends and receives at the same
// time.
struct DeviceModel {
  // How the devices of a group exchange what a collective asks for.
  enum class Algorithm {
    kFastest,  // of the two
    kRing,     // each sends to the next only, as little as possible but in many messages
    kTree,     // in as few messages as possible: each step reaches devices twice as far away
    kDirect,   // each sends to each of the others, as Hilo's own processes do
  };

  double latency = 10e-6;   // seconds until an empty message has arrived
  double bandwidth = 10e9;  // bytes per second that a device sends, and as many that it receives
  double flops = 1e12;      // per second of a device
  Algorithm algorithm = Algorithm::kFastest;
};

// What a device sends in a collective, each time that it runs. It receives as much.
struct Exchange {
  double bytes = 0;
  int64_t messages = 0;  // one after the other
  double seconds = 0;
  DeviceModel::Algorithm algorithm = DeviceModel::Algorithm::kRing;
};
// Of a collective in which `devices` form a group. `bytes` are those that one device has of the
// operands or, of an all-gather, of the result.
Exchange EstimateExchange(HloOpcode collective, double bytes, int64_t devices,
                          const DeviceModel& model);

struct CollectiveCost {
  const HloInstruction* instruction;
  int64_t devices;  // of a group
  double runs;      // how often it runs, in loops
  Exchange exchange;
};

struct ProgramCost {
  std::vector<CollectiveCost> collectives;  // in their order
  double flops = 0;                         // of a device
  double computing_seconds = 0;
  double parameter_bytes = 0;  // that a device has
  // All collectives together.
  double bytes = 0;
  double messages = 0;
  double sending_seconds = 0;

  // Nothing is sent while something is computed.
  double seconds() const { return computing_seconds + sending_seconds; }
};

// Of a program as each device runs it, which Partition makes. Loops whose number of steps is
// not known count once, and so does each branch of a conditional.
ProgramCost EstimateProgram(const HloModule& module, const DeviceModel& model);

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_ESTIMATE_H_
