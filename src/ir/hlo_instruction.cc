#include "xla/hlo/ir/hlo_instruction.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "ir/clone_context.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla {

struct HloInstruction::Annotations {
  OpMetadata metadata;
  FrontendAttributes frontend_attributes;
  std::string backend_config;
  StatisticsViz statistics;
  ResultAccuracy result_accuracy;
  std::optional<OriginalValueProto> original_value;
};

namespace {

// Erases the first `value`; true if there was one.
bool EraseValue(std::vector<HloInstruction*>& list, const HloInstruction* value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

bool Contains(const std::vector<HloInstruction*>& list, const HloInstruction* value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <typename Message>
const Message& Default() {
  return Message::default_instance();
}

}  // namespace

HloInstruction::HloInstruction(HloOpcode opcode, Shape shape)
    : opcode_(opcode), shape_(std::move(shape)) {}

HloInstruction::~HloInstruction() {
  DetachFromOperandsAndUsers();
  for (HloInstruction* user : users_) {
    for (HloInstruction*& operand : user->operands_) {
      if (operand == this) operand = nullptr;
    }
  }
}

std::unique_ptr<HloInstruction> HloInstruction::Create(HloOpcode opcode, Shape shape,
                                                       absl::Span<HloInstruction* const> operands,
                                                       std::unique_ptr<Attributes> attributes,
                                                       absl::Span<HloComputation* const> callees) {
  auto instruction = std::unique_ptr<HloInstruction>(new HloInstruction(opcode, std::move(shape)));
  for (HloInstruction* operand : operands) instruction->AppendOperand(operand);
  instruction->called_computations_.assign(callees.begin(), callees.end());
  instruction->attributes_ =
      attributes != nullptr ? std::move(attributes) : GetOpInfo(opcode).make_attributes();
  instruction->name_ = std::string(HloOpcodeString(opcode));
  return instruction;
}

void HloInstruction::SetAndSanitizeName(absl::string_view name) { name_ = SanitizeName(name); }

HloModule* HloInstruction::GetModule() const {
  return parent_ == nullptr ? nullptr : parent_->parent();
}

const HloInstruction* HloInstruction::operand(int64_t i) const { return operands_.at(i); }

HloInstruction* HloInstruction::mutable_operand(int64_t i) { return operands_.at(i); }

int64_t HloInstruction::operand_index(const HloInstruction* operand) const {
  const auto found = std::find(operands_.begin(), operands_.end(), operand);
  CHECK(found != operands_.end()) << operand->name() << " is no operand of " << name_;
  return found - operands_.begin();
}

bool HloInstruction::IsUserOf(const HloInstruction* instruction) const {
  return std::find(operands_.begin(), operands_.end(), instruction) != operands_.end();
}

void HloInstruction::AppendOperand(HloInstruction* operand) {
  // Either list says whether this is a user already; one of them may be very long.
  const bool is_user = operands_.size() < operand->users_.size() ? IsUserOf(operand)
                                                                 : Contains(operand->users_, this);
  operands_.push_back(operand);
  if (!is_user) operand->users_.push_back(this);
}

void HloInstruction::AddUser(HloInstruction* user) {
  // A user that names this operand several times in a row is the common repetition; the full search is for the others.
  if (!users_.empty() && users_.back() == user) return;
  if (user->operands_.size() > 1 && Contains(users_, user)) return;
  users_.push_back(user);
}

void HloInstruction::RemoveUser(HloInstruction* user) { EraseValue(users_, user); }

absl::Status HloInstruction::ReplaceOperandWith(int64_t operand_number,
                                                HloInstruction* new_operand) {
  const Shape& old_shape = operand(operand_number)->shape();
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(old_shape, new_operand->shape())) {
    return InvalidArgument("%s: operand %d of shape %s cannot become %s of shape %s", name_,
                           operand_number, old_shape.ToString(), new_operand->name(),
                           new_operand->shape().ToString());
  }
  return ReplaceOperandWithDifferentShape(operand_number, new_operand);
}

absl::Status HloInstruction::ReplaceOperandWithDifferentShape(int64_t operand_number,
                                                              HloInstruction* new_operand) {
  HloInstruction* old_operand = mutable_operand(operand_number);
  if (old_operand == new_operand) return absl::OkStatus();
  operands_[operand_number] = new_operand;
  if (!IsUserOf(old_operand)) old_operand->RemoveUser(this);
  new_operand->AddUser(this);
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceUseWith(HloInstruction* user, HloInstruction* new_producer) {
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(shape_, new_producer->shape())) {
    return InvalidArgument("%s of shape %s cannot take the place of %s of shape %s",
                           new_producer->name(), new_producer->shape().ToString(), name_,
                           shape_.ToString());
  }
  for (int64_t i = 0; i < user->operand_count(); ++i) {
    if (user->operand(i) == this) {
      HILO_RETURN_IF_ERROR(user->ReplaceOperandWithDifferentShape(i, new_producer));
    }
  }
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceAllUsesWith(HloInstruction* new_producer) {
  if (!ShapeUtil::CompatibleIgnoringFpPrecision(shape_, new_producer->shape())) {
    return InvalidArgument("%s of shape %s cannot take the place of %s of shape %s",
                           new_producer->name(), new_producer->shape().ToString(), name_,
                           shape_.ToString());
  }
  return ReplaceAllUsesWithDifferentShape(new_producer);
}

absl::Status HloInstruction::ReplaceAllUsesWithDifferentShape(HloInstruction* new_producer) {
  const std::vector<HloInstruction*> users = users_;
  for (HloInstruction* user : users) {
    if (user == new_producer) continue;
    for (int64_t i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) == this) {
        HILO_RETURN_IF_ERROR(user->ReplaceOperandWithDifferentShape(i, new_producer));
      }
    }
  }
  if (parent_ != nullptr && parent_->root_instruction() == this) {
    parent_->set_root_instruction(new_producer, /*accept_different_shape=*/true);
  }
  return absl::OkStatus();
}

