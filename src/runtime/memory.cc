#include "runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "absl/numeric/bits.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// Smaller blocks are left to malloc.
constexpr int64_t kLargeBytes = 256 << 10;
constexpr int64_t kHugePageBytes = 2 << 20;

// Blocks up to the largest of these sizes, each twice the one before, are kept for a while.
constexpr int kSmallSizes = 10, kSmallBlocks = 4;
constexpr int64_t kSmallBytes = kAlignment << (kSmallSizes - 1);

int64_t MachineBytes() {
  static const int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return bytes;
}

int64_t RoundUp(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

char* NewBlock(int64_t bytes) {
  if (bytes < kHugePageBytes) return static_cast<char*>(std::aligned_alloc(kAlignment, bytes));
  char* block =
      static_cast<char*>(std::aligned_alloc(kHugePageBytes, RoundUp(bytes, kHugePageBytes)));
  if (block != nullptr) madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

class LargeBlocks {
 public:
  // Null when there is no memory.
  char* Take(int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_use_ += bytes;
    most_in_use_ = std::max(most_in_use_, in_use_);
    char* block = nullptr;
    if (const auto found = kept_.find(bytes); found != kept_.end()) {
      block = found->second;
      kept_bytes_ -= bytes;
      kept_.erase(found);
    } else {
      DropSurplus();
      block = NewBlock(bytes);
    }
    if (block == nullptr) in_use_ -= bytes;
    return block;
  }

  void GiveBack(char* block, int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_use_ -= bytes;
    kept_.emplace(bytes, block);
    kept_bytes_ += bytes;
    DropSurplus();
  }

 private:
  // The smallest first: they cost least to make again.
  void DropSurplus() {
    while (!kept_.empty() && in_use_ + kept_bytes_ > most_in_use_) {
      kept_bytes_ -= kept_.begin()->first;
      std::free(kept_.begin()->second);
      kept_.erase(kept_.begin());
    }
  }

  std::mutex mutex_;
  std::multimap<int64_t, char*> kept_;
  int64_t kept_bytes_ = 0, in_use_ = 0, most_in_use_ = 0;
};

LargeBlocks& TheLargeBlocks() {
  static LargeBlocks* const blocks = new LargeBlocks();
  return *blocks;
}

// Some blocks that a thread has given back, for its next requests: what kernels work in comes and
// goes more often than malloc is fast. It outlives the thread's other objects, so it has no
// destructor and is closed instead.
struct SmallBlocks {
  char* kept[kSmallSizes][kSmallBlocks];
  int counts[kSmallSizes];
  bool is_open, is_closed;

  static int NumberOf(int64_t bytes) {
    return absl::bit_width(static_cast<uint64_t>(bytes / kAlignment)) - 1;
  }

  char* Take(int64_t bytes) {
    const int size = NumberOf(bytes);
    return counts[size] > 0 ? kept[size][--counts[size]] : NewBlock(bytes);
  }

  void GiveBack(char* block, int64_t bytes);

  void Close() {
    is_closed = true;
    for (int size = 0; size < kSmallSizes; ++size) {
      for (int i = 0; i < counts[size]; ++i) std::free(kept[size][i]);
      counts[size] = 0;
    }
  }
};

thread_local SmallBlocks small_blocks = {};

void SmallBlocks::GiveBack(char* block, int64_t bytes) {
  const int size = NumberOf(bytes);
  if (is_closed || counts[size] == kSmallBlocks) return std::free(block);
  if (!is_open) {
    struct Closer {
      ~Closer() { small_blocks.Close(); }
    };
    static thread_local Closer closer;
    is_open = true;
  }
  kept[size][counts[size]++] = block;
}

// The sizes of blocks.
int64_t Rounded(int64_t bytes) {
  // A block of no bytes has an address, too.
  const int64_t rounded = RoundUp(std::max<int64_t>(bytes, 1), kAlignment);
  return rounded <= kSmallBytes
             ? static_cast<int64_t>(absl::bit_ceil(static_cast<uint64_t>(rounded)))
             : rounded;
}

}  // namespace

void FreeMemory::operator()(char* memory) const {
  if (bytes <= kSmallBytes) {
    small_blocks.GiveBack(memory, bytes);
  } else if (bytes < kLargeBytes) {
    std::free(memory);
  } else {
    TheLargeBlocks().GiveBack(memory, bytes);
  }
}

absl::StatusOr<Memory> Allocate(int64_t bytes) {
  if (bytes > MachineBytes()) {
    return ResourceExhausted("%d bytes of memory are more than the %d that the machine has", bytes,
                             MachineBytes());
  }
  const int64_t rounded = Rounded(bytes);
  char* const block = rounded <= kSmallBytes  ? small_blocks.Take(rounded)
                      : rounded < kLargeBytes ? NewBlock(rounded)
                                              : TheLargeBlocks().Take(rounded);
  if (block == nullptr) return ResourceExhausted("there are no %d bytes of memory left", rounded);
  return Memory(block, FreeMemory{rounded});
}

}  // namespace xla::runtime
