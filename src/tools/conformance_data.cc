#include "tools/conformance_data.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/archive.h"
#include "tools/files.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kStamp = ".unpacked";

// The folder of an unpacked group, which is unpacked first when only its archive is there.
absl::StatusOr<std::string> UnpackedFolder(const fs::path& group,
                                           const std::string& unpack_folder) {
  const std::string name = group.filename().string();
  const fs::path archive = group / absl::StrCat(name, ".tar.zst");
  if (!fs::exists(archive)) return group.string();
  const fs::path target = fs::path(unpack_folder) / name;
  const fs::path stamp = target / std::string(kStamp);
  if (fs::exists(stamp) && fs::last_write_time(stamp) >= fs::last_write_time(archive)) {
    return target.string();
  }
  fs::remove_all(target);
  HILO_RETURN_IF_ERROR(UnpackArchive(archive.string(), target.string()));
  HILO_RETURN_IF_ERROR(WriteFile(stamp.string(), ""));
  return target.string();
}

absl::StatusOr<ConformanceEntry> ParseListLine(absl::string_view line) {
  const std::vector<std::string> columns = absl::StrSplit(line, '\t');
  if (columns.size() < 5) return InvalidArgument("list.tsv: too few columns in: %s", line);
  ConformanceEntry entry;
  entry.path = columns[0];
  entry.mode = columns[1];
  entry.exact = columns[2] == "exact";
  entry.may_be_newer = columns.size() > 5 && absl::StrContains(columns[5], "maybe_newer");
  if (entry.mode != "run") return entry;
  if (!absl::SimpleAtod(columns[3], &entry.relative_tolerance)) {
    return InvalidArgument("list.tsv: bad tolerance in: %s", line);
  }
  for (absl::string_view text : absl::StrSplit(columns[4], ',', absl::SkipEmpty())) {
    if (text == "-") break;  // a module without results
    double value;
    if (!absl::SimpleAtod(text, &value))
      return InvalidArgument("list.tsv: bad tolerance in: %s", line);
    entry.absolute_tolerances.push_back(value);
  }
  return entry;
}

// Paths of entries whose printing by the reference is its own fixpoint.
absl::flat_hash_map<std::string, bool> ReadFixpoints(const fs::path& folder) {
  absl::flat_hash_map<std::string, bool> fixpoints;
  std::ifstream file(folder / "manifest.jsonl");
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object() || !entry.contains("dir") || !entry.contains("name")) continue;
    fixpoints[absl::StrCat(entry["dir"].get<std::string>(), "/",
                           entry["name"].get<std::string>())] = entry.value("fixpoint", false);
  }
  return fixpoints;
}

absl::StatusOr<ConformanceGroup> ReadGroup(const fs::path& folder) {
  ConformanceGroup group;
  group.folder = folder.string();
  group.name = folder.filename().string();
  HILO_ASSIGN_OR_RETURN(const std::string list, ReadFile((folder / "list.tsv").string()));
  const absl::flat_hash_map<std::string, bool> fixpoints = ReadFixpoints(folder);
  for (absl::string_view line : absl::StrSplit(list, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    HILO_ASSIGN_OR_RETURN(ConformanceEntry entry, ParseListLine(line));
    entry.group = group.name;
    const auto found = fixpoints.find(entry.path);
    entry.canonical_is_fixpoint = found != fixpoints.end() && found->second;
    group.entries.push_back(std::move(entry));
  }
  return group;
}

// Generated inputs.

enum class GeneratorKind { kReal, kInt, kNat, kBit, kPow2 };

uint32_t GeneratorHash(uint32_t element, uint32_t seed) {
  uint32_t h = element * 2654435761u + seed;
  h ^= h >> 16;
  h *= 0x45d9f3bu;
  h ^= h >> 16;
  return h;
}

double Generated(GeneratorKind kind, uint32_t element, uint32_t seed) {
  const uint32_t h = GeneratorHash(element, seed);
  switch (kind) {
    case GeneratorKind::kReal:
      return (static_cast<int>(h % 129) - 64) / 64.0;
    case GeneratorKind::kInt:
      return static_cast<int>(h % 9) - 4;
    case GeneratorKind::kNat:
      return h % 5;
    case GeneratorKind::kBit:
      return h & 1;
    case GeneratorKind::kPow2:
      return std::ldexp(1.0, static_cast<int>(h % 5) - 2);
  }
  return 0;
}

template <typename T>
T GeneratedElement(GeneratorKind kind, uint32_t element, uint32_t seed) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(Generated(kind, 2 * element, seed)),
             static_cast<Part>(Generated(kind, 2 * element + 1, seed)));
  } else if constexpr (std::numeric_limits<T>::is_integer) {
    return static_cast<T>(static_cast<int>(Generated(kind, element, seed)));
  } else {
    return static_cast<T>(Generated(kind, element, seed));
  }
}

