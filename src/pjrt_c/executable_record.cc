#include "pjrt_c/executable_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "api/pjrt/cost_analysis.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "pjrt_c/layouts.h"
#include "pjrt_c/objects.h"
#include "pjrt_c/python.h"
#include "pjrt_c/types.h"
#include "runtime/saved_program.h"
#include "xla/ffi/ffi_registry.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/service/hlo.pb.h"
#include "xla/util.h"
#include "xla/xla.pb.h"

namespace xla::pjrt_c {
namespace {

constexpr absl::string_view kSavedMark = "HILOPJRT";

// Numbers of 8 bytes, and strings behind their lengths.
void AppendNumber(uint64_t number, std::string& bytes) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

void AppendText(absl::string_view text, std::string& bytes) {
  AppendNumber(text.size(), bytes);
  absl::StrAppend(&bytes, text);
}

absl::Status Damaged() { return InvalidArgument("the saved executable is damaged"); }

absl::StatusOr<uint64_t> TakeNumber(absl::string_view& bytes) {
  if (bytes.size() < 8) return Damaged();
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  bytes.remove_prefix(8);
  return number;
}

absl::StatusOr<absl::string_view> TakeText(absl::string_view& bytes) {
  HILO_ASSIGN_OR_RETURN(const uint64_t size, TakeNumber(bytes));
  if (size > bytes.size()) return Damaged();
  const absl::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

using Texts = std::optional<std::vector<std::string>>;

// The count is one more than there are; 0 stands for none.
void AppendTexts(const Texts& texts, std::string& bytes) {
  AppendNumber(texts.has_value() ? texts->size() + 1 : 0, bytes);
  if (!texts.has_value()) return;
  for (const std::string& text : *texts) AppendText(text, bytes);
}

absl::StatusOr<Texts> TakeTexts(absl::string_view& bytes) {
  HILO_ASSIGN_OR_RETURN(const uint64_t count, TakeNumber(bytes));
  if (count == 0) return Texts();
  Texts texts(std::in_place);
  for (uint64_t i = 1; i < count; ++i) {
    HILO_ASSIGN_OR_RETURN(const absl::string_view text, TakeText(bytes));
    texts->emplace_back(text);
  }
  return texts;
}

Texts ToBytesOfAll(const std::optional<std::vector<OpSharding>>& shardings) {
  if (!shardings.has_value()) return std::nullopt;
  Texts bytes(std::in_place);
  for (const OpSharding& sharding : *shardings) bytes->push_back(sharding.SerializeAsString());
  return bytes;
}

// Functions that somebody has registered, rather than what compiled programs do by themselves.
bool CallsHandlers(const HloModuleProto& module) {
  for (const HloComputationProto& computation : module.computations()) {
    for (const HloInstructionProto& instruction : computation.instructions()) {
      if (instruction.opcode() != "custom-call") continue;
      ConnectPython();
      if (ffi::FindHandler(instruction.custom_call_target(), "Host").ok()) return true;
    }
  }
  return false;
}

std::vector<std::string> TextsOf(const std::vector<std::vector<absl::string_view>>& programs) {
  std::vector<std::string> texts;
  for (const auto& program : programs) {
    for (const absl::string_view text : program) texts.emplace_back(text);
  }
  return texts;
}

std::unique_ptr<TextList> ListOf(const Texts& texts) {
  return texts.has_value() ? std::make_unique<TextList>(*texts) : nullptr;
}

// What lowering says of the entry's arrays, see front/stablehlo/lower/module.cc.
Texts MemoryKindsOf(const HloModuleProto& module, const std::string& name) {
  const auto& attributes = module.frontend_attributes().map();
  const auto found = attributes.find(name);
  if (found == attributes.end()) return std::nullopt;
  return Texts(absl::StrSplit(found->second, ','));
}

// A program of one of the formats as a computation.
absl::StatusOr<XlaComputation> ReadProgram(absl::string_view format, absl::string_view code) {
  if (format == "mlir") {
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ConvertStablehloToHlo(code));
    return XlaComputation(module->ToProto());
  }
  if (format == "hlo_text") {
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                          ParseAndReturnUnverifiedModule(code));
    return XlaComputation(module->ToProto());
  }
  HloModuleProto proto;
  if (format == "hlo") {
    if (!proto.ParseFromArray(code.data(), static_cast<int>(code.size())))
      return InvalidArgument("the program is no serialised HloModuleProto");
    return XlaComputation(std::move(proto));
  }
  if (format == "hlo_with_config") {
    HloModuleProtoWithConfig with_config;
    if (!with_config.ParseFromArray(code.data(), static_cast<int>(code.size())))
      return InvalidArgument("the program is no serialised HloModuleProtoWithConfig");
    return XlaComputation(std::move(*with_config.mutable_hlo_module()));
  }
  return InvalidArgument(
      "programs of format '%s' cannot be read: mlir, hlo, hlo_text and hlo_with_config can",
      format);
}

ExecutableFacts FactsOf(SourceProgram source, const XlaComputation& computation,
                        absl::string_view compile_options) {
  ExecutableFacts facts;
  facts.calls_handlers = CallsHandlers(computation.proto());
  facts.parameter_memory_kinds = MemoryKindsOf(computation.proto(), "parameter_memory_kinds");
  facts.output_memory_kinds = MemoryKindsOf(computation.proto(), "result_memory_kinds");
  const uint64_t version = runtime::Checksum(PlatformVersion());
  const uint64_t options = runtime::Checksum(compile_options, version);
  facts.fingerprint = absl::StrFormat("%016x%016x", runtime::Checksum(source.code, options),
                                      runtime::Checksum(source.code, options + 1));
  facts.source = std::move(source);
  return facts;
}

}  // namespace

