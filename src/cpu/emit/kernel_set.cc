#include "cpu/emit/kernel_set.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cpu/jit/machine_code.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace xla::cpu {
namespace {

// So many instructions of kernels are worth a unit: for less, LLVM and the linker take longer to
// begin than the work is worth to another thread. It is the same for any number of threads, so that
// the code is.
constexpr int64_t kInstructionsOfUnit = 20;
// More units than this do not keep more threads busy.
constexpr int64_t kMostUnits = 32;

}  // namespace

std::string KernelName(size_t number) { return absl::StrCat("kernel_", number); }

absl::Status EmitKernels(const program::Plan& plan, Units& units) {
  int64_t all = 0;
  for (const auto& kernel : plan.kernels) all += kernel.computation->instruction_count();
  const int64_t of_unit = std::max(kInstructionsOfUnit, all / kMostUnits);
  std::vector<size_t> firsts;  // kernels of units
  int64_t instructions = of_unit;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    if (instructions >= of_unit) {
      firsts.push_back(i);
      instructions = 0;
    }
    instructions += plan.kernels[i].computation->instruction_count();
  }
  const size_t count = firsts.size();
  firsts.push_back(plan.kernels.size());
  // Beside the units that call them.
  const size_t first_unit = units.size();
  for (size_t i = 0; i < count; ++i)
    units.push_back(std::make_unique<Unit>(*plan.module, *plan.target));
  return ForEachAtOnce(static_cast<int64_t>(count), [&](int64_t unit) -> absl::Status {
    Unit& own = *units[first_unit + unit];
    for (size_t i = firsts[unit]; i < firsts[unit + 1]; ++i) {
      const std::string name = KernelName(i);
      HILO_RETURN_IF_ERROR(EmitKernel(own, plan.kernels[i].loops, name));
      if (plan.kernels[i].is_cold) GenerateQuickly(*own.module().getFunction(name));
    }
    return absl::OkStatus();
  });
}

}  // namespace xla::cpu
