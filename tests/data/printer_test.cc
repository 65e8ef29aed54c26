#include "xla/printer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace xla {
namespace {

TEST(PrinterTest, Strings) {
  StringPrinter printer;
  AppendCat(&printer, "a", 1, "b");
  printer.AppendInt64List({}, /*leading_comma=*/true);
  printer.AppendInt64List({2, -3}, /*leading_comma=*/true);
  AppendJoin(&printer, std::vector<std::string>{"x", "y"}, "; ");
  AppendJoin(&printer, std::vector<int>{1, 2}, "+",
             [](Printer* out, int value) { AppendCat(out, "<", value, ">"); });
  EXPECT_EQ(std::move(printer).ToString(), "a1b,2,-3x; y<1>+<2>");
}

TEST(PrinterTest, CordAndFingerprintDoNotDependOnPieces) {
  CordPrinter cord;
  HighwayHashPrinter pieces;
  for (int i = 0; i < 100000; ++i) {
    cord.Append(i);
    pieces.Append(i);
  }
  const std::string text(std::move(cord).ToCord());
  EXPECT_EQ(text.size(), 488890u);
  HighwayHashPrinter whole;
  whole.Append(text);
  EXPECT_EQ(whole.ToFingerprint(), pieces.ToFingerprint());
  whole.Append("x");
  EXPECT_NE(whole.ToFingerprint(), pieces.ToFingerprint());
}

}  // namespace
}  // namespace xla
