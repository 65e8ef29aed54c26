#include "xla/hlo/ir/named_sharding.h"

#include "absl/algorithm/container.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/annotation_text.h"
#include "xla/util.h"

namespace xla {
namespace {

std::vector<AxisRef> AllAxes(const Mesh& mesh) {
  std::vector<AxisRef> axes;
  for (int64_t i = 0; i < mesh.num_axes(); ++i) axes.emplace_back(i);
  return axes;
}

// Whether the set is the whole mesh.
bool IsAllAxes(const std::vector<AxisRef>& axes, const Mesh& mesh) {
  return mesh.num_axes() > 0 && axes == AllAxes(mesh);
}

absl::Status Validate(const Mesh& mesh, const NamedSharding::Axes& axes) {
  if (mesh.IsMaximal() && !axes.dimensions.empty()) {
    return InvalidArgument("a sharding on %s divides no dimensions", mesh.ToString());
  }
  std::vector<AxisRef> all;
  for (const NamedSharding::DimensionSharding& dimension : axes.dimensions) {
    HILO_RETURN_IF_ERROR(ValidateAxisList(dimension.axes, mesh));
    absl::c_copy(dimension.axes, std::back_inserter(all));
  }
  for (const auto* set : {&axes.replicated, &axes.unreduced, &axes.manual}) {
    HILO_RETURN_IF_ERROR(ValidateAxisSet(*set, mesh));
    absl::c_copy(*set, std::back_inserter(all));
  }
  return ValidateAxes(all, mesh);
}

template <typename Protos>
std::vector<AxisRef> AxesFromProto(const Protos& protos) {
  std::vector<AxisRef> axes;
  for (const AxisRefProto& proto : protos) axes.push_back(AxisRef::FromProto(proto));
  return axes;
}

void AxesToProto(const std::vector<AxisRef>& axes,
                 google::protobuf::RepeatedPtrField<AxisRefProto>* protos) {
  for (const AxisRef& axis : axes) *protos->Add() = axis.ToProto();
}

void PrintAxes(Printer* printer, const std::vector<AxisRef>& axes, const Mesh& mesh) {
  AppendJoin(printer, axes, ", ",
             [&](Printer* out, const AxisRef& axis) { axis.Print(out, &mesh); });
}

void PrintAxisSet(Printer* printer, absl::string_view prefix, const std::vector<AxisRef>& axes,
                  const Mesh& mesh) {
  if (axes.empty()) return;
  AppendCat(printer, prefix, "{");
  PrintAxes(printer, axes, mesh);
  printer->Append("}");
}

}  // namespace

NamedSharding::NamedSharding(Mesh mesh, std::vector<OpMetadata> metadata)
    : mesh_(std::move(mesh)), metadata_(std::move(metadata)) {}

NamedSharding::NamedSharding(Mesh mesh, Axes axes, std::vector<OpMetadata> metadata)
    : mesh_(std::move(mesh)), axes_(std::move(axes)), metadata_(std::move(metadata)) {
  CHECK_OK(Validate(mesh_, axes_));
}

NamedSharding NamedSharding::Replicate(Mesh mesh, std::vector<OpMetadata> metadata) {
  return NamedSharding(std::move(mesh), std::move(metadata));
}

NamedSharding NamedSharding::Manual(Mesh mesh, std::vector<OpMetadata> metadata) {
  Axes axes;
  axes.manual = AllAxes(mesh);
  return NamedSharding(std::move(mesh), std::move(axes), std::move(metadata));
}

NamedSharding NamedSharding::Unreduced(Mesh mesh, std::vector<OpMetadata> metadata) {
  Axes axes;
  axes.unreduced = AllAxes(mesh);
  return NamedSharding(std::move(mesh), std::move(axes), std::move(metadata));
}

NamedSharding NamedSharding::MaximalSharding(int64_t device_id, std::vector<OpMetadata> metadata) {
  return NamedSharding(Mesh(device_id), std::move(metadata));
}

absl::StatusOr<NamedSharding> NamedSharding::Create(Mesh mesh, Axes axes,
                                                    std::vector<OpMetadata> metadata) {
  HILO_RETURN_IF_ERROR(Validate(mesh, axes));
  return NamedSharding(std::move(mesh), std::move(axes), std::move(metadata));
}

absl::StatusOr<NamedSharding> NamedSharding::FromProto(const NamedShardingProto& proto) {
  HILO_ASSIGN_OR_RETURN(Mesh mesh, Mesh::FromProto(proto.mesh()));
  Axes axes;
  for (const NamedShardingProto::DimensionSharding& dimension : proto.dim_shardings()) {
    axes.dimensions.push_back({AxesFromProto(dimension.axes()), dimension.is_closed()});
  }
  axes.replicated = AxesFromProto(proto.replicated_axes());
  axes.unreduced = AxesFromProto(proto.unreduced_axes());
  axes.manual = AxesFromProto(proto.manual_axes());
  if (!NamedShardingProto::ReductionOpProto_IsValid(proto.reduction_op())) {
    return InvalidArgument("%d is not a reduction of a named sharding", proto.reduction_op());
  }
  axes.reduction_op = proto.reduction_op();
  return Create(std::move(mesh), std::move(axes),
                {proto.metadata().begin(), proto.metadata().end()});
}

NamedShardingProto NamedSharding::ToProto() const {
  NamedShardingProto proto;
  *proto.mutable_mesh() = mesh_.ToProto();
  for (const DimensionSharding& dimension : axes_.dimensions) {
    NamedShardingProto::DimensionSharding* out = proto.add_dim_shardings();
    AxesToProto(dimension.axes, out->mutable_axes());
    out->set_is_closed(dimension.is_closed);
  }
  AxesToProto(axes_.replicated, proto.mutable_replicated_axes());
  AxesToProto(axes_.unreduced, proto.mutable_unreduced_axes());
  AxesToProto(axes_.manual, proto.mutable_manual_axes());
  proto.set_reduction_op(axes_.reduction_op);
  proto.mutable_metadata()->Assign(metadata_.begin(), metadata_.end());
  return proto;
}

int64_t NamedSharding::dimension(int64_t dimension) const {
  int64_t pieces = 1;
  for (const AxisRef& axis : axes_.dimensions[dimension].axes) pieces *= axis.size(mesh_);
  return pieces;
}

bool NamedSharding::IsReplicated() const {
  return !IsMaximal() && axes_.unreduced.empty() && axes_.manual.empty() &&
         absl::c_all_of(axes_.dimensions,
                        [](const DimensionSharding& dimension) { return dimension.axes.empty(); });
}

bool NamedSharding::IsManual() const { return IsAllAxes(axes_.manual, mesh_); }

bool NamedSharding::IsUnreduced() const { return IsAllAxes(axes_.unreduced, mesh_); }

void NamedSharding::PrintOpen(Printer* printer) const {
  const absl::string_view reduction = axes_.reduction_op == NamedShardingProto::MAX   ? "max"
                                      : axes_.reduction_op == NamedShardingProto::MIN ? "min"
                                                                                      : "";
  printer->Append("{");
  mesh_.Print(printer);
  if (IsMaximal()) return;
  // Without dimensions a word says all.
  if (axes_.dimensions.empty() && axes_.replicated.empty()) {
    if (IsReplicated()) return printer->Append(", replicated");
    if (IsManual()) return printer->Append(", manual");
    if (IsUnreduced()) {
      return AppendCat(printer, ", unreduced", reduction.empty() ? "" : "=", reduction);
    }
  }
  printer->Append(", [");
  AppendJoin(printer, axes_.dimensions, ", ",
             [&](Printer* out, const DimensionSharding& dimension) {
               out->Append("{");
               PrintAxes(out, dimension.axes, mesh_);
               if (!dimension.is_closed) out->Append(dimension.axes.empty() ? "?" : ", ?");
               out->Append("}");
             });
  printer->Append("]");
  PrintAxisSet(printer, ", replicated=", axes_.replicated, mesh_);
  PrintAxisSet(printer, absl::StrCat(", unreduced=", reduction), axes_.unreduced, mesh_);
  PrintAxisSet(printer, ", manual=", axes_.manual, mesh_);
}

void NamedSharding::Print(Printer* printer, bool include_metadata) const {
  PrintOpen(printer);
  if (include_metadata && !metadata_.empty()) {
    printer->Append(", ");
    PrintShardingMetadata(printer, metadata_, /*always_as_list=*/true);
  }
  printer->Append("}");
}

std::string NamedSharding::ToString(bool include_metadata) const {
  StringPrinter printer;
  Print(&printer, include_metadata);
  return std::move(printer).ToString();
}

bool NamedSharding::operator==(const NamedSharding& other) const {
  return mesh_ == other.mesh_ && axes_.dimensions == other.axes_.dimensions &&
         axes_.replicated == other.axes_.replicated && axes_.unreduced == other.axes_.unreduced &&
         axes_.manual == other.axes_.manual && axes_.reduction_op == other.axes_.reduction_op;
}

}  // namespace xla
