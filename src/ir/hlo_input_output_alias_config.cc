#include "xla/hlo/ir/hlo_input_output_alias_config.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {
namespace {

using Alias = HloInputOutputAliasConfig::Alias;
using BufferDonor = HloBufferDonorConfig::BufferDonor;

std::string IndexToString(const ShapeIndex& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

ShapeIndex IndexFromProto(const google::protobuf::RepeatedField<int64_t>& index) {
  return ShapeIndex(ShapeIndexView(index));
}

std::string InBraces(const std::string& text) {
  return text.empty() ? "{}" : absl::StrCat("{ ", text, " }");
}

// The leaf of a parameter.
absl::StatusOr<const Shape*> ParameterLeaf(const ProgramShape& program_shape, int64_t number,
                                           const ShapeIndex& index) {
  if (number < 0 || number >= program_shape.parameters_size()) {
    return InvalidArgument("parameter %d is not one of the %d parameters of the program", number,
                           program_shape.parameters_size());
  }
  const Shape& parameter = program_shape.parameters(static_cast<int>(number));
  HILO_ASSIGN_OR_RETURN(const Shape* leaf, ShapeUtil::TryGetSubshape(parameter, index));
  if (!leaf->IsArray()) {
    return InvalidArgument("parameter %d of shape %s has no array at %s", number,
                           parameter.ToString(), IndexToString(index));
  }
  return leaf;
}

}  // namespace

// ---- Aliases ----------------------------------------------------------------------------------

std::string Alias::ToString() const {
  return absl::StrCat("(", parameter_number, ", ", IndexToString(parameter_index), ", ",
                      must_alias() ? "must-alias" : "may-alias", ")");
}

absl::Status HloInputOutputAliasConfig::SetUpAlias(const ShapeIndex& output_index,
                                                   int64_t param_number,
                                                   const ShapeIndex& param_index,
                                                   AliasKind must_alias) {
  if (!ShapeUtil::IndexIsValid(shape_, output_index)) {
    return InvalidArgument("alias: the result of shape %s has nothing at %s", shape_.ToString(),
                           IndexToString(output_index));
  }
  if (param_number < 0) {
    return InvalidArgument("alias: parameter number %d is negative", param_number);
  }
  if (OutputHasAlias(output_index)) {
    return InvalidArgument("alias: %s of the result is already aliased with parameter %s",
                           IndexToString(output_index), aliases_.at(output_index).ToString());
  }
  const auto [it, is_new] =
      outputs_.try_emplace(std::make_pair(param_number, param_index), output_index);
  if (!is_new) {
    return InvalidArgument("alias: %s of parameter %d is already aliased with %s of the result",
                           IndexToString(param_index), param_number, IndexToString(it->second));
  }
  aliases_.emplace(output_index, Alias(param_number, param_index, must_alias));
  return absl::OkStatus();
}

bool HloInputOutputAliasConfig::ParameterMustAlias(int64_t param_number,
                                                   const ShapeIndex& param_index) const {
  const auto found = outputs_.find({param_number, param_index});
  return found != outputs_.end() && aliases_.at(found->second).must_alias();
}

std::optional<ShapeIndex> HloInputOutputAliasConfig::GetAliasedOutput(
    int64_t param_number, const ShapeIndex& param_index) const {
  const auto found = outputs_.find({param_number, param_index});
  if (found == outputs_.end()) return std::nullopt;
  return found->second;
}

std::optional<Alias> HloInputOutputAliasConfig::GetAliasedParameter(
    const ShapeIndex& output_index) const {
  const auto found = aliases_.find(output_index);
  if (found == aliases_.end()) return std::nullopt;
  return found->second;
}

void HloInputOutputAliasConfig::ForEachAlias(AliasFn fn) const {
  for (const auto& [output_index, alias] : aliases_) fn(output_index, alias);
}

absl::Status HloInputOutputAliasConfig::ForEachAliasWithStatus(AliasFnWithStatus fn) const {
  for (const auto& [output_index, alias] : aliases_) {
    HILO_RETURN_IF_ERROR(fn(output_index, alias));
  }
  return absl::OkStatus();
}

namespace {

absl::Status VerifyAliases(const HloInputOutputAliasConfig& config,
                           const ProgramShape& program_shape,
                           absl::FunctionRef<int64_t(const Shape&)> size_func) {
  return config.ForEachAliasWithStatus([&](const ShapeIndex& output_index,
                                           const Alias& alias) -> absl::Status {
    HILO_ASSIGN_OR_RETURN(
        const Shape* parameter,
        ParameterLeaf(program_shape, alias.parameter_number, alias.parameter_index));
    HILO_ASSIGN_OR_RETURN(const Shape* output,
                          ShapeUtil::TryGetSubshape(program_shape.result(), output_index));
    if (!output->IsArray()) {
      return InvalidArgument("alias: the result of shape %s has no array at %s",
                             program_shape.result().ToString(), IndexToString(output_index));
    }
    if (size_func(*parameter) != size_func(*output)) {
      return InvalidArgument(
          "alias: %s of the result, of shape %s, and parameter %s, of shape %s, differ in size",
          IndexToString(output_index), output->ToString(), alias.ToString(), parameter->ToString());
    }
    return absl::OkStatus();
  });
}

// The shapes with the layouts that the caller sees.
ProgramShape EntryShape(const HloModule& module) {
  return module.config().has_entry_computation_layout()
             ? module.entry_computation_layout().ComputeProgramShape()
             : module.entry_computation()->ComputeProgramShape();
}

}  // namespace

absl::Status HloInputOutputAliasConfig::Verify(const ProgramShape& program_shape) const {
  return VerifyAliases(*this, program_shape, [](const Shape& shape) {
    return shape.is_unbounded_dynamic() ? -1 : ShapeUtil::ByteSizeOfElements(shape);
  });
}

absl::Status HloInputOutputAliasConfig::Verify(
    const HloModule& module, absl::FunctionRef<int64_t(const Shape&)> size_func) const {
  return VerifyAliases(*this, EntryShape(module), size_func);
}

absl::StatusOr<HloInputOutputAliasConfig> HloInputOutputAliasConfig::CreateFromProto(
    Shape output_shape, const HloInputOutputAliasProto& proto) {
  HloInputOutputAliasConfig config(std::move(output_shape));
  for (const HloInputOutputAliasProto::AliasEntryProto& entry : proto.entries()) {
    // UNDEFINED_ALIAS is what writers leave that do not know of kinds.
    const AliasKind kind = entry.kind() == MUST_ALIAS ? kMustAlias : kMayAlias;
    HILO_RETURN_IF_ERROR(config.SetUpAlias(IndexFromProto(entry.output_shape_index()),
                                           entry.parameter_number(),
                                           IndexFromProto(entry.parameter_shape_index()), kind));
  }
  return config;
}

HloInputOutputAliasProto HloInputOutputAliasConfig::ToProto() const {
  HloInputOutputAliasProto proto;
  for (const auto& [output_index, alias] : aliases_) {
    HloInputOutputAliasProto::AliasEntryProto* entry = proto.add_entries();
    entry->mutable_output_shape_index()->Assign(output_index.begin(), output_index.end());
    entry->set_parameter_number(alias.parameter_number);
    entry->mutable_parameter_shape_index()->Assign(alias.parameter_index.begin(),
                                                   alias.parameter_index.end());
    entry->set_kind(alias.must_alias() ? MUST_ALIAS : MAY_ALIAS);
  }
  return proto;
}

std::string HloInputOutputAliasConfig::ToShortString() const {
  return absl::StrJoin(aliases_, ", ", [](std::string* out, const auto& alias) {
    absl::StrAppend(out, IndexToString(alias.first), ": ", alias.second.ToString());
  });
}

std::string HloInputOutputAliasConfig::ToString() const { return InBraces(ToShortString()); }

std::ostream& operator<<(std::ostream& out, const HloInputOutputAliasConfig& config) {
  return out << config.ToString();
}

// ---- Donors -----------------------------------------------------------------------------------

absl::Status HloBufferDonorConfig::AddBufferDonor(int64_t param_number,
                                                  const ShapeIndex& param_index) {
  if (param_number < 0) {
    return InvalidArgument("buffer donor: parameter number %d is negative", param_number);
  }
  donors_.emplace(param_number, param_index);
  return absl::OkStatus();
}

absl::Status HloBufferDonorConfig::RemoveBufferDonor(int64_t param_number,
                                                     const ShapeIndex& param_index) {
  if (param_number < 0) {
    return InvalidArgument("buffer donor: parameter number %d is negative", param_number);
  }
  donors_.erase(BufferDonor(param_number, param_index));
  return absl::OkStatus();
}

absl::Status HloBufferDonorConfig::Verify(const ProgramShape& program_shape,
                                          const HloInputOutputAliasConfig& aliases) const {
  for (const BufferDonor& donor : donors_) {
    HILO_RETURN_IF_ERROR(
        ParameterLeaf(program_shape, donor.param_number, donor.param_index).status());
    if (aliases.ParameterHasAlias(donor.param_number, donor.param_index)) {
      return InvalidArgument("%s of parameter %d is a buffer donor and aliased with the result",
                             IndexToString(donor.param_index), donor.param_number);
    }
  }
  return absl::OkStatus();
}

absl::Status HloBufferDonorConfig::Verify(const HloModule& module) const {
  return Verify(EntryShape(module), module.input_output_alias_config());
}

absl::StatusOr<HloBufferDonorConfig> HloBufferDonorConfig::CreateFromProto(
    const HloBufferDonorProto& proto) {
  HloBufferDonorConfig config;
  for (const HloBufferDonorProto::BufferDonorEntryProto& entry : proto.entries()) {
    HILO_RETURN_IF_ERROR(config.AddBufferDonor(entry.parameter_number(),
                                               IndexFromProto(entry.parameter_shape_index())));
  }
  return config;
}

HloBufferDonorProto HloBufferDonorConfig::ToProto() const {
  HloBufferDonorProto proto;
  for (const BufferDonor& donor : donors_) {
    HloBufferDonorProto::BufferDonorEntryProto* entry = proto.add_entries();
    entry->set_parameter_number(donor.param_number);
    entry->mutable_parameter_shape_index()->Assign(donor.param_index.begin(),
                                                   donor.param_index.end());
  }
  return proto;
}

std::string HloBufferDonorConfig::ToShortString() const {
  return absl::StrJoin(donors_, ", ", [](std::string* out, const BufferDonor& donor) {
    absl::StrAppend(out, "(", donor.param_number, ", ", IndexToString(donor.param_index), ")");
  });
}

std::string HloBufferDonorConfig::ToString() const { return InBraces(ToShortString()); }

std::ostream& operator<<(std::ostream& out, const HloBufferDonorConfig& config) {
  return out << config.ToString();
}

}  // namespace xla
