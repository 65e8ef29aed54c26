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
  return !axes.empty() && mesh.ContainsAllMeshAxesInOrder(axes);
}

bool DividesNothing(absl::Span<const NamedSharding::DimensionSharding> dimensions) {
  return absl::c_all_of(dimensions, [](const auto& dimension) { return dimension.axes().empty(); });
}

absl::Status Validate(const Mesh& mesh, const NamedSharding::Axes& axes) {
  if (mesh.IsMaximal() && !axes.dimensions.empty()) {
    return InvalidArgument("a sharding on %s divides no dimensions", mesh.ToString());
  }
  std::vector<AxisRef> all;
  for (const NamedSharding::DimensionSharding& dimension : axes.dimensions) {
    HILO_RETURN_IF_ERROR(ValidateAxisList(dimension.axes(), mesh));
    absl::c_copy(dimension.axes(), std::back_inserter(all));
  }
  for (const auto* set : {&axes.replicated, &axes.unreduced, &axes.manual}) {
    HILO_RETURN_IF_ERROR(ValidateAxisSet(*set, mesh));
    absl::c_copy(*set, std::back_inserter(all));
  }
  return ValidateAxes(all, mesh);
}

template <typename Protos>
absl::StatusOr<std::vector<AxisRef>> AxesFromProto(const Protos& protos) {
  std::vector<AxisRef> axes;
  for (const AxisRefProto& proto : protos) {
    HILO_ASSIGN_OR_RETURN(const AxisRef axis, AxisRef::CreateFromProto(proto));
    axes.push_back(axis);
  }
  return axes;
}

void AxesToProto(const std::vector<AxisRef>& axes,
                 google::protobuf::RepeatedPtrField<AxisRefProto>* protos) {
  for (const AxisRef& axis : axes) *protos->Add() = axis.ToProto();
}

void PrintAxes(Printer* printer, const std::vector<AxisRef>& axes, const Mesh* mesh) {
  AppendJoin(printer, axes, ", ",
             [&](Printer* out, const AxisRef& axis) { axis.Print(out, mesh); });
}

void PrintAxisSet(Printer* printer, absl::string_view prefix, const std::vector<AxisRef>& axes,
                  const Mesh& mesh) {
  if (axes.empty()) return;
  AppendCat(printer, prefix, "{");
  PrintAxes(printer, axes, &mesh);
  printer->Append("}");
}

}  // namespace

// ---- One dimension ----------------------------------------------------------------------------

NamedSharding::DimensionSharding NamedSharding::DimensionSharding::FromProto(
    const NamedShardingProto::DimensionSharding& proto) {
  const absl::StatusOr<std::vector<AxisRef>> axes = AxesFromProto(proto.axes());
  CHECK_OK(axes.status());
  return DimensionSharding(*axes, proto.is_closed());
}

NamedShardingProto::DimensionSharding NamedSharding::DimensionSharding::ToProto() const {
  NamedShardingProto::DimensionSharding proto;
  AxesToProto(axes_, proto.mutable_axes());
  proto.set_is_closed(is_closed_);
  return proto;
}

int64_t NamedSharding::DimensionSharding::getShardedSize(const Mesh& mesh) const {
  int64_t pieces = 1;
  for (const AxisRef& axis : axes_) pieces *= axis.size(mesh);
  return pieces;
}

void NamedSharding::DimensionSharding::Append(const DimensionSharding& other, const Mesh& mesh) {
  absl::c_copy(other.axes_, std::back_inserter(axes_));
  MergeAxes(axes_, mesh);
}

std::optional<NamedSharding::DimensionSharding> NamedSharding::DimensionSharding::Slice(
    const Mesh& mesh, int64_t slice_size) {
  std::vector<AxisRef> taken, rest;
  for (const AxisRef& axis : axes_) {
    const int64_t size = axis.size(mesh);
    if (slice_size == 1) {
      rest.push_back(axis);
    } else if (slice_size % size == 0) {
      taken.push_back(axis);
      slice_size /= size;
    } else if (slice_size > 1 && size % slice_size == 0) {
      const int64_t begin = axis.pre_size();
      taken.emplace_back(axis.mesh_axis_index(), AxisRef::SubAxis{begin, slice_size});
      rest.emplace_back(axis.mesh_axis_index(),
                        AxisRef::SubAxis{begin * slice_size, size / slice_size});
      slice_size = 1;
    } else {
      return std::nullopt;
    }
  }
  if (slice_size != 1) return std::nullopt;
  axes_ = std::move(rest);
  return DimensionSharding(taken, is_closed_);
}

bool NamedSharding::DimensionSharding::IsPrefixOf(const DimensionSharding& other, const Mesh& mesh,
                                                  const Mesh& other_mesh) const {
  if (!mesh.DeviceAssignmentEquals(other_mesh) || axes_.size() > other.axes_.size()) return false;
  for (size_t i = 0; i < axes_.size(); ++i) {
    const AxisRef &axis = axes_[i], &whole = other.axes_[i];
    if (axis == whole) continue;
    // The last one may be the major part of the other's.
    return i + 1 == axes_.size() && axis.mesh_axis_index() == whole.mesh_axis_index() &&
           axis.pre_size() == whole.pre_size() && whole.size(other_mesh) % axis.size(mesh) == 0;
  }
  return true;
}

