#include "xla/hlo/ir/hlo_instruction.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/log/check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "google/protobuf/util/json_util.h"
#include "ir/annotation_text.h"
#include "ir/graph.h"
#include "ir/instruction_view.h"
#include "ir/messages.h"
#include "ir/name_uniquer.h"
#include "ir/op_info.h"
#include "ir/records.h"
#include "xla/hlo/ir/hlo_clone_context.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/side_effect_util.h"
#include "xla/util.h"

namespace xla {

static const ResultAccuracy& DefaultResultAccuracy() {
  static const ResultAccuracy& accuracy = *[] {
    auto* mode = new ResultAccuracy();
    mode->set_mode(ResultAccuracy::DEFAULT);
    return mode;
  }();
  return accuracy;
}

struct HloInstruction::Annotations {
  OpMetadata metadata;
  FrontendAttributes frontend_attributes;
  std::string backend_config;
  StatisticsViz statistics;
  ResultAccuracy result_accuracy = DefaultResultAccuracy();
  std::shared_ptr<OriginalValue> original_value;
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

HloInstruction::HloInstruction(Key, HloOpcode opcode, Shape shape)
    : opcode_(opcode), shape_(std::move(shape)), name_(HloOpcodeString(opcode)) {}

HloInstruction::HloInstruction(HloOpcode opcode, Shape shape)
    : HloInstruction(Key(), opcode, std::move(shape)) {
  attributes_ = GetOpInfo(opcode).make_attributes();
}

HloInstruction::~HloInstruction() { DetachFromOperandsAndUsers(); }

int64_t HloInstruction::unique_id() const {
  if (local_id_ < 0 || parent_ == nullptr || parent_->unique_id() < 0) return local_id_;
  return CalculateUniqueId(static_cast<int32_t>(parent_->unique_id()), local_id_);
}

std::unique_ptr<HloInstruction> HloInstruction::Create(HloOpcode opcode, Shape shape,
                                                       absl::Span<HloInstruction* const> operands,
                                                       std::unique_ptr<Attributes> attributes,
                                                       absl::Span<HloComputation* const> callees) {
  std::unique_ptr<HloInstruction> instruction = MakeOfClass(opcode, std::move(shape));
  instruction->AppendOperands(operands);
  instruction->called_computations_.assign(callees.begin(), callees.end());
  instruction->attributes_ =
      attributes != nullptr ? std::move(attributes) : GetOpInfo(opcode).make_attributes();
  return instruction;
}

void HloInstruction::SetAndSanitizeName(absl::string_view name) { name_ = SanitizeName(name); }

void HloInstruction::UniquifyName(HloModule* module) {
  module->SetAndUniquifyInstrName(this, name());
}

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

std::vector<int64_t> HloInstruction::operand_indices(const HloInstruction* operand) const {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < operand_count(); ++i) {
    if (operands_[i] == operand) indices.push_back(i);
  }
  return indices;
}

bool HloInstruction::HasConstantOperand() const {
  return absl::c_any_of(operands_,
                        [](const HloInstruction* operand) { return operand->IsConstant(); });
}

HloInstruction::InstructionVector HloInstruction::unique_operands() const {
  InstructionVector unique;
  absl::flat_hash_set<const HloInstruction*> seen;
  for (HloInstruction* operand : operands_) {
    if (seen.insert(operand).second) unique.push_back(operand);
  }
  return unique;
}

bool HloInstruction::IsUserOf(const HloInstruction* instruction) const {
  return std::find(operands_.begin(), operands_.end(), instruction) != operands_.end();
}

void HloInstruction::AppendOperand(HloInstruction* operand) {
  operand->AddUser(this);
  operands_.push_back(operand);
}

void HloInstruction::AppendOperands(absl::Span<HloInstruction* const> operands) {
  if (operands_.empty()) operands_.reserve(operands.size());
  for (HloInstruction* operand : operands) AppendOperand(operand);
}

void HloInstruction::RemoveOperandAt(int index) {
  HloInstruction* removed = operands_.at(index);
  operands_.erase(operands_.begin() + index);
  if (removed != nullptr && !IsUserOf(removed)) removed->RemoveUser(this);
}

void HloInstruction::RemoveOperandsAtAscendingIndices(absl::Span<const int> ascending_indices) {
  for (auto index = ascending_indices.rbegin(); index != ascending_indices.rend(); ++index) {
    RemoveOperandAt(*index);
  }
}

void HloInstruction::AddUser(HloInstruction* user) {
  // Either list says whether it is one already; one of them may be very long.
  const bool is_user =
      user->operands_.size() < users_.size() ? user->IsUserOf(this) : Contains(users_, user);
  if (!is_user) users_.push_back(user);
}

void HloInstruction::RemoveUser(HloInstruction* user) {
  // What was made last is often the first to go.
  const auto found = std::find(users_.rbegin(), users_.rend(), user);
  if (found != users_.rend()) users_.erase(std::next(found).base());
}

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
  new_operand->AddUser(this);
  operands_[operand_number] = new_operand;
  if (!IsUserOf(old_operand)) old_operand->RemoveUser(this);
  return absl::OkStatus();
}

