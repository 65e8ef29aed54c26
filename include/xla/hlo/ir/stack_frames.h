// Where in the source of the program that made a module its instructions come from.
#ifndef XLA_HLO_IR_STACK_FRAMES_H_
#define XLA_HLO_IR_STACK_FRAMES_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"

namespace xla {

// The number of a frame among those of a module, counted from 1; 0 is none.
struct StackFrameId {
  int32_t value = 0;

  bool valid() const { return value > 0; }
  friend bool operator==(StackFrameId a, StackFrameId b) { return a.value == b.value; }
  friend bool operator!=(StackFrameId a, StackFrameId b) { return a.value != b.value; }
  friend bool operator<(StackFrameId a, StackFrameId b) { return a.value < b.value; }
  template <typename H>
  friend H AbslHashValue(H h, StackFrameId id) {
    return H::combine(std::move(h), id.value);
  }
};

// A place in a source file, and the frame that called it. Lines and columns count from 1; 0 is
// unknown.
struct HloStackFrame {
  std::string file_name;
  std::string function_name;
  int32_t line = 0;
  int32_t column = 0;
  int32_t end_line = 0;
  int32_t end_column = 0;
  StackFrameId parent_frame_id;

  bool empty() const {
    return line == 0 && column == 0 && file_name.empty() && function_name.empty();
  }
};

// The tables of StackFrameIndexProto: file names, function names, locations and frames.
class StackFrames {
 public:
  StackFrames() = default;

  // InvalidArgument when a name stands twice, an id points outside its table or a frame's parents form a cycle.
  static absl::StatusOr<StackFrames> FromProto(StackFrameIndexProto proto);
  const StackFrameIndexProto& proto() const { return tables_; }

  bool empty() const { return tables_.stack_frames().empty(); }
  int64_t size() const { return tables_.stack_frames_size(); }
  bool IsValidId(StackFrameId id) const { return id.value > 0 && id.value <= size(); }

  // The id of the frame, which is added unless an equal one is there. The parent must be none or one
  // of these frames.
  StackFrameId AddStackFrame(const HloStackFrame& frame);
  // An empty one when there is no frame of that id.
  HloStackFrame GetStackFrame(StackFrameId id) const;

  // Whether `prefix` is `id` or one of its callers, direct or not. None is a prefix of all.
  bool IsPrefix(StackFrameId prefix, StackFrameId id) const;
  // Frame `suffix` and its callers as if `prefix` had called the outermost of them.
  StackFrameId Concatenate(StackFrameId prefix, StackFrameId suffix);

  // The form of text: FileNames, FunctionNames, FileLocations and StackFrames with one numbered
  // line for each entry, each table followed by an empty line. Nothing when there are no frames.
  void Print(Printer* printer) const;

  bool operator==(const StackFrames& other) const;
  bool operator!=(const StackFrames& other) const { return !(*this == other); }

 private:
  using Location = std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t, int32_t>;

  int32_t InternName(absl::string_view name, bool is_file);

  StackFrameIndexProto tables_;
  // Ids by content.
  absl::flat_hash_map<std::string, int32_t> file_ids_;
  absl::flat_hash_map<std::string, int32_t> function_ids_;
  absl::flat_hash_map<Location, int32_t> location_ids_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> frame_ids_;
};

// Copies frames from one set to another, each with its callers, and tells the new ids. To bring the
// frames of a module into canonical form, copy those its instructions refer to, in order, to an
// empty set.
class StackFrameCopier {
 public:
  StackFrameCopier(const StackFrames& from, StackFrames* to)
      : from_(from), to_(*to), new_ids_(from.size() + 1) {}

  // The new id of a frame; none when `from` has none of that id.
  StackFrameId Copy(StackFrameId id);

 private:
  const StackFrames& from_;
  StackFrames& to_;
  std::vector<StackFrameId> new_ids_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_STACK_FRAMES_H_
