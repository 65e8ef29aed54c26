// Headers that are too small for a test of their own, and what util.h does with narrow floats.
#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/bit_cast.h"
#include "xla/fp_util.h"
#include "xla/iterator_util.h"
#include "xla/lazy.h"
#include "xla/literal_util.h"
#include "xla/maybe_owning.h"
#include "xla/packed_literal_reader.h"
#include "xla/tsl/util/safe_reinterpret_cast.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(BitCastTest, KeepsTheBits) {
  EXPECT_EQ(BitCast<uint32_t>(1.0f), 0x3f800000u);
  EXPECT_EQ(BitCast<uint16_t>(BitCast<bfloat16>(uint16_t{0x7fc1})), 0x7fc1);
  EXPECT_EQ(BitCast<uint16_t>(BitCast<half>(uint16_t{0xfc01})), 0xfc01);
}

TEST(SafeReinterpretCastTest, PointersAndBytesAndAddresses) {
  const int number = 7;
  const char* bytes = tsl::safe_reinterpret_cast<const char*>(&number);
  EXPECT_EQ(tsl::safe_reinterpret_cast<const int*>(bytes), &number);
  EXPECT_EQ(tsl::safe_reinterpret_cast<const int*>(tsl::safe_reinterpret_cast<uintptr_t>(&number)),
            &number);
}

TEST(LazyTest, MakesTheValueOnce) {
  int made = 0;
  Lazy<std::string> lazy([&] { return std::string(100, 'a' + made++); });
  EXPECT_FALSE(lazy.has_value());
  EXPECT_EQ(lazy.get(), std::string(100, 'a'));
  EXPECT_EQ(lazy.get(), std::string(100, 'a'));
  const std::string* address = &lazy.get();
  Lazy<std::string> moved = std::move(lazy);
  EXPECT_EQ(&moved.get(), address);
  moved = Lazy<std::string>([] { return std::string("b"); });
  EXPECT_FALSE(moved.has_value());
  EXPECT_EQ(moved.get(), "b");
  EXPECT_EQ(made, 1);
}

TEST(MaybeOwningTest, BorrowsOrOwns) {
  const std::string text = "a";
  MaybeOwning<std::string> pointer;
  EXPECT_FALSE(pointer);
  pointer = MaybeOwning<std::string>(&text);
  EXPECT_EQ(pointer.get(), &text);
  EXPECT_FALSE(pointer.OwnsPtr());
  pointer = MaybeOwning<std::string>(std::make_unique<std::string>("b"));
  EXPECT_EQ(*pointer, "b");
  MaybeOwning<std::string> moved = std::move(pointer);
  EXPECT_TRUE(moved.OwnsPtr());
  EXPECT_EQ(moved->size(), 1);
  EXPECT_FALSE(pointer);
}

TEST(FpUtilTest, DistancesOfNeighbours) {
  static_assert(GoldbergUlp(1.0f) == 0x1p-23f && GoldbergUlp(-8.0) == 0x1p-49);
  for (const float x : {1.0f, 1.5f, 3.9999f, 1e30f, 1e-30f, 1e-38f, 1e-45f, 0.0f}) {
    EXPECT_EQ(GoldbergUlp(x), std::nextafter(x, INFINITY) - x) << x;
  }
  EXPECT_EQ(GoldbergUlp(std::numeric_limits<float>::max()), 0x1p104f);
  EXPECT_TRUE(std::isinf(GoldbergUlp(-INFINITY)));
  EXPECT_EQ(CalculateDistanceInFloats(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(CalculateDistanceInFloats(-0.0, 0.0), 0);
  EXPECT_EQ(CalculateDistanceInFloats(half(-6e-8f), half(6e-8f)), 2);
}

TEST(FloatsTest, NansAndNarrowNumbersAsText) {
  EXPECT_EQ(RoundTripFpToString(Eigen::half(0.1f)), "0.099976");
  EXPECT_EQ(RoundTripFpToString(std::numeric_limits<Eigen::half>::quiet_NaN()), "nan");
  EXPECT_EQ(RoundTripFpToString(NanWithSignAndPayload<Eigen::half>(true, 1)), "-nan(0x1)");
  EXPECT_EQ(RoundTripFpToString(NanWithSignAndPayload<double>(false, 3)), "nan(0x3)");
  EXPECT_EQ(RoundTripFpToString(std::numeric_limits<tsl::float8_e4m3fn>::quiet_NaN()), "nan");
  EXPECT_EQ(RoundTripFpToString(std::numeric_limits<tsl::float8_e5m2fnuz>::quiet_NaN()), "-nan");
}

// Every code of a format without minus zero, and of one without sign.
template <typename T>
void ExpectTotalOrder() {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const T x = T::FromRep(a), y = T::FromRep(b);
      if (x < y || (x.IsNan() && x.SignBit() && !y.IsNan()) ||
          (y.IsNan() && !y.SignBit() && !x.IsNan())) {
        EXPECT_LT(ToSignMagnitude(x), ToSignMagnitude(y)) << a << " " << b;
      }
    }
  }
}