struct ExecutableRecord::LayoutList {
  ~LayoutList() {
    for (PJRT_Layouts_MemoryLayout* layout : layouts) DestroyLayout(layout);
  }
  std::vector<PJRT_Layouts_MemoryLayout*> layouts;
};

TextList::TextList(std::vector<std::string> given) : texts(std::move(given)) {
  for (const std::string& text : texts) {
    data.push_back(text.data());
    sizes.push_back(text.size());
  }
}

void NamedValues::Add(absl::string_view name, PjRtValueType value) {
  entries_.push_back(std::make_unique<Entry>(Entry{std::string(name), std::move(value)}));
}

absl::Span<const PJRT_NamedValue> NamedValues::values() {
  if (values_.size() == entries_.size()) return values_;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    PJRT_NamedValue& named = values_.emplace_back();
    named.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    named.extension_start = nullptr;
    named.name = entry->name.data();
    named.name_size = entry->name.size();
    named.value_size = 1;
    if (const auto* text = std::get_if<std::string>(&entry->value)) {
      named.type = PJRT_NamedValue_kString;
      named.string_value = text->data();
      named.value_size = text->size();
    } else if (const auto* truth = std::get_if<bool>(&entry->value)) {
      named.type = PJRT_NamedValue_kBool;
      named.bool_value = *truth;
    } else if (const auto* number = std::get_if<int64_t>(&entry->value)) {
      named.type = PJRT_NamedValue_kInt64;
      named.int64_value = *number;
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&entry->value)) {
      named.type = PJRT_NamedValue_kInt64List;
      named.int64_array_value = list->data();
      named.value_size = list->size();
    } else {
      named.type = PJRT_NamedValue_kFloat;
      named.float_value = std::get<float>(entry->value);
    }
  }
  return values_;
}

std::string ExecutableFacts::ToBytes() const {
  std::string bytes;
  AppendText(source.format, bytes);
  AppendText(source.code, bytes);
  AppendText(fingerprint, bytes);
  AppendNumber(calls_handlers ? 1 : 0, bytes);
  for (const Texts* texts :
       {&parameter_shardings, &output_shardings, &parameter_memory_kinds, &output_memory_kinds})
    AppendTexts(*texts, bytes);
  return bytes;
}

