#include "tools/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace xla {

Progress::Progress(std::string label, int64_t total)
    : label_(std::move(label)), total_(std::max<int64_t>(total, 1)), is_terminal_(isatty(2) == 1) {}

Progress::~Progress() {
  if (is_terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::Advance(int64_t steps) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ += steps;
  if (is_terminal_) Draw();
}

void Progress::Draw() {
  constexpr int kWidth = 30;
  const int64_t percent = 100 * done_ / total_;
  if (percent == drawn_percent_) return;
  drawn_percent_ = percent;
  const int filled = static_cast<int>(std::min<int64_t>(kWidth, kWidth * done_ / total_));
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r[%s] %lld/%lld %s", bar.c_str(), static_cast<long long>(done_),
               static_cast<long long>(total_), label_.c_str());
  std::fflush(stderr);
}

}  // namespace xla
