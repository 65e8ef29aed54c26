#include "xla/hlo/ir/hlo_module_metadata.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {

void HloModuleMetadata::set_prepartitioning_metadata(const HloModuleMetadata& metadata) {
  prepartitioning_metadata_ = metadata.proto();
  prepartitioning_metadata_->clear_canonical_module_id();
  proto_.set_original_module_id(metadata.canonical_module_id());
}

void HloModuleMetadata::RecordPassStart() {
  running_.push_back(proto_.pass_metadata_size());
  HloPassMetadata* pass = proto_.add_pass_metadata();
  pass->set_pass_id(proto_.pass_metadata_size());
  pass->set_start_timestamp_usec(absl::ToUnixMicros(absl::Now()));
}

absl::Status HloModuleMetadata::RecordPassEnd() {
  HILO_RETURN_IF_ERROR(ChangeCurrentPass([](HloPassMetadata& pass) {
    pass.set_end_timestamp_usec(absl::ToUnixMicros(absl::Now()));
  }));
  running_.pop_back();
  return absl::OkStatus();
}

absl::StatusOr<HloPassMetadata*> HloModuleMetadata::CurrentPass() {
  if (running_.empty()) return NotFound("no pass runs");
  return proto_.mutable_pass_metadata(running_.back());
}

absl::Status HloModuleMetadata::ChangeCurrentPass(
    const std::function<void(HloPassMetadata&)>& change) {
  HILO_ASSIGN_OR_RETURN(HloPassMetadata * pass, CurrentPass());
  change(*pass);
  return absl::OkStatus();
}

absl::Status HloModuleMetadata::set_current_pass_name(absl::string_view name) {
  return ChangeCurrentPass([&](HloPassMetadata& pass) { pass.set_pass_name(std::string(name)); });
}

absl::Status HloModuleMetadata::set_current_pass_pipeline_name(absl::string_view name) {
  return ChangeCurrentPass(
      [&](HloPassMetadata& pass) { pass.set_pipeline_name(std::string(name)); });
}

absl::Status HloModuleMetadata::add_current_pass_dump_filename(absl::string_view filename) {
  return ChangeCurrentPass(
      [&](HloPassMetadata& pass) { pass.add_dump_filenames(std::string(filename)); });
}

absl::Status HloModuleMetadata::set_current_pass_module_changed(bool changed) {
  return ChangeCurrentPass([&](HloPassMetadata& pass) { pass.set_module_changed(changed); });
}

absl::Status HloModuleMetadata::set_current_pass_module_id(int64_t id) {
  return ChangeCurrentPass([&](HloPassMetadata& pass) { pass.set_module_id(id); });
}

absl::Status HloModuleMetadata::add_current_pass_module_group_module_id(int64_t id) {
  return ChangeCurrentPass([&](HloPassMetadata& pass) { pass.add_module_group_module_ids(id); });
}

absl::StatusOr<int64_t> HloModuleMetadata::current_pass_id() const {
  if (running_.empty()) return NotFound("no pass runs");
  return proto_.pass_metadata(running_.back()).pass_id();
}

}  // namespace xla