absl::StatusOr<ExecutableFacts> ExecutableFacts::FromBytes(absl::string_view bytes) {
  ExecutableFacts facts;
  HILO_ASSIGN_OR_RETURN(const absl::string_view format, TakeText(bytes));
  HILO_ASSIGN_OR_RETURN(const absl::string_view code, TakeText(bytes));
  HILO_ASSIGN_OR_RETURN(const absl::string_view fingerprint, TakeText(bytes));
  HILO_ASSIGN_OR_RETURN(const uint64_t calls_handlers, TakeNumber(bytes));
  facts.source = {std::string(format), std::string(code)};
  facts.fingerprint = std::string(fingerprint);
  facts.calls_handlers = calls_handlers != 0;
  for (Texts* texts : {&facts.parameter_shardings, &facts.output_shardings,
                       &facts.parameter_memory_kinds, &facts.output_memory_kinds}) {
    HILO_ASSIGN_OR_RETURN(*texts, TakeTexts(bytes));
  }
  return facts;
}

ExecutableRecord::ExecutableRecord(std::shared_ptr<PjRtExecutable> executable,
                                   ExecutableFacts facts)
    : executable_(std::move(executable)),
      facts_(std::move(facts)),
      name_(executable_->name()),
      replica_count_(static_cast<size_t>(executable_->num_replicas())),
      partition_count_(static_cast<size_t>(executable_->num_partitions())),
      parameter_shardings_(ListOf(facts_.parameter_shardings)),
      output_shardings_(ListOf(facts_.output_shardings)) {}

absl::StatusOr<std::shared_ptr<ExecutableRecord>> ExecutableRecord::Make(
    std::shared_ptr<PjRtExecutable> executable, ExecutableFacts facts) {
  if (!facts.output_shardings.has_value())
    facts.output_shardings = ToBytesOfAll(executable->GetOutputShardings());
  if (!facts.parameter_shardings.has_value())
    facts.parameter_shardings = ToBytesOfAll(executable->GetParameterShardings());
  std::shared_ptr<ExecutableRecord> record(
      new ExecutableRecord(std::move(executable), std::move(facts)));
  HILO_RETURN_IF_ERROR(record->SetOutputs());
  return record;
}

absl::Status ExecutableRecord::SetOutputs() {
  HILO_ASSIGN_OR_RETURN(const auto types, executable_->GetOutputElementTypes());
  HILO_ASSIGN_OR_RETURN(const auto dimensions, executable_->GetOutputDimensions());
  for (size_t program = 0; program < types.size(); ++program) {
    for (size_t i = 0; i < types[program].size(); ++i) {
      const DimensionVector& sizes = dimensions[program][i];
      output_types_.push_back(ToBufferType(types[program][i]));
      output_ranks_.push_back(sizes.size());
      output_dimensions_.insert(output_dimensions_.end(), sizes.begin(), sizes.end());
    }
  }
  if (facts_.output_memory_kinds.has_value() &&
      facts_.output_memory_kinds->size() != output_types_.size()) {
    return InvalidArgument("program %s has %d results, but says where %d lie", name_,
                           output_types_.size(), facts_.output_memory_kinds->size());
  }
  return absl::OkStatus();
}

absl::StatusOr<const TextList*> ExecutableRecord::OutputMemoryKinds() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (output_kinds_ == nullptr) output_kinds_ = ListOf(facts_.output_memory_kinds);
  if (output_kinds_ == nullptr) {
    HILO_ASSIGN_OR_RETURN(const auto kinds, executable_->GetOutputMemoryKinds());
    output_kinds_ = std::make_unique<TextList>(TextsOf(kinds));
  }
  return output_kinds_.get();
}

absl::StatusOr<const TextList*> ExecutableRecord::ParameterMemoryKinds() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (parameter_kinds_ == nullptr) parameter_kinds_ = ListOf(facts_.parameter_memory_kinds);
  if (parameter_kinds_ == nullptr) {
    HILO_ASSIGN_OR_RETURN(const auto kinds, executable_->GetParameterMemoryKinds());
    parameter_kinds_ = std::make_unique<TextList>(TextsOf(kinds));
  }
  return parameter_kinds_.get();
}

absl::StatusOr<const std::vector<PJRT_Layouts_MemoryLayout*>*> ExecutableRecord::OutputLayouts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (output_layouts_ == nullptr) {
    HILO_ASSIGN_OR_RETURN(const auto layouts, executable_->GetOutputLayouts());
    output_layouts_ = std::make_shared<LayoutList>();
    for (const auto& layout : layouts)
      output_layouts_->layouts.push_back(NewLayout(layout->xla_layout()));
  }
  return &output_layouts_->layouts;
}