absl::StatusOr<Literal> ParseGenerated(absl::string_view shape_text, absl::string_view call) {
  static constexpr std::pair<absl::string_view, GeneratorKind> kKinds[] = {
      {"real", GeneratorKind::kReal}, {"int", GeneratorKind::kInt},   {"nat", GeneratorKind::kNat},
      {"bit", GeneratorKind::kBit},   {"pow2", GeneratorKind::kPow2},
  };
  HILO_ASSIGN_OR_RETURN(const Shape shape, ParseShape(shape_text));
  absl::ConsumePrefix(&call, "gen(");
  absl::ConsumeSuffix(&call, ")");
  const std::pair<absl::string_view, absl::string_view> arguments =
      absl::StrSplit(call, absl::MaxSplits(", ", 1));
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& candidate) {
    return candidate.first == arguments.first;
  });
  uint32_t seed;
  if (kind == std::end(kKinds) || !absl::SimpleAtoi(arguments.second, &seed)) {
    return InvalidArgument("unknown generator: gen(%s)", call);
  }
  HILO_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  primitive_util::ArrayTypeSwitch(
      [&](auto type) {
        using Native = primitive_util::NativeTypeOf<type>;
        uint32_t element = 0;
        for (Native& value : literal.data<Native>()) {
          value = GeneratedElement<Native>(kind->second, element++, seed);
        }
      },
      shape.element_type());
  return literal;
}

// Comparing.

template <typename T>
bool Agree(T got, T want, bool exact, double relative, double absolute) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    const auto has_nan = [](T z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
    if (has_nan(got) || has_nan(want)) {
      // Each part on its own, since only one of them may be a number.
      return Agree<Part>(got.real(), want.real(), exact, relative, absolute) &&
             Agree<Part>(got.imag(), want.imag(), exact, relative, absolute);
    }
    if (got == want) return true;
    if (exact) return false;
    return std::abs(std::complex<double>(got) - std::complex<double>(want)) <=
           absolute + relative * std::abs(std::complex<double>(want));
  } else if constexpr (std::numeric_limits<T>::is_integer) {
    return got == want;
  } else {
    const double g = static_cast<double>(got);
    const double w = static_cast<double>(want);
    if (std::isnan(w)) return std::isnan(g);
    if (exact) return g == w && std::signbit(g) == std::signbit(w);
    if (g == w) return true;
    return std::isfinite(w) && std::abs(g - w) <= absolute + relative * std::abs(w);
  }
}

// Compares result elements with expected ones; the k-th expected element stands at flat index k *
// stride mod count.
absl::Status CompareArrays(const Literal& result, const Literal& expected, int64_t stride,
                           const ConformanceEntry& entry, double absolute) {
  const Literal rows = result.Relayout(
      LayoutUtil::MakeDescendingLayout(static_cast<int64_t>(result.shape().dimensions().size())));
  return primitive_util::ArrayTypeSwitch(
      [&](auto type) -> absl::Status {
        using Native = primitive_util::NativeTypeOf<type>;
        const absl::Span<const Native> got = rows.data<Native>();
        const absl::Span<const Native> want = expected.data<Native>();
        for (size_t k = 0; k < want.size(); ++k) {
          const size_t index = stride == 1 ? k : k * static_cast<size_t>(stride) % got.size();
          if (Agree<Native>(got[index], want[k], entry.exact, entry.relative_tolerance, absolute)) {
            continue;
          }
          const std::vector<int64_t> position = {static_cast<int64_t>(index)};
          const std::vector<int64_t> count = {static_cast<int64_t>(got.size())};
          return InvalidArgument("element %d: got %s, expected %s", index,
                                 rows.Reshape(count)->GetAsString(position),
                                 expected.Reshape({static_cast<int64_t>(want.size())})
                                     ->GetAsString({static_cast<int64_t>(k)}));
        }
        return absl::OkStatus();
      },
      result.shape().element_type());
}

