#include "xla/hlo/builder/xla_builder.h"

#include <algorithm>
#include <utility>

#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "front/builder/builder_state.h"
#include "xla/util.h"

namespace xla {

XlaBuilder* XlaOp::builder() const {
  CHECK(builder_ != nullptr) << "an uninitialized operation (XlaOp()) belongs to no builder";
  return builder_;
}

XlaBuilder::XlaBuilder(const std::string& computation_name)
    : state_(std::make_unique<internal::BuilderState>(this, computation_name, nullptr)) {}

XlaBuilder::XlaBuilder(Client* client, const std::string& computation_name)
    : XlaBuilder(computation_name) {}

XlaBuilder::~XlaBuilder() = default;

const std::string& XlaBuilder::name() const { return state_->name(); }

// What operations carry.

void XlaBuilder::SetOpMetadata(OpMetadata metadata) { state_->metadata = std::move(metadata); }

OpMetadata XlaBuilder::SwapOpMetadata(OpMetadata metadata) {
  return std::exchange(state_->metadata, std::move(metadata));
}

void XlaBuilder::SetOneShotOpMetadata(OpMetadata metadata) {
  state_->one_shot_metadata = std::move(metadata);
}

void XlaBuilder::ClearOpMetadata() { state_->metadata.Clear(); }

void XlaBuilder::SetSharding(const OpSharding& sharding) { state_->sharding = sharding; }

std::optional<OpSharding> XlaBuilder::SwapSharding(std::optional<OpSharding> sharding) {
  return std::exchange(state_->sharding, std::move(sharding));
}

void XlaBuilder::ClearSharding() { state_->sharding.reset(); }

const std::optional<OpSharding>& XlaBuilder::sharding() const { return state_->sharding; }

void XlaBuilder::SetFrontendAttributes(const FrontendAttributes& frontend_attributes) {
  state_->frontend_attributes = frontend_attributes;
}

FrontendAttributes XlaBuilder::SwapFrontendAttributes(
    const FrontendAttributes& frontend_attributes) {
  return std::exchange(state_->frontend_attributes, frontend_attributes);
}

void XlaBuilder::ClearFrontendAttributes() { state_->frontend_attributes.Clear(); }

const FrontendAttributes& XlaBuilder::frontend_attributes() const {
  return state_->frontend_attributes;
}

void XlaBuilder::SetOriginalValue(const OriginalValueProto& original_value) {
  state_->original_value = original_value;
}

std::optional<OriginalValueProto> XlaBuilder::SwapOriginalValue(
    std::optional<OriginalValueProto> original_value) {
  return std::exchange(state_->original_value, std::move(original_value));
}

void XlaBuilder::ClearOriginalValue() { state_->original_value.reset(); }

const std::optional<OriginalValueProto>& XlaBuilder::original_value() const {
  return state_->original_value;
}

void XlaBuilder::set_die_immediately_on_error(bool enabled) {
  state_->die_immediately_on_error = enabled;
}

// Convolution dimension numbers.

ConvolutionDimensionNumbers XlaBuilder::CreateDefaultConvDimensionNumbers(int num_spatial_dims) {
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(kConvBatchDimension);
  numbers.set_input_feature_dimension(kConvFeatureDimension);
  numbers.set_output_batch_dimension(kConvBatchDimension);
  numbers.set_output_feature_dimension(kConvFeatureDimension);
  numbers.set_kernel_output_feature_dimension(kConvKernelOutputDimension);
  numbers.set_kernel_input_feature_dimension(kConvKernelInputDimension);
  for (int i = 0; i < num_spatial_dims; ++i) {
    numbers.add_input_spatial_dimensions(kConvFirstSpatialDimension + i);
    numbers.add_kernel_spatial_dimensions(kConvKernelFirstSpatialDimension + i);
    numbers.add_output_spatial_dimensions(kConvFirstSpatialDimension + i);
  }
  return numbers;
}

absl::Status XlaBuilder::Validate(const ConvolutionDimensionNumbers& dnum) {
  const auto check = [](absl::string_view array, int64_t first, int64_t second,
                        absl::Span<const int64_t> spatial) {
    std::vector<int64_t> all = {first, second};
    all.insert(all.end(), spatial.begin(), spatial.end());
    std::sort(all.begin(), all.end());
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i] == static_cast<int64_t>(i)) continue;
      return InvalidArgument(
          "convolution: the dimension numbers of the %s are not 0 to %d, each once", array,
          all.size() - 1);
    }
    return absl::OkStatus();
  };
  if (dnum.input_spatial_dimensions_size() != dnum.kernel_spatial_dimensions_size() ||
      dnum.input_spatial_dimensions_size() != dnum.output_spatial_dimensions_size()) {
    return InvalidArgument(
        "convolution: input, kernel and output have %d, %d and %d spatial dimensions",
        dnum.input_spatial_dimensions_size(), dnum.kernel_spatial_dimensions_size(),
        dnum.output_spatial_dimensions_size());
  }
  HILO_RETURN_IF_ERROR(check("input", dnum.input_batch_dimension(), dnum.input_feature_dimension(),
                             dnum.input_spatial_dimensions()));
  HILO_RETURN_IF_ERROR(check("kernel", dnum.kernel_input_feature_dimension(),
                             dnum.kernel_output_feature_dimension(),
                             dnum.kernel_spatial_dimensions()));
  return check("output", dnum.output_batch_dimension(), dnum.output_feature_dimension(),
               dnum.output_spatial_dimensions());
}