void HloInstruction::DetachFromOperandsAndUsers() {
  for (HloInstruction* operand : operands_) {
    if (operand != nullptr) operand->RemoveUser(this);
  }
  operands_.clear();
  for (HloInstruction* before : control_predecessors_) {
    EraseValue(before->control_successors_, this);
  }
  for (HloInstruction* after : control_successors_) EraseValue(after->control_predecessors_, this);
  control_predecessors_.clear();
  control_successors_.clear();
}

absl::Status HloInstruction::AddControlDependencyTo(HloInstruction* instruction) {
  if (instruction->parent_ != parent_) {
    return InvalidArgument("control dependency from %s to %s crosses computations", name_,
                           instruction->name_);
  }
  if (Contains(control_successors_, instruction)) return absl::OkStatus();
  control_successors_.push_back(instruction);
  instruction->control_predecessors_.push_back(this);
  return absl::OkStatus();
}

absl::Status HloInstruction::RemoveControlDependencyTo(HloInstruction* instruction) {
  if (!EraseValue(control_successors_, instruction)) {
    return NotFound("there is no control dependency from %s to %s", name_, instruction->name_);
  }
  EraseValue(instruction->control_predecessors_, this);
  return absl::OkStatus();
}

absl::Status HloInstruction::DropAllControlDeps() {
  for (HloInstruction* before : control_predecessors_) {
    EraseValue(before->control_successors_, this);
  }
  for (HloInstruction* after : control_successors_) EraseValue(after->control_predecessors_, this);
  control_predecessors_.clear();
  control_successors_.clear();
  return absl::OkStatus();
}

void HloInstruction::set_called_computation(int64_t index, HloComputation* computation) {
  called_computations_.at(index) = computation;
}