void NamedSharding::DimensionSharding::Print(Printer* printer, const Mesh* mesh) const {
  printer->Append("{");
  PrintAxes(printer, axes_, mesh);
  if (!is_closed_) printer->Append(axes_.empty() ? "?" : ", ?");
  printer->Append("}");
}

std::string NamedSharding::DimensionSharding::ToString(const Mesh* mesh) const {
  StringPrinter printer;
  Print(&printer, mesh);
  return std::move(printer).ToString();
}

std::ostream& operator<<(std::ostream& out, const NamedSharding::DimensionSharding& dimension) {
  return out << dimension.ToString();
}

// ---- All of them ------------------------------------------------------------------------------

NamedSharding::NamedSharding(Mesh mesh, Axes axes, absl::Span<const OpMetadata> metadata)
    : mesh_(std::move(mesh)), axes_(std::move(axes)), metadata_(metadata.begin(), metadata.end()) {
  for (const DimensionSharding& dimension : axes_.dimensions) {
    sharded_sizes_.push_back(dimension.getShardedSize(mesh_));
  }
}

NamedSharding::NamedSharding(Mesh mesh, absl::Span<const DimensionSharding> dim_shardings,
                             absl::Span<const AxisRef> replicated_axes,
                             absl::Span<const AxisRef> unreduced_axes,
                             absl::Span<const AxisRef> manual_axes,
                             absl::Span<const OpMetadata> metadata) {
  Axes axes;
  if (!DividesNothing(dim_shardings))
    axes.dimensions = {dim_shardings.begin(), dim_shardings.end()};
  axes.replicated = {replicated_axes.begin(), replicated_axes.end()};
  axes.unreduced = {unreduced_axes.begin(), unreduced_axes.end()};
  axes.manual = {manual_axes.begin(), manual_axes.end()};
  absl::StatusOr<NamedSharding> sharding = Create(std::move(mesh), std::move(axes), metadata);
  CHECK_OK(sharding.status());
  *this = *std::move(sharding);
}

NamedSharding NamedSharding::Replicate(absl::Span<const OpMetadata> metadata) {
  return Replicate(Mesh(), metadata);
}

NamedSharding NamedSharding::Replicate(Mesh mesh, absl::Span<const OpMetadata> metadata) {
  return NamedSharding(std::move(mesh), Axes(), metadata);
}

NamedSharding NamedSharding::Manual(Mesh mesh, absl::Span<const OpMetadata> metadata) {
  Axes axes;
  axes.manual = AllAxes(mesh);
  return NamedSharding(std::move(mesh), std::move(axes), metadata);
}

NamedSharding NamedSharding::Unreduced(Mesh mesh, absl::Span<const OpMetadata> metadata) {
  Axes axes;
  axes.unreduced = AllAxes(mesh);
  return NamedSharding(std::move(mesh), std::move(axes), metadata);
}

NamedSharding NamedSharding::MaximalSharding(int64_t device_id,
                                             absl::Span<const OpMetadata> metadata) {
  return NamedSharding(Mesh(device_id), Axes(), metadata);
}

absl::StatusOr<NamedSharding> NamedSharding::Create(Mesh mesh, Axes axes,
                                                    absl::Span<const OpMetadata> metadata) {
  HILO_RETURN_IF_ERROR(Validate(mesh, axes));
  return NamedSharding(std::move(mesh), std::move(axes), metadata);
}

absl::Status VerifyNamedSharding(const NamedSharding& named_sharding) {
  return Validate(named_sharding.mesh(),
                  {named_sharding.dim_shardings(), named_sharding.replicated_axes(),
                   named_sharding.unreduced_axes(), named_sharding.manual_axes()});
}

NamedSharding NamedSharding::FromProto(const NamedShardingProto& proto) {
  absl::StatusOr<NamedSharding> sharding = CreateFromProto(proto);
  CHECK_OK(sharding.status());
  return *std::move(sharding);
}

absl::StatusOr<NamedSharding> NamedSharding::CreateFromProto(const NamedShardingProto& proto) {
  HILO_ASSIGN_OR_RETURN(Mesh mesh, Mesh::CreateFromProto(proto.mesh()));
  Axes axes;
  for (const NamedShardingProto::DimensionSharding& dimension : proto.dim_shardings()) {
    HILO_ASSIGN_OR_RETURN(const std::vector<AxisRef> divides, AxesFromProto(dimension.axes()));
    axes.dimensions.emplace_back(divides, dimension.is_closed());
  }
  HILO_ASSIGN_OR_RETURN(axes.replicated, AxesFromProto(proto.replicated_axes()));
  HILO_ASSIGN_OR_RETURN(axes.unreduced, AxesFromProto(proto.unreduced_axes()));
  HILO_ASSIGN_OR_RETURN(axes.manual, AxesFromProto(proto.manual_axes()));
  if (!NamedShardingProto::ReductionOpProto_IsValid(proto.reduction_op())) {
    return InvalidArgument("%d is not a reduction of a named sharding", proto.reduction_op());
  }
  axes.reduction_op = proto.reduction_op();
  const std::vector<OpMetadata> metadata(proto.metadata().begin(), proto.metadata().end());
  return Create(std::move(mesh), std::move(axes), metadata);
}