// Building.

std::unique_ptr<XlaBuilder> XlaBuilder::CreateSubBuilder(const std::string& computation_name) {
  auto builder = std::make_unique<XlaBuilder>(computation_name);
  builder->state_ =
      std::make_unique<internal::BuilderState>(builder.get(), computation_name, state_.get());
  builder->state_->die_immediately_on_error = state_->die_immediately_on_error;
  return builder;
}

XlaComputationId XlaBuilder::AddSubComputation(const XlaComputation& computation) {
  if (!first_error().ok()) return XlaComputationId();
  absl::StatusOr<XlaComputationId> id = state_->AddComputation(computation);
  if (id.ok()) return *id;
  ReportError(id.status());
  return XlaComputationId();
}

absl::StatusOr<XlaComputationId> XlaBuilder::BuildSubComputation(std::optional<XlaOp> root,
                                                                 bool remove_dynamic_dimensions) {
  return state_->FinishAsSubComputation(root, remove_dynamic_dimensions);
}

absl::StatusOr<XlaComputation> XlaBuilder::Build(bool remove_dynamic_dimensions) {
  HILO_RETURN_IF_ERROR(first_error());
  HILO_ASSIGN_OR_RETURN(const XlaOp root, state_->LastOp());
  return Build(root, remove_dynamic_dimensions);
}

absl::StatusOr<XlaComputation> XlaBuilder::Build(XlaOp root, bool remove_dynamic_dimensions) {
  HILO_RETURN_IF_ERROR(first_error());
  return state_->Build(root, remove_dynamic_dimensions);
}

absl::StatusOr<XlaComputation> XlaBuilder::Build(XlaComputationId entry_id) {
  HILO_RETURN_IF_ERROR(first_error());
  return state_->Build(entry_id);
}

XlaComputation XlaBuilder::BuildAndNoteError() {
  CHECK(state_->parent() != nullptr) << "only a sub-builder has a builder to note an error in";
  absl::StatusOr<XlaComputation> computation = Build();
  if (computation.ok()) return *std::move(computation);
  state_->parent()->ReportError(
      AddStatus(computation.status(), absl::StrCat("error from: ", name())));
  return XlaComputation();
}

absl::StatusOr<XlaComputation> XlaBuilder::BuildConstantSubGraph(
    XlaOp root_op, bool dynamic_dimension_is_minus_one) {
  HILO_RETURN_IF_ERROR(first_error());
  return state_->BuildConstantSubGraph(root_op, dynamic_dimension_is_minus_one);
}