void HloInstruction::ReplaceCalledComputations(
    absl::FunctionRef<HloComputation*(HloComputation*)> map_function) {
  for (HloComputation*& computation : called_computations_) {
    computation = map_function(computation);
  }
}

// Questions.

bool HloInstruction::IsOpElementwise(HloOpcode opcode) { return HasTrait(opcode, kElementwise); }

bool HloInstruction::IsElementwise() const {
  if (opcode_ != HloOpcode::kFusion) return IsOpElementwise(opcode_);
  std::vector<const HloComputation*> waiting = {fused_instructions_computation()};
  absl::flat_hash_set<const HloComputation*> seen(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    const HloComputation* computation = waiting.back();
    waiting.pop_back();
    for (const HloInstruction* fused : computation->instructions()) {
      if (fused->opcode() == HloOpcode::kFusion) {
        const HloComputation* nested = fused->fused_instructions_computation();
        if (seen.insert(nested).second) waiting.push_back(nested);
      } else if (fused->opcode() != HloOpcode::kParameter && !fused->IsElementwise()) {
        return false;
      }
    }
  }
  return true;
}

bool HloInstruction::IsRoot() const {
  return parent_ != nullptr && parent_->root_instruction() == this;
}

bool HloInstruction::IsDead() const { return users_.empty() && !IsRoot(); }

bool HloInstruction::HasSideEffectNoRecurse() const {
  if (HasTrait(opcode_, kSideEffect)) return true;
  if (opcode_ == HloOpcode::kCustomCall) {
    return attributes_as<CustomCallAttributes>().has_side_effect;
  }
  return HasTrait(opcode_, kCollective) && channel_id().has_value();
}

bool HloInstruction::HasSideEffect() const { return SideEffects().Has(*this); }

bool HloInstruction::IsFused() const { return parent_ != nullptr && parent_->IsFusionComputation(); }

bool HloInstruction::IsAsynchronous() const { return HloOpcodeIsAsync(opcode_); }

bool HloInstruction::IsCustomCall(absl::string_view target) const {
  return opcode_ == HloOpcode::kCustomCall && custom_call_target() == target;
}

bool HloInstruction::IsCustomCall(absl::Span<const absl::string_view> targets) const {
  return absl::c_any_of(targets,
                        [this](absl::string_view target) { return IsCustomCall(target); });
}

bool HloInstruction::IsFusible() const {
  switch (opcode_) {
    case HloOpcode::kDomain:
    case HloOpcode::kParameter:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kCall:
      return false;
    default:
      return !HasSideEffect();
  }
}

// Annotations.

HloInstruction::Annotations& HloInstruction::annotations() {
  if (annotations_ == nullptr) annotations_ = std::make_unique<Annotations>();
  return *annotations_;
}

const OpMetadata& HloInstruction::metadata() const {
  return annotations_ == nullptr ? Default<OpMetadata>() : annotations_->metadata;
}

OpMetadata& HloInstruction::mutable_metadata() { return annotations().metadata; }

void HloInstruction::set_metadata(const OpMetadata& metadata) { annotations().metadata = metadata; }

const HloSharding& HloInstruction::sharding() const {
  CHECK(sharding_ != nullptr) << name_ << " has no sharding";
  return *sharding_;
}

void HloInstruction::set_sharding(HloSharding sharding) {
  sharding_ = std::make_shared<const HloSharding>(std::move(sharding));
}

const FrontendAttributes& HloInstruction::frontend_attributes() const {
  return annotations_ == nullptr ? Default<FrontendAttributes>() : annotations_->frontend_attributes;
}

FrontendAttributes& HloInstruction::mutable_frontend_attributes() {
  return annotations().frontend_attributes;
}

void HloInstruction::set_frontend_attributes(FrontendAttributes frontend_attributes) {
  annotations().frontend_attributes = std::move(frontend_attributes);
}

void HloInstruction::set_frontend_attribute(absl::string_view key, absl::string_view value) {
  (*annotations().frontend_attributes.mutable_map())[std::string(key)] = std::string(value);
}

