// Parses, prints and parses again every .hlo file below the directories that are named, and
// compares the text with the file .canon beside it, where there is one. Files below a directory
// `bad` must be refused.
//
//   roundtrip_check DIRECTORY...            lists failures by reason, ends with "N passed, M
//   failed" roundtrip_check --show FILE.hlo         prints the module
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string Print(const xla::HloModule& module) {
  return module.ToString(xla::HloPrintOptions::Default().set_print_large_constants(true));
}

// The first lines in which two texts differ.
std::string FirstDifference(const std::string& got, const std::string& want) {
  const std::vector<std::string> got_lines = absl::StrSplit(got, '\n');
  const std::vector<std::string> want_lines = absl::StrSplit(want, '\n');
  for (size_t i = 0; i < std::max(got_lines.size(), want_lines.size()); ++i) {
    const std::string left = i < got_lines.size() ? got_lines[i] : "(end)";
    const std::string right = i < want_lines.size() ? want_lines[i] : "(end)";
    if (left == right) continue;
    size_t start = 0;
    while (start < left.size() && start < right.size() && left[start] == right[start]) ++start;
    start = start > 60 ? start - 60 : 0;
    return absl::StrCat("line ", i + 1, "\n    got  ", left.substr(start, 200), "\n    want ",
                        right.substr(start, 200));
  }
  return "";
}

// Empty when all is well, else "reason\ndetails".
std::string Check(const std::filesystem::path& path, double* parse_seconds) {
  const bool is_bad = path.parent_path().filename() == "bad";
  const std::string text = ReadFile(path);
  const auto start = std::chrono::steady_clock::now();
  auto module = xla::ParseAndReturnUnverifiedModule(text);
  *parse_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (is_bad) return module.ok() ? "accepted, but is bad\n" : "";
  if (!module.ok()) return absl::StrCat("does not parse\n", module.status().message());
  const std::string printed = Print(**module);
  auto again = xla::ParseAndReturnUnverifiedModule(printed);
  if (!again.ok()) {
    return absl::StrCat("printed text does not parse\n", again.status().message());
  }
  if (const std::string second = Print(**again); second != printed) {
    return absl::StrCat("printed text changes\n", FirstDifference(second, printed));
  }
  std::filesystem::path canon_path = path;
  canon_path.replace_extension(".canon");
  if (!std::filesystem::exists(canon_path)) return "";
  const std::string canon = ReadFile(canon_path);
  auto canonical = xla::ParseAndReturnUnverifiedModule(canon);
  if (!canonical.ok()) {
    return absl::StrCat("canonical text does not parse\n", canonical.status().message());
  }
  if (const std::string reprinted = Print(**canonical); reprinted != canon) {
    return absl::StrCat("canonical text changes\n", FirstDifference(reprinted, canon));
  }
  if (printed != canon) {
    return absl::StrCat("differs from the canonical text\n", FirstDifference(printed, canon));
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--show") {
    auto module = xla::ParseAndReturnUnverifiedModule(ReadFile(argv[2]));
    std::cout << (module.ok() ? Print(**module) : std::string(module.status().message())) << "\n";
    return module.ok() ? 0 : 1;
  }
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::map<std::string, std::vector<std::string>> failures;
  size_t passed = 0;
  double parse_seconds = 0;
  for (const auto& path : paths) {
    const std::string problem = Check(path, &parse_seconds);
    if (problem.empty()) {
      ++passed;
      continue;
    }
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(problem, absl::MaxSplits('\n', 1));
    failures[parts.first].push_back(absl::StrCat(path.string(), "\n  ", parts.second));
  }
  for (const auto& [reason, cases] : failures) {
    for (const std::string& one : cases) std::cout << reason << ": " << one << "\n";
  }
  for (const auto& [reason, cases] : failures) std::cout << cases.size() << " " << reason << "\n";
  std::cout << "parsed in " << parse_seconds << " s\n";
  std::cout << passed << " passed, " << paths.size() - passed << " failed\n";
  return passed == paths.size() ? 0 : 1;
}
