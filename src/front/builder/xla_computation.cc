#include "xla/hlo/builder/xla_computation.h"

#include <utility>

#include "xla/util.h"

namespace xla {

absl::StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (!proto_.has_host_program_shape()) {
    return InvalidArgument("computation %s has no program shape", name());
  }
  return ProgramShape::FromProto(proto_.host_program_shape());
}

absl::StatusOr<std::unique_ptr<HloSnapshot>> XlaComputation::Snapshot() const {
  if (IsNull()) return InvalidArgument("the computation is null");
  auto snapshot = std::make_unique<HloSnapshot>();
  *snapshot->mutable_hlo()->mutable_hlo_module() = proto_;
  return snapshot;
}

}  // namespace xla