const std::string& HloInstruction::raw_backend_config_string() const {
  static const std::string& none = *new std::string();
  return annotations_ == nullptr ? none : annotations_->backend_config;
}

void HloInstruction::set_raw_backend_config_string(std::string config) {
  annotations().backend_config = std::move(config);
}

const StatisticsViz& HloInstruction::statistics_viz() const {
  return annotations_ == nullptr ? Default<StatisticsViz>() : annotations_->statistics;
}

void HloInstruction::set_statistics_viz(StatisticsViz statistics) {
  annotations().statistics = std::move(statistics);
}

const ResultAccuracy& HloInstruction::result_accuracy() const {
  return annotations_ == nullptr ? Default<ResultAccuracy>() : annotations_->result_accuracy;
}

void HloInstruction::set_result_accuracy(ResultAccuracy accuracy) {
  annotations().result_accuracy = std::move(accuracy);
}

const OriginalValueProto* HloInstruction::original_value() const {
  if (annotations_ == nullptr || !annotations_->original_value.has_value()) return nullptr;
  return &*annotations_->original_value;
}

void HloInstruction::set_original_value(OriginalValueProto original_value) {
  annotations().original_value = std::move(original_value);
}

void HloInstruction::SetupDerivedInstruction(HloInstruction* derived) const {
  if (sharding_ != nullptr && ShapeUtil::CompatibleKind(shape_, derived->shape())) {
    derived->set_sharding(sharding_);
  }
  if (annotations_ == nullptr) return;
  derived->set_metadata(metadata());
  if (!frontend_attributes().map().empty()) {
    derived->set_frontend_attributes(frontend_attributes());
  }
}

HloInstruction* HloInstruction::AddInstruction(std::unique_ptr<HloInstruction> derived,
                                               absl::string_view new_name) {
  SetupDerivedInstruction(derived.get());
  return parent_->AddInstruction(std::move(derived), new_name);
}

// Copies and comparison.

std::unique_ptr<HloInstruction> HloInstruction::Clone(const std::string& suffix,
                                                      HloCloneContext* context) const {
  return CloneWithNewOperands(shape_, operands_, suffix, context);
}

std::unique_ptr<HloInstruction> HloInstruction::CloneWithNewOperands(
    const Shape& shape, absl::Span<HloInstruction* const> new_operands,
    HloCloneContext* context) const {
  return CloneWithNewOperands(shape, new_operands, "", context);
}

std::unique_ptr<HloInstruction> HloInstruction::CloneWithNewOperands(
    const Shape& shape, absl::Span<HloInstruction* const> new_operands, const std::string& suffix,
    HloCloneContext* context) const {
  std::unique_ptr<HloInstruction> clone =
      Create(opcode_, shape, new_operands, attributes_->Clone(), called_computations_);
  clone->name_ = suffix.empty() ? name_ : absl::StrCat(name_, ".", suffix);
  clone->sharding_ = sharding_;
  if (annotations_ != nullptr) clone->annotations_ = std::make_unique<Annotations>(*annotations_);
  if (context != nullptr) {
    context->MapInstruction(this, clone.get());
    for (HloComputation*& callee : clone->called_computations_) {
      callee = context->MappedComputation(callee);
    }
  }
  return clone;
}

bool HloInstruction::Identical(const HloInstruction& other) const {
  if (this == &other) return true;
  if (opcode_ != other.opcode_ || shape_ != other.shape_ || operands_ != other.operands_ ||
      called_computations_.size() != other.called_computations_.size()) {
    return false;
  }
  for (size_t i = 0; i < called_computations_.size(); ++i) {
    if (called_computations_[i] != other.called_computations_[i] &&
        *called_computations_[i] != *other.called_computations_[i]) {
      return false;
    }
  }
  return raw_backend_config_string() == other.raw_backend_config_string() &&
         AttributesEqual(*attributes_, *other.attributes_);
}

}  // namespace xla