// Errors.

absl::Status XlaBuilder::first_error() const { return state_->first_error(); }

absl::Status XlaBuilder::GetCurrentStatus() const { return state_->first_error(); }

XlaOp XlaBuilder::ReportError(const absl::Status& error) { return state_->ReportError(error); }

XlaOp XlaBuilder::ReportErrorOrReturn(const absl::StatusOr<XlaOp>& op) {
  return op.ok() ? *op : ReportError(op.status());
}

XlaOp XlaBuilder::ReportErrorOrReturn(absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator) {
  return ReportErrorOrReturn(op_creator());
}

// Questions.

absl::StatusOr<Shape> XlaBuilder::GetShape(XlaOp op) const {
  HILO_ASSIGN_OR_RETURN(const Shape* shape, GetShapePtr(op));
  return *shape;
}

absl::StatusOr<const Shape*> XlaBuilder::GetShapePtr(XlaOp op) const {
  HILO_RETURN_IF_ERROR(first_error());
  HILO_ASSIGN_OR_RETURN(const auto* node, std::as_const(*state_).Find(op));
  return &node->shape;
}

absl::StatusOr<std::vector<Shape>> XlaBuilder::GetOperandShapes(
    absl::Span<const XlaOp> operands) const {
  std::vector<Shape> shapes;
  for (XlaOp operand : operands) {
    HILO_ASSIGN_OR_RETURN(Shape shape, GetShape(operand));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

absl::StatusOr<std::optional<OpSharding>> XlaBuilder::GetOpSharding(XlaOp op) const {
  HILO_ASSIGN_OR_RETURN(const auto* node, std::as_const(*state_).Find(op));
  if (!node->proto.has_sharding()) return std::optional<OpSharding>();
  return std::optional<OpSharding>(node->proto.sharding());
}

absl::StatusOr<ProgramShape> XlaBuilder::GetProgramShape() const {
  HILO_RETURN_IF_ERROR(first_error());
  HILO_ASSIGN_OR_RETURN(const XlaOp root, state_->LastOp());
  return state_->GetProgramShape(root);
}

absl::StatusOr<ProgramShape> XlaBuilder::GetProgramShape(XlaOp root) const {
  HILO_RETURN_IF_ERROR(first_error());
  return state_->GetProgramShape(root);
}

absl::StatusOr<bool> XlaBuilder::IsConstant(XlaOp operand) const {
  HILO_RETURN_IF_ERROR(first_error());
  return state_->IsConstant(operand);
}

std::string XlaBuilder::OpToString(XlaOp op) const { return state_->OpToString(op); }

// Changes after the fact.

void XlaBuilder::SetUpAlias(const ShapeIndex& output_index, int64_t param_number,
                            const ShapeIndex& param_index,
                            HloInputOutputAliasConfig::AliasKind kind) {
  state_->aliases.push_back({output_index, param_number, param_index, kind});
}

void XlaBuilder::AddBufferDonor(int64_t param_number, const ShapeIndex& param_index) {
  state_->donors.emplace_back(param_number, param_index);
}

absl::Status XlaBuilder::SetInstructionFrontendAttribute(XlaOp op, std::string attribute,
                                                         std::string value) {
  HILO_ASSIGN_OR_RETURN(auto* node, state_->Find(op));
  (*node->proto.mutable_frontend_attributes()->mutable_map())[std::move(attribute)] =
      std::move(value);
  return absl::OkStatus();
}

absl::Status XlaBuilder::SetInstructionSharding(XlaOp op,
                                                const std::optional<OpSharding>& sharding) {
  HILO_ASSIGN_OR_RETURN(auto* node, state_->Find(op));
  if (!sharding.has_value()) {
    node->proto.clear_sharding();
    return absl::OkStatus();
  }
  HILO_ASSIGN_OR_RETURN(*node->proto.mutable_sharding(),
                        internal::BuilderState::FitSharding(*sharding, node->shape));
  return absl::OkStatus();
}

}  // namespace xla
