#include "xla/hlo/ir/stack_frames.h"

#include "absl/container/flat_hash_set.h"
#include "absl/log/check.h"
#include "absl/strings/escaping.h"
#include "xla/util.h"

namespace xla {
namespace {

using FileLocation = StackFrameIndexProto::FileLocation;

bool InTable(int64_t id, int64_t size) { return id > 0 && id <= size; }

// Whether the chain of callers of every frame ends.
bool HasCycle(const StackFrameIndexProto& tables) {
  enum : char { kUnseen, kOnPath, kDone };
  std::vector<char> state(tables.stack_frames_size() + 1, kUnseen);
  state[0] = kDone;
  std::vector<int> path;
  for (int start = 1; start <= tables.stack_frames_size(); ++start) {
    int id = start;
    for (; state[id] == kUnseen; id = tables.stack_frames(id - 1).parent_frame_id()) {
      state[id] = kOnPath;
      path.push_back(id);
    }
    if (state[id] == kOnPath) return true;
    for (const int visited : path) state[visited] = kDone;
    path.clear();
  }
  return false;
}

template <typename Names>
bool HasDuplicates(const Names& names) {
  return absl::flat_hash_set<absl::string_view>(names.begin(), names.end()).size() <
         static_cast<size_t>(names.size());
}

auto LocationKey(const FileLocation& location) {
  return std::make_tuple(location.file_name_id(), location.function_name_id(), location.line(),
                         location.end_line(), location.column(), location.end_column());
}

}  // namespace

absl::StatusOr<StackFrames> StackFrames::FromProto(StackFrameIndexProto proto) {
  if (HasDuplicates(proto.file_names()) || HasDuplicates(proto.function_names())) {
    return InvalidArgument("a name stands twice in a table of file or function names");
  }
  for (const FileLocation& location : proto.file_locations()) {
    if (!InTable(location.file_name_id(), proto.file_names_size()) ||
        !InTable(location.function_name_id(), proto.function_names_size())) {
      return InvalidArgument(
          "a file location has file_name_id %d of %d and function_name_id %d of %d",
          location.file_name_id(), proto.file_names_size(), location.function_name_id(),
          proto.function_names_size());
    }
  }
  for (const StackFrameIndexProto::StackFrame& frame : proto.stack_frames()) {
    if (!InTable(frame.file_location_id(), proto.file_locations_size()) ||
        frame.parent_frame_id() < 0 || frame.parent_frame_id() > proto.stack_frames_size()) {
      return InvalidArgument(
          "a stack frame has file_location_id %d of %d and parent_frame_id %d of %d",
          frame.file_location_id(), proto.file_locations_size(), frame.parent_frame_id(),
          proto.stack_frames_size());
    }
  }
  if (HasCycle(proto)) return InvalidArgument("stack frames call each other in a cycle");

  StackFrames frames;
  for (int i = 0; i < proto.file_names_size(); ++i) {
    frames.file_ids_.try_emplace(proto.file_names(i), i + 1);
  }
  for (int i = 0; i < proto.function_names_size(); ++i) {
    frames.function_ids_.try_emplace(proto.function_names(i), i + 1);
  }
  for (int i = 0; i < proto.file_locations_size(); ++i) {
    frames.location_ids_.try_emplace(LocationKey(proto.file_locations(i)), i + 1);
  }
  for (int i = 0; i < proto.stack_frames_size(); ++i) {
    const StackFrameIndexProto::StackFrame& frame = proto.stack_frames(i);
    frames.frame_ids_.try_emplace({frame.file_location_id(), frame.parent_frame_id()}, i + 1);
  }
  frames.tables_ = std::move(proto);
  return frames;
}

int32_t StackFrames::InternName(absl::string_view name, bool is_file) {
  auto* names = is_file ? tables_.mutable_file_names() : tables_.mutable_function_names();
  const auto [it, is_new] =
      (is_file ? file_ids_ : function_ids_).try_emplace(std::string(name), names->size() + 1);
  if (is_new) *names->Add() = std::string(name);
  return it->second;
}

StackFrameId StackFrames::AddStackFrame(const HloStackFrame& frame) {
  CHECK(frame.parent_frame_id == StackFrameId() || IsValidId(frame.parent_frame_id))
      << frame.parent_frame_id.value;
  FileLocation location;
  location.set_file_name_id(InternName(frame.file_name, /*is_file=*/true));
  location.set_function_name_id(InternName(frame.function_name, /*is_file=*/false));
  location.set_line(frame.line);
  location.set_end_line(frame.end_line);
  location.set_column(frame.column);
  location.set_end_column(frame.end_column);
  const auto [at_location, is_new_location] =
      location_ids_.try_emplace(LocationKey(location), tables_.file_locations_size() + 1);
  if (is_new_location) *tables_.add_file_locations() = location;

  const auto [at_frame, is_new_frame] = frame_ids_.try_emplace(
      {at_location->second, frame.parent_frame_id.value}, tables_.stack_frames_size() + 1);
  if (is_new_frame) {
    StackFrameIndexProto::StackFrame* added = tables_.add_stack_frames();
    added->set_file_location_id(at_location->second);
    added->set_parent_frame_id(frame.parent_frame_id.value);
  }
  return StackFrameId{at_frame->second};
}

HloStackFrame StackFrames::GetStackFrame(StackFrameId id) const {
  if (!IsValidId(id)) return {};
  const StackFrameIndexProto::StackFrame& frame = tables_.stack_frames(id.value - 1);
  const FileLocation& location = tables_.file_locations(frame.file_location_id() - 1);
  return HloStackFrame{tables_.file_names(location.file_name_id() - 1),
                       tables_.function_names(location.function_name_id() - 1),
                       location.line(),
                       location.column(),
                       location.end_line(),
                       location.end_column(),
                       StackFrameId{frame.parent_frame_id()}};
}

bool StackFrames::IsPrefix(StackFrameId prefix, StackFrameId id) const {
  while (id != prefix && IsValidId(id))
    id.value = tables_.stack_frames(id.value - 1).parent_frame_id();
  return id == prefix;
}

StackFrameId StackFrames::Concatenate(StackFrameId prefix, StackFrameId suffix) {
  std::vector<StackFrameId> chain;  // the outermost caller last
  for (; IsValidId(suffix); suffix = GetStackFrame(suffix).parent_frame_id) chain.push_back(suffix);
  for (auto id = chain.rbegin(); id != chain.rend(); ++id) {
    HloStackFrame frame = GetStackFrame(*id);
    frame.parent_frame_id = prefix;
    prefix = AddStackFrame(frame);
  }
  return prefix;
}

void StackFrames::Print(Printer* printer) const {
  if (empty()) return;
  const auto print_names = [&](absl::string_view title, const auto& names) {
    AppendCat(printer, title, "\n");
    for (int i = 0; i < names.size(); ++i) {
      AppendCat(printer, i + 1, " \"", absl::CEscape(names[i]), "\"\n");
    }
    printer->Append("\n");
  };
  print_names("FileNames", tables_.file_names());
  print_names("FunctionNames", tables_.function_names());
  printer->Append("FileLocations\n");
  for (int i = 0; i < tables_.file_locations_size(); ++i) {
    const FileLocation& location = tables_.file_locations(i);
    AppendCat(printer, i + 1, " {file_name_id=", location.file_name_id(),
              " function_name_id=", location.function_name_id(), " line=", location.line(),
              " end_line=", location.end_line(), " column=", location.column(),
              " end_column=", location.end_column(), "}\n");
  }
  printer->Append("\nStackFrames\n");
  for (int i = 0; i < tables_.stack_frames_size(); ++i) {
    const StackFrameIndexProto::StackFrame& frame = tables_.stack_frames(i);
    AppendCat(printer, i + 1, " {file_location_id=", frame.file_location_id(),
              " parent_frame_id=", int64_t{frame.parent_frame_id()} + 1, "}\n");
  }
  printer->Append("\n");
}

bool StackFrames::operator==(const StackFrames& other) const {
  return tables_.SerializeAsString() == other.tables_.SerializeAsString();
}

StackFrameId StackFrameCopier::Copy(StackFrameId id) {
  if (!from_.IsValidId(id)) return {};
  // The callers that are not copied yet, the outermost last.
  std::vector<StackFrameId> chain;
  while (id.valid() && !new_ids_[id.value].valid()) {
    chain.push_back(id);
    id = from_.GetStackFrame(id).parent_frame_id;
  }
  StackFrameId new_id = new_ids_[id.value];
  for (auto old = chain.rbegin(); old != chain.rend(); ++old) {
    HloStackFrame frame = from_.GetStackFrame(*old);
    frame.parent_frame_id = new_id;
    new_id = new_ids_[old->value] = to_.AddStackFrame(frame);
  }
  return new_id;
}

}  // namespace xla