NamedShardingProto NamedSharding::ToProto() const {
  NamedShardingProto proto;
  *proto.mutable_mesh() = mesh_.ToProto();
  for (const DimensionSharding& dimension : axes_.dimensions) {
    *proto.add_dim_shardings() = dimension.ToProto();
  }
  AxesToProto(axes_.replicated, proto.mutable_replicated_axes());
  AxesToProto(axes_.unreduced, proto.mutable_unreduced_axes());
  AxesToProto(axes_.manual, proto.mutable_manual_axes());
  proto.set_reduction_op(axes_.reduction_op);
  proto.mutable_metadata()->Assign(metadata_.begin(), metadata_.end());
  return proto;
}

bool NamedSharding::IsReplicated() const {
  return !IsMaximal() && axes_.unreduced.empty() && axes_.manual.empty() &&
         DividesNothing(axes_.dimensions);
}

bool NamedSharding::IsManual() const { return IsAllAxes(axes_.manual, mesh_); }

bool NamedSharding::IsUnreduced() const { return IsAllAxes(axes_.unreduced, mesh_); }

bool NamedSharding::HasPartialReplication() const {
  if (IsTileMaximal()) return false;
  if (!axes_.replicated.empty()) return true;
  int64_t used = Product(dimensions());
  for (const AxisRef& axis : axes_.unreduced) used *= axis.size(mesh_);
  for (const AxisRef& axis : axes_.manual) used *= axis.size(mesh_);
  return used < num_devices();
}

void NamedSharding::PrintOpen(Printer* printer) const {
  const absl::string_view reduction = axes_.reduction_op == NamedShardingProto::MAX   ? "max"
                                      : axes_.reduction_op == NamedShardingProto::MIN ? "min"
                                                                                      : "";
  printer->Append("{");
  // Without dimensions a word says all, and what is the same on all devices needs no mesh.
  const bool is_whole = !IsMaximal() && axes_.dimensions.empty() && axes_.replicated.empty();
  if (is_whole && IsReplicated()) return printer->Append("replicated");
  if (is_whole && IsUnreduced()) {
    return AppendCat(printer, "unreduced", reduction.empty() ? "" : "=", reduction);
  }
  mesh_.Print(printer);
  if (IsMaximal()) return;
  if (is_whole && IsManual()) return printer->Append(", manual");
  printer->Append(", [");
  AppendJoin(
      printer, axes_.dimensions, ", ",
      [&](Printer* out, const DimensionSharding& dimension) { dimension.Print(out, &mesh_); });
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

std::ostream& operator<<(std::ostream& out, const NamedSharding& sharding) {
  return out << sharding.ToString();
}

bool NamedSharding::operator==(const NamedSharding& other) const {
  return IsMaximal() == other.IsMaximal() && mesh_.DeviceAssignmentEquals(other.mesh_) &&
         axes_.dimensions == other.axes_.dimensions && axes_.replicated == other.axes_.replicated &&
         axes_.unreduced == other.axes_.unreduced && axes_.manual == other.axes_.manual &&
         axes_.reduction_op == other.axes_.reduction_op;
}

namespace test_utils {

NamedSharding FromAxisNames(Mesh mesh, absl::Span<const std::vector<std::string>> dim_shardings,
                            absl::Span<const std::string> replicated_axes,
                            absl::Span<const std::string> unreduced_axes,
                            absl::Span<const std::string> manual_axes,
                            absl::Span<const OpMetadata> metadata) {
  const auto find = [&](absl::Span<const std::string> names) {
    std::vector<AxisRef> axes;
    for (const std::string& name : names) {
      const std::optional<int64_t> axis = mesh.AxisIndex(name);
      CHECK(axis.has_value()) << "'" << name << "' is no axis of " << mesh.ToString();
      axes.emplace_back(*axis);
    }
    return axes;
  };
  std::vector<NamedSharding::DimensionSharding> dimensions;
  for (const std::vector<std::string>& names : dim_shardings) {
    dimensions.emplace_back(find(names), /*is_closed=*/true);
  }
  const std::vector<AxisRef> replicated = find(replicated_axes);
  const std::vector<AxisRef> unreduced = find(unreduced_axes);
  const std::vector<AxisRef> manual = find(manual_axes);
  return NamedSharding(std::move(mesh), dimensions, replicated, unreduced, manual, metadata);
}

}  // namespace test_utils

}  // namespace xla