namespace {
absl::Status ExpectReplacement(const HloInstruction& old_producer,
                               const HloInstruction& new_producer) {
  if (ShapeUtil::CompatibleIgnoringFpPrecision(old_producer.shape(), new_producer.shape())) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s of shape %s cannot take the place of %s of shape %s",
                         new_producer.name(), new_producer.shape().ToString(), old_producer.name(),
                         old_producer.shape().ToString());
}
}  // namespace

absl::Status HloInstruction::ReplaceUseWith(HloInstruction* user, HloInstruction* new_producer) {
  HILO_RETURN_IF_ERROR(ExpectReplacement(*this, *new_producer));
  return ReplaceUseWithDifferentShape(user, new_producer);
}

absl::Status HloInstruction::ReplaceUseWith(HloInstruction* user, int operand_number,
                                            HloInstruction* new_producer) {
  HILO_RETURN_IF_ERROR(ExpectReplacement(*this, *new_producer));
  return ReplaceUseWithDifferentShape(user, operand_number, new_producer);
}

absl::Status HloInstruction::ReplaceUseWithDifferentShape(HloInstruction* user,
                                                          HloInstruction* new_producer) {
  for (int64_t i = 0; i < user->operand_count(); ++i) {
    if (user->operand(i) == this) {
      HILO_RETURN_IF_ERROR(user->ReplaceOperandWithDifferentShape(i, new_producer));
    }
  }
  if (user->opcode() == HloOpcode::kFusion && user->operand_indices(new_producer).size() > 1) {
    return static_cast<HloFusionInstruction*>(user)->DeduplicateFusionOperands();
  }
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceUseWithDifferentShape(HloInstruction* user, int operand_number,
                                                          HloInstruction* new_producer) {
  if (user->operand(operand_number) != this) {
    return InvalidArgument("operand %d of %s is not %s", operand_number, user->name(), name_);
  }
  return user->ReplaceOperandWithDifferentShape(operand_number, new_producer);
}

absl::Status HloInstruction::ReplaceUsesWith(absl::Span<HloInstruction* const> users,
                                             HloInstruction* new_producer) {
  HILO_RETURN_IF_ERROR(ExpectReplacement(*this, *new_producer));
  return ReplaceAllUsesWithDifferentShape(users, new_producer);
}

absl::Status HloInstruction::ReplaceAllUsesWithDifferentShape(
    absl::Span<HloInstruction* const> users, HloInstruction* new_producer) {
  const std::vector<HloInstruction*> own_list(users.begin(), users.end());
  for (HloInstruction* user : own_list) {
    HILO_RETURN_IF_ERROR(ReplaceUseWithDifferentShape(user, new_producer));
  }
  if (parent_ != nullptr && parent_->root_instruction() == this) {
    parent_->set_root_instruction(new_producer, /*accept_different_shape=*/true);
  }
  return absl::OkStatus();
}

absl::Status HloInstruction::ReplaceAllUsesWith(HloInstruction* new_producer, absl::string_view) {
  HILO_RETURN_IF_ERROR(ExpectReplacement(*this, *new_producer));
  return ReplaceAllUsesWithDifferentShape(new_producer);
}

absl::Status HloInstruction::ReplaceAllUsesWithDifferentShape(HloInstruction* new_producer) {
  const std::vector<HloInstruction*> users = users_;
  for (HloInstruction* user : users) {
    if (user == new_producer) continue;
    HILO_RETURN_IF_ERROR(ReplaceUseWithDifferentShape(user, new_producer));
  }
  if (parent_ != nullptr && parent_->root_instruction() == this) {
    parent_->set_root_instruction(new_producer, /*accept_different_shape=*/true);
  }
  return absl::OkStatus();
}

void HloInstruction::DetachFromOperands() {
  for (HloInstruction* operand : operands_) {
    if (operand != nullptr) operand->RemoveUser(this);
  }
  operands_.clear();
}

void HloInstruction::DetachFromOperandsAndUsers() {
  for (HloInstruction*& operand : operands_) {
    if (operand != nullptr) operand->RemoveUser(this);
    operand = nullptr;
  }
  for (HloInstruction* user : users_) {
    std::replace(user->operands_.begin(), user->operands_.end(), this,
                 static_cast<HloInstruction*>(nullptr));
  }
  users_.clear();
  CutControlEdges();
}

void HloInstruction::CutOff() {
  DetachFromOperands();
  CutControlEdges();
}

void HloInstruction::CutControlEdges() {
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
  CutControlEdges();
  return absl::OkStatus();
}

absl::Status HloInstruction::SafelyDropAllControlDependencies() {
  for (HloInstruction* before : control_predecessors_) {
    for (HloInstruction* after : control_successors_) {
      HILO_RETURN_IF_ERROR(before->AddControlDependencyTo(after));
    }
  }
  return DropAllControlDeps();
}

absl::Status HloInstruction::CopyAllControlDepsFrom(const HloInstruction* instruction) {
  return instruction->CopyAllControlDepsTo(this, this);
}

absl::Status HloInstruction::CopyAllControlDepsTo(HloInstruction* start,
                                                  HloInstruction* end) const {
  for (HloInstruction* before : control_predecessors_) {
    HILO_RETURN_IF_ERROR(before->AddControlDependencyTo(start));
  }
  for (HloInstruction* after : control_successors_) {
    HILO_RETURN_IF_ERROR(end->AddControlDependencyTo(after));
  }
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

void HloInstruction::set_called_computations_execution_thread(absl::string_view thread) {
  std::vector<HloComputation*> waiting = called_computations_;
  absl::flat_hash_set<const HloComputation*> seen(waiting.begin(), waiting.end());
  while (!waiting.empty()) {
    HloComputation* computation = waiting.back();
    waiting.pop_back();
    computation->SetExecutionThread(thread);
    for (const HloInstruction* instruction : computation->instructions()) {
      // What another thread runs stays there.
      if (instruction->opcode() == HloOpcode::kAsyncStart) continue;
      for (HloComputation* callee : instruction->called_computations()) {
        if (seen.insert(callee).second) waiting.push_back(callee);
      }
    }
  }
}

// Questions.

bool HloInstruction::IsOpElementwise(HloOpcode opcode) { return HasTrait(opcode, kElementwise); }

bool HloInstruction::IsElementwise() const {
  // Between types of other widths, several elements are one.
  if (opcode_ == HloOpcode::kBitcastConvert)
    return ShapeUtil::SameDimensions(shape(), operand(0)->shape());
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

bool HloInstruction::IsFused() const {
  return parent_ != nullptr && parent_->IsFusionComputation();
}

bool HloInstruction::IsAsynchronous() const { return HloOpcodeIsAsync(opcode_); }

bool HloInstruction::IsCustomCall(absl::string_view target) const {
  return opcode_ == HloOpcode::kCustomCall && custom_call_target() == target;
}

bool HloInstruction::IsCustomCall(absl::Span<const absl::string_view> targets) const {
  return absl::c_any_of(targets, [this](absl::string_view target) { return IsCustomCall(target); });
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

void HloInstruction::set_metadata(const OpMetadata& metadata) {
  // That of an instruction without any.
  if (annotations_ == nullptr && &metadata == &Default<OpMetadata>()) return;
  annotations().metadata = metadata;
}

const HloSharding& HloInstruction::sharding() const {
  CHECK(sharding_ != nullptr) << name_ << " has no sharding";
  return *sharding_;
}

void HloInstruction::set_sharding(HloSharding sharding) {
  sharding_ = std::make_shared<const HloSharding>(std::move(sharding));
}

const FrontendAttributes& HloInstruction::frontend_attributes() const {
  return annotations_ == nullptr ? Default<FrontendAttributes>()
                                 : annotations_->frontend_attributes;
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

std::optional<std::string> HloInstruction::get_frontend_attribute(absl::string_view key) const {
  const auto found = frontend_attributes().map().find(std::string(key));
  if (found == frontend_attributes().map().end()) return std::nullopt;
  return found->second;
}

bool HloInstruction::add_frontend_attribute(absl::string_view key, absl::string_view value) {
  if (get_frontend_attribute(key).has_value()) return false;
  set_frontend_attribute(key, value);
  return true;
}

void HloInstruction::add_frontend_attributes(const FrontendAttributes& frontend_attributes) {
  for (const auto& [key, value] : frontend_attributes.map()) add_frontend_attribute(key, value);
}

bool HloInstruction::erase_frontend_attribute(absl::string_view key) {
  return has_frontend_attributes() &&
         annotations().frontend_attributes.mutable_map()->erase(std::string(key)) > 0;
}

std::optional<int64_t> HloInstruction::sharding_unique_device() const {
  return sharding_ == nullptr ? std::nullopt : sharding_->UniqueDevice();
}

void HloInstruction::set_device_sharding(int64_t device) {
  set_single_sharding(HloSharding::SingleDevice(device));
}

void HloInstruction::set_single_sharding(const HloSharding& sharding) {
  set_sharding(shape_.IsTuple() ? HloSharding::SingleTuple(shape_, sharding) : sharding);
}

bool HloInstruction::has_compatible_sharding(const HloInstruction* other) const {
  return has_sharding() == other->has_sharding() &&
         (!has_sharding() || sharding() == other->sharding());
}

const std::string& HloInstruction::raw_backend_config_string() const {
  static const std::string& none = *new std::string();
  return annotations_ == nullptr ? none : annotations_->backend_config;
}

void HloInstruction::set_raw_backend_config_string(std::string config) {
  annotations().backend_config = std::move(config);
}

absl::Status HloInstruction::set_backend_config(const google::protobuf::Message& config) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(config, &text, options);
  if (!status.ok()) return Internal("%s: backend_config: %s", name_, status.ToString());
  set_raw_backend_config_string(std::move(text));
  return absl::OkStatus();
}

absl::Status HloInstruction::GetBackendConfigInternal(google::protobuf::Message* config) const {
  config->Clear();
  if (!has_backend_config()) return absl::OkStatus();
  const auto status =
      google::protobuf::util::JsonStringToMessage(raw_backend_config_string(), config);
  if (status.ok()) return absl::OkStatus();
  return InvalidArgument("%s: backend_config is no %s in JSON: %s", name_,
                         config->GetDescriptor()->full_name(), status.ToString());
}

const StatisticsViz& HloInstruction::statistics_viz() const {
  return annotations_ == nullptr ? Default<StatisticsViz>() : annotations_->statistics;
}

void HloInstruction::set_statistics_viz(StatisticsViz statistics) {
  annotations().statistics = std::move(statistics);
}

void HloInstruction::add_single_statistic(Statistic statistic) {
  *annotations().statistics.add_statistics() = std::move(statistic);
}

void HloInstruction::set_stat_index_to_visualize(int64_t index) {
  annotations().statistics.set_stat_index_to_visualize(index);
}

const Statistic& HloInstruction::statistic_to_visualize() const {
  return statistics_viz().statistics().at(
      static_cast<int>(statistics_viz().stat_index_to_visualize()));
}

bool HloInstruction::has_result_accuracy() const { return HasPrintedAccuracy(result_accuracy()); }

bool HloInstruction::equal_result_accuracy(const HloInstruction* other) const {
  return AreEqual(result_accuracy(), other->result_accuracy());
}

const ResultAccuracy& HloInstruction::result_accuracy() const {
  return annotations_ == nullptr ? DefaultResultAccuracy() : annotations_->result_accuracy;
}

void HloInstruction::set_result_accuracy(ResultAccuracy accuracy) {
  annotations().result_accuracy = std::move(accuracy);
}

std::shared_ptr<OriginalValue> HloInstruction::original_value() const {
  return annotations_ == nullptr ? nullptr : annotations_->original_value;
}

void HloInstruction::set_original_value(std::shared_ptr<OriginalValue> original_value) {
  annotations().original_value = std::move(original_value);
}

void HloInstruction::SetupDerivedInstruction(HloInstruction* derived) const {
  // A sharding goes with the tree of arrays and their ranks.
  if (!ShapeUtil::CompatibleKind(shape_, derived->shape())) {
    derived->clear_sharding();
  } else if (sharding_ != nullptr) {
    derived->set_sharding(sharding_);
  }
  if (HasTrait(derived->opcode(), kAccuracy) &&
      (has_result_accuracy() || derived->has_result_accuracy())) {
    derived->set_result_accuracy(result_accuracy());
  }
  if (annotations_ == nullptr) return;
  derived->set_metadata(metadata());
  if (has_frontend_attributes()) {
    derived->set_frontend_attributes(frontend_attributes());
    // Where one operation runs says nothing about another.
    derived->erase_frontend_attribute(kXlaComputeTypeAttr);
  }
  if (opcode_ == derived->opcode() && has_backend_config() && !derived->has_backend_config()) {
    derived->CopyBackendConfigFrom(this);
  }
}

HloInstruction* HloInstruction::AddInstruction(std::unique_ptr<HloInstruction> derived,
                                               absl::string_view new_name) {
  SetupDerivedInstruction(derived.get());
  return parent_->AddInstruction(std::move(derived), new_name);
}

// Copies.

namespace {

// "foo" becomes "foo.clone", that "foo.clone2", and so on.
std::string CloneName(absl::string_view name, absl::string_view suffix) {
  const std::string ending = absl::StrCat(".", suffix);
  const size_t found = name.rfind(ending);
  if (found == absl::string_view::npos) return absl::StrCat(name, ending);
  const absl::string_view number = name.substr(found + ending.size());
  int64_t count = 0;
  if (number.empty()) return absl::StrCat(name, 2);
  if (!absl::SimpleAtoi(number, &count)) return absl::StrCat(name, ending);
  return absl::StrCat(name.substr(0, found), ending, count + 1);
}

}  // namespace

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
  clone->name_ = suffix.empty() ? name_ : CloneName(name_, suffix);
  if (sharding_ != nullptr && ShapeUtil::CompatibleKind(shape_, shape)) {
    clone->sharding_ = sharding_;
  }
  if (annotations_ != nullptr) clone->annotations_ = std::make_unique<Annotations>(*annotations_);
  if (context != nullptr) {
    context->MapInstruction(this, clone.get());
    for (HloComputation*& callee : clone->called_computations_) {
      callee = context->MappedComputation(callee);
    }
  }
  return clone;
}

}  // namespace xla