TEST(FloatsTest, FormatsWithoutMinusZeroOrSignHaveATotalOrder) {
  ExpectTotalOrder<tsl::float8_e4m3fnuz>();
  ExpectTotalOrder<tsl::float8_e4m3b11fnuz>();
  ExpectTotalOrder<tsl::float8_e5m2fnuz>();
  ExpectTotalOrder<tsl::float8_e8m0fnu>();
  ExpectTotalOrder<tsl::float8_e4m3fn>();
  const tsl::float8_e4m3fnuz least_negative = tsl::float8_e4m3fnuz::FromRep(0x81);
  EXPECT_EQ(ToSignMagnitude(least_negative), -1);
}

TEST(IteratorUtilTest, WalksWhatIsOwned) {
  std::list<std::unique_ptr<int>> owned;
  for (int i = 0; i < 5; ++i) owned.push_back(std::make_unique<int>(i));
  std::vector<int> seen;
  for (auto it = MakeUnwrappingIterator(owned.begin()); it != MakeUnwrappingIterator(owned.end());
       ++it) {
    seen.push_back(**it);
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3, 4));
  seen.clear();
  const auto is_odd = [](const int* i) { return *i % 2 == 1; };
  auto it = MakeFilteringUnwrappingIterator(owned.begin(), owned.end(), is_odd);
  const auto end = MakeFilteringUnwrappingIterator(owned.end(), owned.end(), is_odd);
  while (it != end) seen.push_back(**it++);
  EXPECT_THAT(seen, ElementsAre(1, 3));
}

TEST(IteratorUtilTest, CountsElements) {
  std::vector<int> numbers = {5, 6};
  for (auto [i, number] : WithIndex(numbers)) number += i;
  EXPECT_THAT(numbers, ElementsAre(5, 7));
  std::string text;
  for (const auto& [i, part] : WithIndex(std::vector<std::string>{"a", "b"}))
    text += part + std::to_string(i);
  EXPECT_EQ(text, "a0b1");
}

class BytesFile : public tsl::RandomAccessFile {
 public:
  explicit BytesFile(std::string bytes) : bytes_(std::move(bytes)) {}
  absl::Status Name(absl::string_view* result) const override {
    *result = "bytes";
    return absl::OkStatus();
  }
  absl::Status Read(uint64_t offset, absl::string_view& result,
                    absl::Span<char> scratch) const override {
    const absl::string_view rest = absl::string_view(bytes_).substr(offset, scratch.size());
    std::copy(rest.begin(), rest.end(), scratch.begin());
    result = absl::string_view(scratch.data(), rest.size());
    if (rest.size() < scratch.size()) return absl::OutOfRangeError("end of file");
    return absl::OkStatus();
  }

 private:
  std::string bytes_;
};

TEST(PackedLiteralReaderTest, ReadsOneArrayAfterTheOther) {
  const float numbers[] = {1, 2, 3, 4, 5};
  PackedLiteralReader reader(std::make_unique<BytesFile>(
      std::string(reinterpret_cast<const char*>(numbers), sizeof(numbers))));
  const Layout columns({0, 1});
  EXPECT_EQ(*reader.Read(ShapeUtil::MakeShape(F32, {2, 2}), &columns),
            LiteralUtil::CreateR2<float>({{1, 3}, {2, 4}}));
  EXPECT_FALSE(reader.IsExhausted());
  EXPECT_FALSE(reader.Read(ShapeUtil::MakeShape(F32, {2})).ok());
  EXPECT_FALSE(reader.Read(ShapeUtil::MakeShape(S32, {1})).ok());
  EXPECT_EQ(*reader.Read(ShapeUtil::MakeShape(F32, {1})), LiteralUtil::CreateR1<float>({5}));
  EXPECT_TRUE(reader.IsExhausted());
}

}  // namespace
}  // namespace xla
