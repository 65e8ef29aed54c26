// The kernels of a program.
#ifndef HILO_CPU_EMIT_KERNEL_SET_H_
#define HILO_CPU_EMIT_KERNEL_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "cpu/emit/unit.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

// Equal for computations that compute the same, whatever their instructions are called.
std::string KeyOf(const HloComputation& computation);

// Whether no result of an instruction has an element.
bool HasNoElements(const HloInstruction& instruction);

class KernelSet {
 public:
  // A global function of type HiloKernel.
  struct Entry {
    std::string name;
    int64_t rows;
    double cost_of_row;
  };

  // Emits the kernels of all fusions of a module that have something to compute, in the units that
  // there are and in more, which it adds; fusions that compute the same share one. Unimplemented
  // when one has operations without code.
  static absl::StatusOr<KernelSet> Make(const HloModule& module, const codegen::Target& target,
                                        Units& units);

  const Entry& Of(const HloInstruction& fusion) const { return entries_[numbers_.at(&fusion)]; }

 private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<const HloInstruction*, size_t> numbers_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_KERNEL_SET_H_
