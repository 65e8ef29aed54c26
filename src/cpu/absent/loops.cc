#include "cpu/loops.h"

#include "xla/util.h"

namespace xla::cpu {

absl::StatusOr<std::string> PlanText(const HloModule&, absl::string_view) {
  return Unimplemented("plans and kernels need a build with LLVM");
}

}  // namespace xla::cpu
