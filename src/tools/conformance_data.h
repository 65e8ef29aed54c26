// Recorded programs with inputs and expected results: their lists, their literal files, and when a
// result agrees.
#ifndef HILO_TOOLS_CONFORMANCE_DATA_H_
#define HILO_TOOLS_CONFORMANCE_DATA_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/literal.h"

namespace xla {

// One line of a list.tsv.
struct ConformanceEntry {
  std::string group;
  std::string path;    // below the group's folder, without suffix
  std::string mode;    // "run", "parse" or "bad"
  bool exact = false;  // floats must be equal
  double relative_tolerance = 0;
  std::vector<double> absolute_tolerances;  // one for each output
  bool canonical_is_fixpoint = false;       // printing must give the bytes of the .canon file
  bool may_be_newer = false;  // bad: refused for syntax that is perhaps newer than the reference
};

// A folder with list.tsv, manifest.jsonl and the files of its entries.
struct ConformanceGroup {
  std::string name;
  std::string folder;
  std::vector<ConformanceEntry> entries;
};

// The groups in `data`: a group's own unpacked folder, or a folder whose subfolders are groups,
// unpacked or as NAME/NAME.tar.zst, which is then unpacked into `unpack_folder` unless that was
// done before.
absl::StatusOr<std::vector<ConformanceGroup>> ReadConformanceGroups(
    const std::string& data, const std::string& unpack_folder);

// The arrays of a .in.lit file: literals, or `TYPE[DIMENSIONS] gen(KIND, SEED)` for generated ones.
absl::StatusOr<std::vector<Literal>> ReadConformanceInputs(const std::string& path);

// Whether the leaves of a result agree with a .out.lit file, where `TYPE[DIMENSIONS] sample(N)
// {...}` holds N elements: the k-th is at flat index (k * 1000003) mod (number of elements).
absl::Status CompareWithExpected(const std::vector<Literal>& leaves, const std::string& path,
                                 const ConformanceEntry& entry);

// Known failures: lines `PATH<tab>REASON`; empty lines and lines that begin with # do not count.
absl::StatusOr<absl::flat_hash_map<std::string, std::string>> ReadExceptions(
    const std::string& path);

}  // namespace xla

#endif  // HILO_TOOLS_CONFORMANCE_DATA_H_
