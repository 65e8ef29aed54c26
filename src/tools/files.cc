#include "tools/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "codegen/target.h"
#include "ir/verifier.h"
#include "runtime/profile.h"
#include "tools/archive.h"
#include "tools/npy.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/hlo/translate/stablehlo.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// HLO text has printable characters and white space only; a serialised message has others within
// its first bytes.
bool LooksLikeText(absl::string_view contents) {
  for (char c : contents.substr(0, 64)) {
    if (static_cast<unsigned char>(c) < 0x20 && !absl::ascii_isspace(c)) return false;
  }
  return true;
}

// HloModuleProto, HloProto and HloSnapshot can often be read as one another; the one that has
// computations is meant.
absl::StatusOr<HloModuleProto> ParseModuleProto(const std::string& contents) {
  HloModuleProto module;
  if (module.ParseFromString(contents) && module.computations_size() > 0) return module;
  HloProto hlo;
  if (hlo.ParseFromString(contents) && hlo.hlo_module().computations_size() > 0) {
    return hlo.hlo_module();
  }
  HloSnapshot snapshot;
  if (snapshot.ParseFromString(contents) && snapshot.hlo().hlo_module().computations_size() > 0) {
    return snapshot.hlo().hlo_module();
  }
  return InvalidArgument(
      "neither HLO or StableHLO nor a serialised HloModuleProto, HloProto or HloSnapshot");
}

absl::StatusOr<std::unique_ptr<HloModule>> ModuleFromProto(const std::string& contents) {
  HILO_ASSIGN_OR_RETURN(const HloModuleProto proto, ParseModuleProto(contents));
  HILO_ASSIGN_OR_RETURN(
      const HloModuleConfig config,
      HloModule::CreateModuleConfigFromProto(proto, DefaultDebugOptionsIgnoringFlags()));
  return HloModule::CreateFromProto(proto, config, /*prohibit_empty_literal=*/false);
}

// The shapes of all array leaves of `shapes`, depth first.
std::vector<Shape> LeafShapes(absl::Span<const Shape> shapes) {
  std::vector<Shape> leaves;
  for (const Shape& shape : shapes) {
    if (shape.IsTuple()) {
      const std::vector<Shape> inner = LeafShapes(shape.tuple_shapes());
      leaves.insert(leaves.end(), inner.begin(), inner.end());
    } else {
      leaves.push_back(shape);
    }
  }
  return leaves;
}

}  // namespace

absl::Status Annotate(const absl::Status& status, absl::string_view name) {
  return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("%s: %s", path, std::strerror(errno));
  // A file of known size is read into one piece of memory that never grows.
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  std::string contents(error ? 0 : size, '\0');
  file.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  contents.resize(static_cast<size_t>(file.gcount()));
  if (file && file.peek() != std::ifstream::traits_type::eof()) {
    std::ostringstream rest;
    rest << file.rdbuf();
    contents += rest.str();
  }
  if (file.bad()) return FailedPrecondition("%s: %s", path, std::strerror(errno));
  return contents;
}

absl::Status WriteFile(const std::string& path, absl::string_view contents) {
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file) return FailedPrecondition("%s cannot be written: %s", path, std::strerror(errno));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  return ParseModule(contents, path);
}

absl::StatusOr<std::unique_ptr<HloModule>> ParseModule(const std::string& contents,
                                                       const std::string& path) {
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      IsStablehlo(contents)     ? ConvertStablehloToHlo(contents)
      : LooksLikeText(contents) ? ParseAndReturnUnverifiedModule(contents)
                                : ModuleFromProto(contents);
  if (!module.ok()) return Annotate(module.status(), path == "-" ? "standard input" : path);
  return module;
}

void SetCompileOptions(HloModule& module, const std::string& target) {
  static const auto* const flags = new DebugOptions(GetDebugOptionsFromFlags());
  DebugOptions& options = module.mutable_config().mutable_debug_options();
  options = *flags;
  if (target == codegen::Target::Host().name) return;
  (*options.mutable_xla_backend_extra_options())[codegen::kTargetOption] = target;
}

void SetProfile(HloModule& module, const std::string& profile) {
  DebugOptions& options = module.mutable_config().mutable_debug_options();
  (*options.mutable_xla_backend_extra_options())[runtime::kProfileOption] = profile;
}

