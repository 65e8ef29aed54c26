// A finished program, as XlaBuilder hands it out.
#ifndef XLA_HLO_BUILDER_XLA_COMPUTATION_H_
#define XLA_HLO_BUILDER_XLA_COMPUTATION_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla {

// Holds a HloModuleProto. Movable, not copyable: `XlaComputation(computation.proto())` makes a copy
// where one is meant.
class XlaComputation {
 public:
  XlaComputation() : unique_id_(-1) {}
  XlaComputation(HloModuleProto proto)  // NOLINT: implicit on purpose
      : unique_id_(proto.id()), proto_(std::move(proto)) {}
  XlaComputation(XlaComputation&&) = default;
  XlaComputation& operator=(XlaComputation&&) = default;
  XlaComputation(const XlaComputation&) = delete;
  XlaComputation& operator=(const XlaComputation&) = delete;

  // The shapes of the parameters and of the result; InvalidArgument for a computation without a
  // program shape.
  absl::StatusOr<ProgramShape> GetProgramShape() const;

  const std::string& name() const { return proto_.name(); }
  const HloModuleProto& proto() const { return proto_; }
  HloModuleProto* mutable_proto() { return &proto_; }

  // Itself: a computation may be used like a pointer to one, which is what builders once returned.
  const XlaComputation& operator*() const { return *this; }

  // The program as the start of a record of one execution, without arguments and result.
  absl::StatusOr<std::unique_ptr<HloSnapshot>> Snapshot() const;

  // True for a default-constructed computation.
  bool IsNull() const { return unique_id_ == -1; }

 private:
  int64_t unique_id_;
  HloModuleProto proto_;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_COMPUTATION_H_
