#include "runtime/copy.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/memory.h"

namespace xla::runtime {
namespace {

TEST(CopyTest, CopiesAllBytesAndNoMore) {
  // Some are shared by threads, some go past the caches, some begin in the middle of a line.
  for (const int64_t bytes :
       {0, 1, 63, 64, 65, 1 << 20, (1 << 20) + 17, 22 << 20, (22 << 20) + 29}) {
    for (const int64_t to_offset : {0, 8}) {
      std::vector<char> from(bytes + 5);
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i * 7 + i / 4096);
      const auto memory = Allocate(bytes + 128).value();
      std::memset(memory.get(), 0x55, bytes + 128);
      char* const to = memory.get() + to_offset;
      CopyBytes(to, from.data() + 5, bytes);
      EXPECT_EQ(std::memcmp(to, from.data() + 5, bytes), 0) << bytes << " to " << to_offset;
      EXPECT_EQ(to[bytes], 0x55) << bytes << " to " << to_offset;
      if (to_offset > 0) EXPECT_EQ(to[-1], 0x55);
    }
  }
}

}  // namespace
}  // namespace xla::runtime
