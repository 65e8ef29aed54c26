#include "runtime/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "xla/util.h"

namespace xla::runtime {
namespace {

// Smaller blocks are left to malloc.
constexpr int64_t kLargeBytes = 256 << 10;
constexpr int64_t kHugePageBytes = 2 << 20;

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

}  // namespace

void FreeMemory::operator()(char* memory) const {
  if (bytes < kLargeBytes) {
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
  // A block of no bytes has an address, too.
  const int64_t rounded = RoundUp(std::max<int64_t>(bytes, 1), kAlignment);
  char* const block = rounded < kLargeBytes ? NewBlock(rounded) : TheLargeBlocks().Take(rounded);
  if (block == nullptr) return ResourceExhausted("there are no %d bytes of memory left", rounded);
  return Memory(block, FreeMemory{rounded});
}

}  // namespace xla::runtime