absl::StatusOr<const std::vector<PJRT_Layouts_MemoryLayout*>*>
ExecutableRecord::ParameterLayouts() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (parameter_layouts_ == nullptr) {
    HILO_ASSIGN_OR_RETURN(const auto layouts, executable_->GetParameterLayouts());
    parameter_layouts_ = std::make_shared<LayoutList>();
    for (const auto& layout : layouts)
      parameter_layouts_->layouts.push_back(NewLayout(layout->xla_layout()));
  }
  return &parameter_layouts_->layouts;
}

// Of the program as it came: what is saved has no operations to count.
absl::StatusOr<NamedValues*> ExecutableRecord::Costs() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (costs_ != nullptr) return costs_.get();
  HILO_ASSIGN_OR_RETURN(const XlaComputation computation,
                        ReadProgram(facts_.source.format, facts_.source.code));
  HILO_ASSIGN_OR_RETURN(const HloModuleConfig config, HloModule::CreateModuleConfigFromProto(
                                                          computation.proto(), DebugOptions()));
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                        HloModule::CreateFromProto(computation.proto(), config));
  HILO_ASSIGN_OR_RETURN(const auto figures, AnalyzeCost(*module));
  costs_ = std::make_unique<NamedValues>();
  for (const auto& [name, value] : figures) costs_->Add(name, value);
  return costs_.get();
}

absl::StatusOr<const SourceProgram*> ExecutableRecord::OptimizedProgram() {
  if (partition_count_ == 1) return &facts_.source;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (partition_program_ == nullptr) {
    HILO_ASSIGN_OR_RETURN(const auto modules, executable_->GetHloModules());
    partition_program_ = std::make_unique<SourceProgram>();
    partition_program_->format = "hlo_with_config";
    partition_program_->code = modules[0]->ToProtoWithConfig().SerializeAsString();
  }
  return partition_program_.get();
}

absl::StatusOr<std::string> ExecutableRecord::Serialize() const {
  HILO_ASSIGN_OR_RETURN(const std::string executable, executable_->SerializeExecutable());
  std::string content;
  AppendText(PlatformVersion(), content);
  AppendText(facts_.ToBytes(), content);
  AppendText(executable, content);
  std::string bytes(kSavedMark);
  AppendNumber(runtime::Checksum(content), bytes);
  return bytes + content;
}

absl::StatusOr<SavedExecutable> ReadSavedExecutable(absl::string_view bytes) {
  if (bytes.substr(0, kSavedMark.size()) != kSavedMark)
    return InvalidArgument("these bytes are no saved executable");
  bytes.remove_prefix(kSavedMark.size());
  HILO_ASSIGN_OR_RETURN(const uint64_t checksum, TakeNumber(bytes));
  if (checksum != runtime::Checksum(bytes)) return Damaged();
  HILO_ASSIGN_OR_RETURN(const absl::string_view version, TakeText(bytes));
  if (version != PlatformVersion()) {
    return FailedPrecondition("the executable was saved by %s, but this is %s", version,
                              PlatformVersion());
  }
  HILO_ASSIGN_OR_RETURN(const absl::string_view facts, TakeText(bytes));
  HILO_ASSIGN_OR_RETURN(const absl::string_view executable, TakeText(bytes));
  SavedExecutable saved;
  HILO_ASSIGN_OR_RETURN(saved.facts, ExecutableFacts::FromBytes(facts));
  saved.executable = std::string(executable);
  return saved;
}

absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view bytes) {
  CompileOptionsProto proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return InvalidArgument("the compile options are no serialised CompileOptionsProto");
  return CompileOptions::FromProto(proto);
}

absl::StatusOr<CompileRequest> ReadCompileRequest(const PJRT_Program& program,
                                                  absl::string_view compile_options) {
  SourceProgram source = {std::string(ToView(program.format, program.format_size)),
                          std::string(ToView(program.code, program.code_size))};
  CompileRequest request;
  HILO_ASSIGN_OR_RETURN(request.options, ReadCompileOptions(compile_options));
  HILO_ASSIGN_OR_RETURN(request.computation, ReadProgram(source.format, source.code));
  request.facts = FactsOf(std::move(source), request.computation, compile_options);
  return request;
}

}  // namespace xla::pjrt_c
