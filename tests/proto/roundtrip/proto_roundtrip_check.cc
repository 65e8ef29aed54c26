// Reads every .hlo file below the directories that are named, writes it as HloModuleProto, reads
// that, and compares the text before and after. Files below a directory `bad` and those that do not
// parse are left out.
//
//   proto_roundtrip_check DIRECTORY...               lists failures, ends with "N passed, M failed,
//   K skipped" proto_roundtrip_check --write FILE.hlo FILE.pb   writes the message
//   proto_roundtrip_check --read FILE.pb             prints the module of a message
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string Print(const xla::HloModule& module) {
  return module.ToString(xla::HloPrintOptions::Default().set_print_large_constants(true));
}

absl::StatusOr<std::unique_ptr<xla::HloModule>> FromBytes(const std::string& bytes) {
  xla::HloModuleProtoWithConfig proto;
  if (!proto.ParseFromString(bytes)) return absl::InvalidArgumentError("no message");
  return xla::HloModule::CreateFromProtoWithConfig(proto);
}

std::string FirstDifference(const std::string& got, const std::string& want) {
  const std::vector<std::string> got_lines = absl::StrSplit(got, '\n');
  const std::vector<std::string> want_lines = absl::StrSplit(want, '\n');
  for (size_t i = 0; i < std::min(got_lines.size(), want_lines.size()); ++i) {
    if (got_lines[i] == want_lines[i]) continue;
    const auto at = std::mismatch(got_lines[i].begin(), got_lines[i].end(), want_lines[i].begin(),
                                  want_lines[i].end());
    const size_t start = std::max<int64_t>(at.first - got_lines[i].begin() - 60, 0);
    return absl::StrCat("\n    got  ", got_lines[i].substr(start, 200), "\n    want ",
                        want_lines[i].substr(start, 200));
  }
  return absl::StrCat(got_lines.size(), " lines against ", want_lines.size());
}

// Empty when all is well.
std::string Check(const xla::HloModule& module) {
  const std::string bytes = module.ToProtoWithConfig().SerializeAsString();
  const auto again = FromBytes(bytes);
  if (!again.ok()) return std::string(again.status().message());
  const std::string before = Print(module);
  const std::string after = Print(**again);
  return before == after ? "" : absl::StrCat("text changes ", FirstDifference(after, before));
}

int CheckDirectories(const std::vector<std::string>& directories) {
  int passed = 0, failed = 0, skipped = 0;
  for (const std::string& directory : directories) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (entry.path().extension() != ".hlo") continue;
      const auto module = xla::ParseAndReturnUnverifiedModule(ReadFile(entry.path()));
      if (!module.ok()) {
        ++skipped;
        continue;
      }
      const std::string failure = Check(**module);
      ++(failure.empty() ? passed : failed);
      if (!failure.empty()) std::cout << entry.path().string() << ": " << failure << "\n";
    }
  }
  std::cout << passed << " passed, " << failed << " failed, " << skipped << " skipped\n";
  return failed == 0 ? 0 : 1;
}

int Write(const std::string& from, const std::string& to) {
  const auto module = xla::ParseAndReturnUnverifiedModule(ReadFile(from));
  if (!module.ok()) {
    std::cerr << module.status().message() << "\n";
    return 1;
  }
  std::ofstream(to, std::ios::binary) << (*module)->ToProto().SerializeAsString();
  return 0;
}

int Read(const std::string& path) {
  xla::HloModuleProto proto;
  if (!proto.ParseFromString(ReadFile(path))) {
    std::cerr << "no HloModuleProto\n";
    return 1;
  }
  const auto config =
      xla::HloModule::CreateModuleConfigFromProto(proto, xla::DefaultDebugOptionsIgnoringFlags());
  if (!config.ok()) {
    std::cerr << config.status().message() << "\n";
    return 1;
  }
  const auto module = xla::HloModule::CreateFromProto(proto, *config);
  if (!module.ok()) {
    std::cerr << module.status().message() << "\n";
    return 1;
  }
  std::cout << Print(**module);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "--write") return Write(arguments[1], arguments[2]);
  if (arguments.size() == 2 && arguments[0] == "--read") return Read(arguments[1]);
  return CheckDirectories(arguments);
}
