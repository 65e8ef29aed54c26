#include "runtime/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>

#include "absl/numeric/bits.h"
#include "xla/service/trim_memory.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

constexpr int64_t kHugePageBytes = 2 << 20;

// Blocks up to the largest of these sizes, each twice the one before, are kept for a while.
constexpr int kSmallSizes = 10, kSmallBlocks = 4;
constexpr int64_t kSmallBytes = kAlignment << (kSmallSizes - 1);

// Large blocks that nobody has asked for in so long are given back to the system.
constexpr std::chrono::seconds kKeptFor{2};

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
    // The one that came back last: it is in the caches, and others get old.
    if (const auto after = kept_.upper_bound(bytes);
        after != kept_.begin() && std::prev(after)->first == bytes) {
      block = std::prev(after)->second.block;
      kept_bytes_ -= bytes;
      kept_.erase(std::prev(after));
    } else {
      DropSurplus();
      block = NewBlock(bytes);
    }
    if (block == nullptr) in_use_ -= bytes;
    return block;
  }

  void GiveBack(char* block, int64_t bytes) {
    const Time now = Clock::now();
    const std::lock_guard<std::mutex> lock(mutex_);
    in_use_ -= bytes;
    kept_.emplace(bytes, Kept{block, now});
    kept_bytes_ += bytes;
    DropSurplus();
    if (now - looked_ < kKeptFor) return;
    looked_ = now;
    DropIf([&](const Kept& kept) { return now - kept.since >= kKeptFor; });
  }

  int64_t Trim() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int64_t bytes = kept_bytes_;
    DropIf([](const Kept&) { return true; });
    most_in_use_ = in_use_;
    return bytes;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  struct Kept {
    char* block;
    Time since;
  };
  using Blocks = std::multimap<int64_t, Kept>;

  Blocks::iterator Drop(Blocks::iterator place) {
    kept_bytes_ -= place->first;
    std::free(place->second.block);
    return kept_.erase(place);
  }

  template <typename Condition>
  void DropIf(const Condition& condition) {
    for (auto place = kept_.begin(); place != kept_.end();)
      place = condition(place->second) ? Drop(place) : std::next(place);
  }

  // The smallest first: they cost least to make again.
  void DropSurplus() {
    while (!kept_.empty() && in_use_ + kept_bytes_ > most_in_use_) Drop(kept_.begin());
  }

  std::mutex mutex_;
  Blocks kept_;
  int64_t kept_bytes_ = 0, in_use_ = 0, most_in_use_ = 0;
  Time looked_;
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
  char* const block =
      rounded <= kSmallBytes ? small_blocks.Take(rounded) : TheLargeBlocks().Take(rounded);
  if (block == nullptr) return ResourceExhausted("there are no %d bytes of memory left", rounded);
  return Memory(block, FreeMemory{rounded});
}

}  // namespace xla::runtime

namespace xla {

int64_t TrimMemory() {
  const int64_t bytes = runtime::TheLargeBlocks().Trim();
  malloc_trim(0);
  return bytes;
}

}  // namespace xla
