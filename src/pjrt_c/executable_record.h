// An executable together with the program that it was compiled from, and what callers ask of both.
#ifndef HILO_PJRT_C_EXECUTABLE_RECORD_H_
#define HILO_PJRT_C_EXECUTABLE_RECORD_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/pjrt_executable.h"

struct PJRT_Layouts_MemoryLayout;

namespace xla::pjrt_c {

// A program as it came.
struct SourceProgram {
  std::string format, code;
};

// Texts as the C interface hands them out.
struct TextList {
  explicit TextList(std::vector<std::string> given = {});
  TextList(const TextList&) = delete;

  std::vector<std::string> texts;
  std::vector<const char*> data;
  std::vector<size_t> sizes;
};

// A named value of the C interface for each entry. They live as long as the object.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(const NamedValues&) = delete;
  void Add(absl::string_view name, PjRtValueType value);
  // To be called when all have been added.
  absl::Span<const PJRT_NamedValue> values();

 private:
  struct Entry {
    std::string name;
    PjRtValueType value;
  };
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<PJRT_NamedValue> values_;
};

// What can be said of an executable whether it was compiled here or loaded from bytes.
struct ExecutableFacts {
  SourceProgram source;
  std::string fingerprint;
  // Whether it calls functions of the caller, which may be of any kind.
  bool calls_handlers = false;
  // Serialised OpShardings.
  std::optional<std::vector<std::string>> parameter_shardings, output_shardings;
  // Where the program says that its arrays lie.
  std::optional<std::vector<std::string>> parameter_memory_kinds, output_memory_kinds;

  std::string ToBytes() const;
  static absl::StatusOr<ExecutableFacts> FromBytes(absl::string_view bytes);
};

// Everything that it hands out lives as long as it does. For any number of threads.
class ExecutableRecord {
 public:
  static absl::StatusOr<std::shared_ptr<ExecutableRecord>> Make(
      std::shared_ptr<PjRtExecutable> executable, ExecutableFacts facts);

  PjRtExecutable& executable() const { return *executable_; }
  const std::shared_ptr<PjRtExecutable>& shared_executable() const { return executable_; }
  const ExecutableFacts& facts() const { return facts_; }
  const std::string& name() const { return name_; }
  size_t replica_count() const { return replica_count_; }
  size_t partition_count() const { return partition_count_; }
  size_t output_count() const { return output_types_.size(); }
  const std::vector<PJRT_Buffer_Type>& output_types() const { return output_types_; }
  const std::vector<int64_t>& output_dimensions() const { return output_dimensions_; }
  const std::vector<size_t>& output_ranks() const { return output_ranks_; }

  absl::StatusOr<const TextList*> OutputMemoryKinds();
  absl::StatusOr<const TextList*> ParameterMemoryKinds();
  // Null where the program has none.
  const TextList* OutputShardings() const { return output_shardings_.get(); }
  const TextList* ParameterShardings() const { return parameter_shardings_.get(); }
  absl::StatusOr<const std::vector<PJRT_Layouts_MemoryLayout*>*> OutputLayouts();
  absl::StatusOr<const std::vector<PJRT_Layouts_MemoryLayout*>*> ParameterLayouts();
  absl::StatusOr<NamedValues*> Costs();
  // The program as it came; of several partitions what each of them runs.
  absl::StatusOr<const SourceProgram*> OptimizedProgram();

  // Bytes for Load.
  absl::StatusOr<std::string> Serialize() const;

 private:
  struct LayoutList;
  ExecutableRecord(std::shared_ptr<PjRtExecutable> executable, ExecutableFacts facts);
  absl::Status SetOutputs();

  const std::shared_ptr<PjRtExecutable> executable_;
  const ExecutableFacts facts_;
  const std::string name_;
  const size_t replica_count_, partition_count_;
  std::vector<PJRT_Buffer_Type> output_types_;
  std::vector<int64_t> output_dimensions_;
  std::vector<size_t> output_ranks_;
  std::unique_ptr<TextList> parameter_shardings_, output_shardings_;

  // Made when they are first asked for.
  std::mutex mutex_;
  std::unique_ptr<TextList> parameter_kinds_, output_kinds_;
  std::shared_ptr<LayoutList> parameter_layouts_, output_layouts_;
  std::unique_ptr<NamedValues> costs_;
  std::unique_ptr<SourceProgram> partition_program_;
};

// A program that is about to be compiled, and what can be said of it before. InvalidArgument for
// formats that are not known.
struct CompileRequest {
  XlaComputation computation;
  CompileOptions options;
  ExecutableFacts facts;
};
absl::StatusOr<CompileRequest> ReadCompileRequest(const PJRT_Program& program,
                                                  absl::string_view compile_options);

// The two parts of what Serialize gave. FailedPrecondition for another build of the library.
struct SavedExecutable {
  ExecutableFacts facts;
  std::string executable;
};
absl::StatusOr<SavedExecutable> ReadSavedExecutable(absl::string_view bytes);

absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view bytes);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_EXECUTABLE_RECORD_H_
