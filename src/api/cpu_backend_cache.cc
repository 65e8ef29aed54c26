#include "api/cpu_backend_cache.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "codegen/target.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "runtime/build_id.h"
#include "runtime/saved_program.h"

namespace xla {
namespace {

// The same bytes for equal messages, maps included. False when there are too many.
template <typename Message>
bool Append(const Message& message, std::string* bytes) {
  google::protobuf::io::StringOutputStream stream(bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  return message.SerializeToCodedStream(&coded);
}

}  // namespace

std::string ProgramCache::KeyOf(const HloModule& module) {
  HloModuleProto proto = module.ToProto();
  proto.clear_id();
  // Programs that come from other lines of their source are the same.
  proto.clear_stack_frame_index();
  for (HloComputationProto& computation : *proto.mutable_computations()) {
    for (HloInstructionProto& instruction : *computation.mutable_instructions())
      instruction.clear_metadata();
  }
  const HloModuleConfig& config = module.config();
  std::string bytes =
      absl::StrCat(HILO_VERSION, " ", runtime::BuildId(), " ", config.replica_count(), " ",
                   config.num_partitions(), " ", config.seed());
  const absl::StatusOr<codegen::Target> target = codegen::Target::Of(config.debug_options());
  if (!target.ok()) return "";
  absl::StrAppend(&bytes, " ", target->name, " ", absl::StrJoin(target->features, " "));
  if (!Append(config.debug_options(), &bytes) || !Append(proto, &bytes)) return "";
  return absl::StrFormat("%016x%016x", runtime::Checksum(bytes, 1), runtime::Checksum(bytes, 2));
}

std::string ProgramCache::PathOf(const std::string& key) const {
  return (std::filesystem::path(folder_) / absl::StrCat(key, ".hilo")).string();
}

std::optional<runtime::ProgramImage> ProgramCache::Find(const std::string& key) const {
  std::ifstream file(PathOf(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  absl::StatusOr<runtime::ProgramImage> image = runtime::RestoreProgram(bytes);
  if (!image.ok() || image->key != key) return std::nullopt;
  return *std::move(image);
}

void ProgramCache::Store(const std::string& key, runtime::ProgramImage& image) const {
  static std::atomic<int64_t> last = 0;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  image.key = key;
  const std::string temporary = absl::StrCat(PathOf(key), ".", getpid(), ".", ++last);
  std::ofstream file(temporary, std::ios::binary);
  file << runtime::SaveProgram(image);
  file.close();
  if (file) std::filesystem::rename(temporary, PathOf(key), error);
  if (!file || error) std::filesystem::remove(temporary, error);
}

}  // namespace xla
