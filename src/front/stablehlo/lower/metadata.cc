#include "front/stablehlo/lower/metadata.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace xla::stablehlo::lowering {
namespace {

// Locations nest as calls do; what is deeper says nothing more.
constexpr int kMostFrames = 200;

int32_t ToInt32(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, 0, std::numeric_limits<int32_t>::max()));
}

// The name in front of everything else, without what stands behind an @.
absl::string_view OuterName(const Location& location, int depth) {
  if (depth > kMostFrames) return "";
  if (const auto* named = std::get_if<NameLocation>(&location.value)) {
    const absl::string_view name = named->name.substr(0, named->name.find('@'));
    // A type without a name has its name inside.
    if (!absl::EndsWith(name, ":") || named->child == nullptr) return name;
    const absl::string_view inner = OuterName(*named->child, depth + 1);
    return inner.empty() ? absl::StripSuffix(name, ":") : inner;
  }
  if (const auto* call = std::get_if<CallSiteLocation>(&location.value)) {
    return call->callee == nullptr ? "" : OuterName(*call->callee, depth + 1);
  }
  return "";
}

absl::string_view TypeName(const Location& location) {
  const auto* named = std::get_if<NameLocation>(&location.value);
  if (named == nullptr || named->child == nullptr || !absl::EndsWith(named->name, ":")) return "";
  return OuterName(*named->child, 0).empty() ? "" : absl::StripSuffix(named->name, ":");
}

void SetSource(const FileLocation& file, OpMetadata& metadata) {
  metadata.set_source_file(std::string(file.file));
  metadata.set_source_line(ToInt32(file.line));
  metadata.set_source_end_line(ToInt32(std::max(file.line, file.end_line)));
  metadata.set_source_column(ToInt32(file.column));
  metadata.set_source_end_column(ToInt32(file.end_column == 0 ? file.column : file.end_column));
}

const FileLocation* FirstFile(const Location* location, int depth) {
  if (location == nullptr || depth > kMostFrames) return nullptr;
  if (const auto* file = std::get_if<FileLocation>(&location->value)) return file;
  if (const auto* named = std::get_if<NameLocation>(&location->value)) {
    return FirstFile(named->child, depth + 1);
  }
  if (const auto* call = std::get_if<CallSiteLocation>(&location->value)) {
    const FileLocation* callee = FirstFile(call->callee, depth + 1);
    return callee != nullptr ? callee : FirstFile(call->caller, depth + 1);
  }
  if (const auto* fused = std::get_if<FusedLocation>(&location->value)) {
    // The first few decide: each may be as deep again.
    for (size_t i = 0; i < std::min<size_t>(fused->locations.size(), 4) && depth < 8; ++i) {
      if (const FileLocation* file = FirstFile(fused->locations[i], depth + 1)) return file;
    }
  }
  return nullptr;
}

}  // namespace

std::string PlaceOf(const Location* location) {
  const FileLocation* file = FirstFile(location, 0);
  if (file == nullptr) return "";
  return absl::StrCat(file->file, ":", file->line, ":", file->column);
}

const Metadata::Origin* Metadata::Of(const Location* location) {
  if (location == nullptr || std::holds_alternative<UnknownLocation>(location->value)) {
    return nullptr;
  }
  std::unique_ptr<Origin>& origin = origins_[location];
  if (origin == nullptr) origin = std::make_unique<Origin>(Make(*location));
  return origin.get();
}

Metadata::Origin Metadata::Make(const Location& location) {
  Origin origin;
  OpMetadata& metadata = origin.metadata;
  if (const auto* fused = std::get_if<FusedLocation>(&location.value)) {
    std::vector<absl::string_view> names;
    for (const Location* part : fused->locations) {
      if (part == nullptr) continue;
      if (const auto* file = std::get_if<FileLocation>(&part->value)) SetSource(*file, metadata);
      const absl::string_view name = OuterName(*part, 0);
      if (!name.empty()) names.push_back(name);
    }
    metadata.set_op_name(absl::StrJoin(names, ";"));
  } else if (const auto* file = std::get_if<FileLocation>(&location.value)) {
    SetSource(*file, metadata);
  } else {
    metadata.set_op_name(std::string(OuterName(location, 0)));
    metadata.set_op_type(std::string(TypeName(location)));
    metadata.set_stack_frame_id(FrameOf(location, "", StackFrameId(), 0).value);
  }
  const absl::string_view name = metadata.op_name();
  const size_t slash = name.rfind('/');
  origin.instruction_name =
      std::string(slash == absl::string_view::npos ? name : name.substr(slash + 1));
  return origin;
}

StackFrameId Metadata::FrameOf(const Location& location, absl::string_view function,
                               StackFrameId caller, int depth) {
  if (depth > kMostFrames) return caller;
  if (const auto* named = std::get_if<NameLocation>(&location.value)) {
    return named->child == nullptr ? caller
                                   : FrameOf(*named->child, named->name, caller, depth + 1);
  }
  if (const auto* call = std::get_if<CallSiteLocation>(&location.value)) {
    if (call->caller != nullptr) caller = FrameOf(*call->caller, "", caller, depth + 1);
    return call->callee == nullptr ? caller : FrameOf(*call->callee, "", caller, depth + 1);
  }
  const auto* file = std::get_if<FileLocation>(&location.value);
  if (file == nullptr || function.empty()) return caller;
  return frames_.AddStackFrame({
      .file_name = std::string(file->file),
      .function_name = std::string(function),
      .line = ToInt32(file->line),
      .column = ToInt32(file->column),
      .end_line = ToInt32(std::max(file->line, file->end_line)),
      .end_column = ToInt32(file->end_column == 0 ? file->column : file->end_column),
      .parent_frame_id = caller,
  });
}

}  // namespace xla::stablehlo::lowering
