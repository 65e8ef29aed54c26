// What is remembered of the passes that ran over a module.
#ifndef XLA_HLO_IR_HLO_MODULE_METADATA_H_
#define XLA_HLO_IR_HLO_MODULE_METADATA_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/service/hlo.pb.h"

namespace tsl {
class Env;
}  // namespace tsl

namespace xla {

// A record for each pass, in the order of their starts. Passes may contain others: what set_current_pass_... says is said
// of the pass that started last of those that still run, and NotFound when none runs.
class HloModuleMetadata {
 public:
  // Times are those of the system clock, in microseconds, whatever the environment.
  explicit HloModuleMetadata(tsl::Env* = nullptr) {}

  const HloModuleMetadataProto& proto() const { return proto_; }
  HloModuleMetadataProto* mutable_proto() { return &proto_; }
  // What was known before the module was made of parts of another one.
  const std::optional<HloModuleMetadataProto>& prepartitioning_metadata() const {
    return prepartitioning_metadata_;
  }
  void set_prepartitioning_metadata(const HloModuleMetadata& metadata);

  void RecordPassStart();
  absl::Status RecordPassEnd();

  int64_t canonical_module_id() const { return proto_.canonical_module_id(); }
  void set_canonical_module_id(int64_t id) { proto_.set_canonical_module_id(id); }
  void set_module_group_name(const std::string& name) { proto_.set_module_group_name(name); }
  void add_partitioned_module_id(int64_t id) { proto_.add_partitioned_module_ids(id); }

  absl::Status set_current_pass_name(absl::string_view name);
  absl::Status set_current_pass_pipeline_name(absl::string_view name);
  absl::Status add_current_pass_dump_filename(absl::string_view filename);
  absl::Status set_current_pass_module_changed(bool changed);
  absl::Status set_current_pass_module_id(int64_t id);
  absl::Status add_current_pass_module_group_module_id(int64_t id);
  // Counts from 1.
  absl::StatusOr<int64_t> current_pass_id() const;

 private:
  absl::StatusOr<HloPassMetadata*> CurrentPass();
  absl::Status ChangeCurrentPass(const std::function<void(HloPassMetadata&)>& change);

  HloModuleMetadataProto proto_;
  std::optional<HloModuleMetadataProto> prepartitioning_metadata_;
  std::vector<int> running_;  // numbers in proto_.pass_metadata
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_MODULE_METADATA_H_