absl::StatusOr<std::string> ReadStablehloText(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  const std::string name = path == "-" ? "standard input" : path;
  absl::StatusOr<std::string> text;
  if (IsStablehlo(contents)) {
    text = StablehloText(contents);
  } else {
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseModule(contents, path));
    const absl::Status valid = VerifyModule(*module);
    text = valid.ok() ? ConvertHloToStablehlo(*module) : valid;
  }
  if (!text.ok()) return Annotate(text.status(), name);
  return text;
}

absl::StatusOr<std::vector<Literal>> ReadLiteralFile(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  std::vector<Literal> literals;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(contents, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || absl::StartsWith(line, "//")) continue;
    absl::StatusOr<Literal> literal = ParseLiteral(line);
    if (!literal.ok()) return Annotate(literal.status(), absl::StrCat(path, ":", number));
    literals.push_back(*std::move(literal));
  }
  return literals;
}

absl::StatusOr<std::vector<Literal>> ReadArguments(const std::vector<std::string>& paths,
                                                   absl::Span<const Shape> shapes) {
  const std::vector<Shape> leaf_shapes = LeafShapes(shapes);
  std::vector<Literal> leaves;
  const auto add_npy = [&](const std::string& bytes, const std::string& path) -> absl::Status {
    if (leaves.size() >= leaf_shapes.size()) {
      return InvalidArgument("%s: the program takes %d arrays, there are more", path,
                             leaf_shapes.size());
    }
    absl::StatusOr<Literal> literal = ParseNpy(bytes, leaf_shapes[leaves.size()]);
    if (!literal.ok()) return Annotate(literal.status(), path);
    leaves.push_back(*std::move(literal));
    return absl::OkStatus();
  };
  for (const std::string& path : paths) {
    if (absl::EndsWith(path, ".npz")) {
      HILO_ASSIGN_OR_RETURN(const std::vector<std::string> files, ReadZip(path));
      for (const std::string& bytes : files) HILO_RETURN_IF_ERROR(add_npy(bytes, path));
    } else if (absl::EndsWith(path, ".npy")) {
      HILO_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
      HILO_RETURN_IF_ERROR(add_npy(bytes, path));
    } else {
      HILO_ASSIGN_OR_RETURN(std::vector<Literal> literals, ReadLiteralFile(path));
      for (Literal& literal : literals) {
        for (Literal& leaf : Leaves(std::move(literal))) leaves.push_back(std::move(leaf));
      }
    }
  }
  if (leaves.size() != leaf_shapes.size()) {
    return InvalidArgument("the program takes %d arrays, but %d were given", leaf_shapes.size(),
                           leaves.size());
  }
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Shape& shape : shapes) {
    HILO_ASSIGN_OR_RETURN(Literal argument, Assemble(shape, absl::MakeSpan(leaves), &next));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

absl::StatusOr<std::vector<Literal>> ReadArguments(const std::vector<std::string>& paths,
                                                   const HloModule& module) {
  std::vector<Shape> shapes;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions())
    shapes.push_back(parameter->shape());
  return ReadArguments(paths, shapes);
}

std::vector<Literal> Leaves(Literal literal) {
  std::vector<Literal> leaves;
  if (!literal.shape().IsTuple()) {
    leaves.push_back(std::move(literal));
    return leaves;
  }
  for (Literal& element : literal.DecomposeTuple()) {
    for (Literal& leaf : Leaves(std::move(element))) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

absl::StatusOr<Literal> Assemble(const Shape& shape, absl::Span<Literal> leaves, size_t* next) {
  if (!shape.IsTuple()) {
    if (*next >= leaves.size())
      return InvalidArgument("an array of %s is missing", shape.ToString());
    Literal& leaf = leaves[(*next)++];
    if (!IsArgumentFor(leaf.shape(), shape)) {
      return InvalidArgument("array %d is %s, but %s is wanted", *next - 1, leaf.shape().ToString(),
                             shape.ToString());
    }
    return std::move(leaf);
  }
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    HILO_ASSIGN_OR_RETURN(Literal literal, Assemble(element, leaves, next));
    elements.push_back(std::move(literal));
  }
  return Literal::MoveIntoTuple(absl::MakeSpan(elements));
}

}  // namespace xla
