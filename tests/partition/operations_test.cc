// Every operation of the table, as its own tests have it, divided among devices by random
// shardings: the parts make up what one device computes. HILO_PARTITION_DIVISIONS says how often
// each module is divided.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "api/backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/op_info.h"
#include "tools/check_file.h"
#include "tools/compare_backends.h"
#include "tools/files.h"
#include "tools/random_shardings.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

constexpr int64_t kDevices[] = {2, 3, 4, 8};

int Divisions() {
  int divisions = 4;
  const char* given = std::getenv("HILO_PARTITION_DIVISIONS");
  if (given != nullptr) CHECK(absl::SimpleAtoi(given, &divisions));
  return divisions;
}

// Operations with nothing to compare: they speak of devices or the host, have no result that is the
// same twice, or need sizes that no random input gives. Loops are in partition_test.cc.
bool IsNotCompared(const OpInfo& op) {
  static const std::set<absl::string_view>* const kNames = new std::set<absl::string_view>{
      "after-all", "dynamic-reshape", "infeed",     "outfeed", "partition-id",
      "recv",      "recv-done",       "replica-id", "rng",     "rng-get-and-update-state",
      "send",      "send-done",       "while"};
  return HasTrait(op.opcode, kCollective) || kNames->contains(op.name);
}

// Loops may run for as long as an input says.
bool HasLoops(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kWhile) return true;
    }
  }
  return false;
}

class OperationsTest : public testing::TestWithParam<const OpInfo*> {};

TEST_P(OperationsTest, PartsAreThoseOfTheWhole) {
  const std::string path = absl::StrCat(HILO_SOURCE_DIR, "/tests/ops/", GetParam()->name, ".hlo");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "tested with another operation";
  ExecutionBackend& backend = *FindBackend("interpreter").value();
  int divided = 0;
  for (const CheckCase& check : SplitCheckFile(path, ReadFile(path).value())) {
    if (!check.error.empty()) continue;
    auto module = ParseAndReturnUnverifiedModule(check.text);
    if (!module.ok() || (*module)->config().replica_count() > 1 ||
        (*module)->config().num_partitions() > 1 || HasLoops(**module))
      continue;
    for (int seed = 0; seed < Divisions(); ++seed) {
      const int64_t devices = kDevices[seed % std::size(kDevices)];
      const std::unique_ptr<HloModule> sharded = (*module)->Clone("");
      ShardAtRandom(*sharded, devices, seed);
      const BackendComparison comparison =
          CompareDivided(*sharded, backend, backend, devices, seed);
      ASSERT_NE(comparison.agreement, Agreement::kDiffer)
          << path << ":" << check.first_line << " on " << devices
          << " devices: " << comparison.reason << "\n"
          << sharded->ToString();
      if (comparison.agreement == Agreement::kAgree) ++divided;
    }
  }
  if (IsNotCompared(*GetParam())) return;
  EXPECT_GT(divided, 0) << "no module of " << path << " was compared";
}

std::vector<const OpInfo*> AllRows() {
  std::vector<const OpInfo*> rows;
  for (const OpInfo& op : AllOps()) rows.push_back(&op);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Table, OperationsTest, testing::ValuesIn(AllRows()), [](const auto& info) {
  std::string name(info.param->name);
  for (char& letter : name) letter = letter == '-' ? '_' : letter;
  return name;
});

}  // namespace
}  // namespace xla
