#include "xla/hlo/testlib/filecheck.h"

#include <string>

#include "xla/hlo/testlib/test.h"
#include "xla/hlo/testlib/test_helpers.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kText[] =
    "ENTRY %e (x: f32[2]) -> f32[2] {\n"
    "  %x = f32[2]{0} parameter(0)\n"
    "  %sum.1 = f32[2]{0} add(%x, %x), metadata={op_name=\"a\"}\n"
    "  ROOT %n = f32[2]{0} negate(%sum.1)\n"
    "}\n"
    "\n"
    "end";

bool Matches(const char* pattern) {
  const absl::StatusOr<bool> result = RunFileCheck(kText, pattern);
  EXPECT_IS_OK(result);
  return *result;
}

TEST(FileCheckTest, LinesInOrder) {
  EXPECT_TRUE(Matches("CHECK: parameter(0)\nCHECK: negate"));
  EXPECT_FALSE(Matches("CHECK: negate\nCHECK: parameter(0)"));
  EXPECT_TRUE(Matches("// CHECK-LABEL: ENTRY\n// CHECK:   %x   =  f32[2]{0}"));
  EXPECT_FALSE(Matches("CHECK: f32[2]x{0}"));
  EXPECT_FALSE(Matches("CHECK: negate\nCHECK: negate"));
}

TEST(FileCheckTest, NextAndSame) {
  EXPECT_TRUE(Matches("CHECK: add\nCHECK-SAME: metadata\nCHECK-NEXT: negate"));
  EXPECT_FALSE(Matches("CHECK: parameter\nCHECK-NEXT: negate"));
  EXPECT_FALSE(Matches("CHECK: metadata\nCHECK-SAME: add"));
  EXPECT_TRUE(Matches("CHECK: negate\nCHECK-NEXT: }\nCHECK-EMPTY:\nCHECK-NEXT: end"));
  EXPECT_FALSE(Matches("CHECK: negate\nCHECK-EMPTY:"));
}

TEST(FileCheckTest, Not) {
  EXPECT_TRUE(Matches("CHECK: parameter\nCHECK-NOT: multiply\nCHECK: negate"));
  EXPECT_FALSE(Matches("CHECK: parameter\nCHECK-NOT: add\nCHECK: negate"));
  EXPECT_TRUE(Matches("CHECK: parameter\nCHECK-NOT: negate\nCHECK: add"));
  EXPECT_FALSE(Matches("CHECK-NOT: end"));
  EXPECT_TRUE(Matches("CHECK: end\nCHECK-NOT: negate"));
}

TEST(FileCheckTest, AnyOrderAndCounts) {
  EXPECT_TRUE(Matches("CHECK-DAG: negate\nCHECK-DAG: parameter\nCHECK: }"));
  EXPECT_FALSE(Matches("CHECK-DAG: negate\nCHECK-DAG: parameter\nCHECK: add"));
  EXPECT_FALSE(Matches("CHECK-DAG: negate\nCHECK-DAG: negate"));
  EXPECT_TRUE(Matches("CHECK-COUNT-3: f32[2]{0}"));
  EXPECT_FALSE(Matches("CHECK-COUNT-4: f32[2]{0}"));
}

TEST(FileCheckTest, RegularExpressionsAndVariables) {
  EXPECT_TRUE(Matches("CHECK: %{{[a-z]+}}.1 = {{.*}}add"));
  EXPECT_TRUE(Matches("CHECK: %[[X:[a-z]+]] = {{.*}} parameter\nCHECK: add(%[[X]], %[[X]])"));
  EXPECT_FALSE(Matches("CHECK: ROOT %[[N:[a-z]+]]\nCHECK: add(%[[N]]"));
  EXPECT_TRUE(
      Matches("CHECK: %[[S:(a|s)[a-z.0-9]+]] = {{.*}} add(%[[A:.]], %[[A]])\n"
              "CHECK: negate(%[[S]])"));
}

TEST(FileCheckTest, MessagesAndErrors) {
  const absl::Status missing = CheckFile(kText, "CHECK: parameter\nCHECK: multiply");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()),
              HasSubstr("after line 2 the text does not have: multiply"));
  EXPECT_THAT(std::string(CheckFile(kText, "CHECK-NOT: add").message()),
              HasSubstr("line 3 has what must not be there: add"));
  for (const char* wrong : {"nothing", "CHECK:", "CHECK-EMPTY: x", "CHECK-COUNT-x: y",
                            "CHECK: {{(}}", "CHECK: {{a", "CHECK: [[UNKNOWN]]"}) {
    EXPECT_EQ(RunFileCheck(kText, wrong).status().code(), absl::StatusCode::kInvalidArgument)
        << wrong;
  }
}

}  // namespace
}  // namespace xla