absl::Status CompareWithLine(const Literal& result, absl::string_view line,
                             const ConformanceEntry& entry, double absolute) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(' ', 1));
  HILO_ASSIGN_OR_RETURN(const Shape shape, ParseShape(parts.first));
  if (!ShapeUtil::Compatible(shape, result.shape()) &&
      !ShapeUtil::DynamicShapeIsCompatible(shape, result.shape())) {
    return InvalidArgument("the result is %s, expected %s", result.shape().ToString(),
                           shape.ToString());
  }
  absl::string_view values = parts.second;
  if (!absl::ConsumePrefix(&values, "sample(")) {
    HILO_ASSIGN_OR_RETURN(const Literal expected, ParseLiteral(line));
    return CompareArrays(result, expected, /*stride=*/1, entry, absolute);
  }
  const std::pair<absl::string_view, absl::string_view> sample =
      absl::StrSplit(values, absl::MaxSplits(") ", 1));
  const std::string as_vector =
      absl::StrCat(primitive_util::LowercasePrimitiveTypeName(shape.element_type()), "[",
                   sample.first, "] ", sample.second);
  HILO_ASSIGN_OR_RETURN(const Literal expected, ParseLiteral(as_vector));
  return CompareArrays(result, expected, /*stride=*/1000003, entry, absolute);
}

}  // namespace

absl::StatusOr<std::vector<ConformanceGroup>> ReadConformanceGroups(
    const std::string& data, const std::string& unpack_folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  if (!fs::is_directory(data, error)) return NotFound("%s is no folder", data);
  if (fs::exists(fs::path(data) / "manifest.jsonl")) {
    folders.push_back(data);
  } else {
    for (const auto& entry : fs::directory_iterator(data)) {
      if (fs::exists(entry.path() / "list.tsv")) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
  }
  std::vector<ConformanceGroup> groups;
  for (const fs::path& folder : folders) {
    HILO_ASSIGN_OR_RETURN(const std::string unpacked, UnpackedFolder(folder, unpack_folder));
    HILO_ASSIGN_OR_RETURN(ConformanceGroup group, ReadGroup(unpacked));
    groups.push_back(std::move(group));
  }
  if (groups.empty()) return NotFound("%s holds no list.tsv and no group with one", data);
  return groups;
}

absl::StatusOr<std::vector<Literal>> ReadConformanceInputs(const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  std::vector<Literal> literals;
  for (absl::string_view line : absl::StrSplit(contents, '\n', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    HILO_ASSIGN_OR_RETURN(Literal literal, absl::StartsWith(parts.second, "gen(")
                                               ? ParseGenerated(parts.first, parts.second)
                                               : ParseLiteral(line));
    literals.push_back(std::move(literal));
  }
  return literals;
}

absl::Status CompareWithExpected(const std::vector<Literal>& leaves, const std::string& path,
                                 const ConformanceEntry& entry) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  const std::vector<absl::string_view> lines = absl::StrSplit(contents, '\n', absl::SkipEmpty());
  if (lines.size() != leaves.size()) {
    return InvalidArgument("%d results, expected %d", leaves.size(), lines.size());
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    const double absolute = i < entry.absolute_tolerances.size() ? entry.absolute_tolerances[i] : 0;
    const absl::Status status = CompareWithLine(leaves[i], lines[i], entry, absolute);
    if (!status.ok()) return InvalidArgument("output %d: %s", i, status.message());
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::flat_hash_map<std::string, std::string>> ReadExceptions(
    const std::string& path) {
  HILO_ASSIGN_OR_RETURN(const std::string contents, ReadFile(path));
  absl::flat_hash_map<std::string, std::string> exceptions;
  for (absl::string_view line : absl::StrSplit(contents, '\n', absl::SkipWhitespace())) {
    if (absl::StartsWith(line, "#")) continue;
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits('\t', 1));
    if (parts.second.empty())
      return InvalidArgument("%s: no reason is given for %s", path, parts.first);
    exceptions.insert(parts);
  }
  return exceptions;
}

}  // namespace xla
