// Collectives that combine what devices have: always in the order of the group, so that all of them
// get the same, by whatever way it comes.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "cpu/kernels/collective.h"
#include "runtime/program.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using runtime::Device;
using runtime::Pieces;

// So many elements of one array.
struct Elements {
  char* data;
  int64_t count;
  int64_t bytes;
};
// A part of each of several arrays.
using Part = absl::InlinedVector<Elements, 1>;

template <typename Piece>
void AddTo(Piece& piece, const Part& part) {
  for (const Elements& elements : part)
    piece.emplace_back(elements.data, static_cast<size_t>(elements.bytes));
}

void Copy(const Part& from, const Part& to) {
  for (size_t k = 0; k < from.size(); ++k) {
    if (from[k].bytes > 0) std::memcpy(to[k].data, from[k].data, from[k].bytes);
  }
}

// The elements in [begin, end) of `count` arrays, which have as many.
Part Cut(const Part& part, size_t first, size_t count, int64_t begin, int64_t end) {
  Part cut;
  for (size_t k = first; k < first + count; ++k) {
    const int64_t width = part[k].bytes / part[k].count;
    cut.push_back({part[k].data + begin * width, end - begin, (end - begin) * width});
  }
  return cut;
}

class Reduction : public Collective {
 public:
  explicit Reduction(const runtime::LibraryCall& call)
      : Collective(call), is_together_(operand_count() > 1 && call_.function_arguments[0] != 2) {}

 protected:
  // Reduces a part of the operands where the members have it. `sent` is what this device lets the
  // others reduce, `own` its own part, `sum` where the result belongs.
  absl::Status ReduceLent(const Group& group, std::vector<Pieces::Sent> sent, const Part& own,
                          const Part& sum, void* const* arrays) const;

  // The reduction of one part of the operands. Other devices' parts arrive in memory of its own.
  class Fold {
   public:
    // `own` is this device's part, `sum` where the result belongs.
    static absl::StatusOr<Fold> Make(const Reduction& kernel, const Group& group, Part own,
                                     Part sum);
    // Adds the places for what others send.
    void AddPlaces(Pieces& pieces) const;
    // Combines what arrives, member after member. `arrays` are those of the kernel.
    absl::Status Run(runtime::Rendezvous::Pending& pending, void* const* arrays) const;

   private:
    Fold(const Reduction& kernel, size_t position) : kernel_(&kernel), position_(position) {}

    const Reduction* kernel_;
    size_t position_;
    std::vector<Part> parts_;  // of each member
    Part sum_;
    runtime::Memory memory_;
  };

  absl::Status CheckReducedTogether() const {
    for (size_t k = 1; is_together_ && k < operand_count(); ++k) {
      if (!ShapeUtil::SameDimensions(operand(0), operand(k))) {
        return InvalidArgument("%s: operands that are reduced together must be of one size",
                               Name());
      }
    }
    return absl::OkStatus();
  }

 private:
  // Elements of an array that are reduced at once, so that their sums stay in the cache.
  static constexpr int64_t kChunk = 4096;

  // Of so many arrays the computation takes elements.
  size_t ArraysAtOnce() const { return is_together_ ? operand_count() : 1; }
  // What a member has sent, if it is as much as this device's own part.
  absl::StatusOr<Part> PartFrom(const Pieces::Sent& sent, const Part& own) const;

  // sum = computation(sum, added): all arrays at once or, where the computation takes two
  // arguments, one after the other.
  void Add(void* const* arrays, const Part& sum, const Part& added) const {
    auto* const function =
        reinterpret_cast<HiloFunction*>(arrays[operand_count() + call_.results.size()]);
    const size_t at_once = ArraysAtOnce();
    absl::InlinedVector<const void*, 2> arguments(2 * at_once);
    absl::InlinedVector<void*, 1> results(at_once);
    for (size_t k = 0; k < sum.size(); k += at_once) {
      for (size_t i = 0; i < at_once; ++i) {
        arguments[i] = results[i] = sum[k + i].data;
        arguments[at_once + i] = added[k + i].data;
      }
      function(arguments.data(), results.data(), sum[k].count);
    }
  }

  const bool is_together_;
};

absl::StatusOr<Part> Reduction::PartFrom(const Pieces::Sent& sent, const Part& own) const {
  const auto is_as_large = [](absl::Span<const char> a, const Elements& b) {
    return static_cast<int64_t>(a.size()) == b.bytes;
  };
  if (!absl::c_equal(sent, own, is_as_large)) {
    return InvalidArgument("%s: the operands do not have the same shapes on all devices", Name());
  }
  Part part = own;
  for (size_t k = 0; k < part.size(); ++k) part[k].data = const_cast<char*>(sent[k].data());
  return part;
}

absl::Status Reduction::ReduceLent(const Group& group, std::vector<Pieces::Sent> sent,
                                   const Part& own, const Part& sum, void* const* arrays) const {
  HILO_ASSIGN_OR_RETURN(const auto lent, group.Lend(std::move(sent)));
  std::vector<Part> parts;
  for (size_t i = 0; i < group.size(); ++i) {
    if (i == group.position()) {
      parts.push_back(own);
    } else {
      HILO_ASSIGN_OR_RETURN(parts.emplace_back(), PartFrom(lent->From(i), own));
    }
  }
  const size_t at_once = ArraysAtOnce();
  for (size_t k = 0; k < sum.size(); k += at_once) {
    for (int64_t begin = 0; begin < sum[k].count; begin += kChunk) {
      const int64_t end = std::min(begin + kChunk, sum[k].count);
      const Part chunk = Cut(sum, k, at_once, begin, end);
      Copy(Cut(parts[0], k, at_once, begin, end), chunk);
      for (size_t i = 1; i < parts.size(); ++i)
        Add(arrays, chunk, Cut(parts[i], k, at_once, begin, end));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Reduction::Fold> Reduction::Fold::Make(const Reduction& kernel, const Group& group,
                                                      Part own, Part sum) {
  const auto padded = [](int64_t bytes) {
    return CeilOfRatio(bytes, runtime::kAlignment) * runtime::kAlignment;
  };
  Fold fold(kernel, group.position());
  fold.sum_ = std::move(sum);
  int64_t bytes = 0;
  for (const Elements& elements : fold.sum_) bytes += padded(elements.bytes);
  const auto others = static_cast<int64_t>(group.size()) - (group.position() == 0 ? 1 : 2);
  HILO_ASSIGN_OR_RETURN(fold.memory_, runtime::Allocate(std::max<int64_t>(others, 0) * bytes));
  char* next = fold.memory_.get();
  for (size_t i = 0; i < group.size(); ++i) {
    if (i == group.position()) {
      fold.parts_.push_back(own);
      continue;
    }
    // The first one's is what the others are added to.
    Part& part = fold.parts_.emplace_back(fold.sum_);
    for (size_t k = 0; i > 0 && k < part.size(); ++k) {
      part[k].data = next;
      next += padded(part[k].bytes);
    }
  }
  return fold;
}

void Reduction::Fold::AddPlaces(Pieces& pieces) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i != position_) AddTo(pieces.received[i], parts_[i]);
  }
}

absl::Status Reduction::Fold::Run(runtime::Rendezvous::Pending& pending,
                                  void* const* arrays) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    HILO_RETURN_IF_ERROR(pending.Await(i));
    if (i > 0) {
      kernel_->Add(arrays, sum_, parts_[i]);
    } else if (position_ == 0) {
      Copy(parts_[0], sum_);
    }
  }
  return absl::OkStatus();
}

// Short arrays go to all, which is one exchange. Of others each device reduces a part, which all
// then give each other: between processes in segments, so that some are reduced while others are on
// their way.
class AllReduce : public Reduction {
 public:
  using Reduction::Reduction;

 private:
  static constexpr int64_t kMostWholeBytes = 1 << 15;
  static constexpr int64_t kSegmentBytes = 1 << 21;
  static constexpr int64_t kUnit = 64;  // elements that stay together

  absl::Status Perform(const Device& device, void* const* arrays) const override {
    HILO_ASSIGN_OR_RETURN(const Group group, GroupOf(device));
    HILO_RETURN_IF_ERROR(CheckReducedTogether());
    int64_t bytes = 0;
    for (size_t k = 0; k < operand_count(); ++k) bytes += BytesOf(operand(k));
    if (bytes <= kMostWholeBytes || group.size() == 1) return ReduceWhole(group, arrays);
    if (group.ShareMemory()) return ReduceSharedInParts(group, arrays);
    const auto size = static_cast<int64_t>(group.size());
    return ReduceInParts(group, arrays, std::max<int64_t>(1, bytes / size / kSegmentBytes));
  }

  absl::Status ReduceWhole(const Group& group, void* const* arrays) const {
    const Part own = PartOf(arrays, 0, 1), sum = PartOf(arrays + operand_count(), 0, 1);
    Pieces pieces = group.PieceForAll();
    AddTo(pieces.sent[0], own);
    if (group.ShareMemory()) return ReduceLent(group, std::move(pieces.sent), own, sum, arrays);
    HILO_ASSIGN_OR_RETURN(const Fold fold, Fold::Make(*this, group, own, sum));
    fold.AddPlaces(pieces);
    HILO_ASSIGN_OR_RETURN(const auto pending, group.Begin(pieces));
    HILO_RETURN_IF_ERROR(fold.Run(*pending, arrays));
    return pending->Finish();
  }

  absl::Status ReduceSharedInParts(const Group& group, void* const* arrays) const {
    void* const* const results = arrays + operand_count();
    const auto size = static_cast<int64_t>(group.size());
    const auto position = static_cast<int64_t>(group.position());
    std::vector<Pieces::Sent> sent(size);
    for (int64_t i = 0; i < size; ++i) AddTo(sent[i], PartOf(arrays, i, size));
    HILO_RETURN_IF_ERROR(ReduceLent(group, std::move(sent), PartOf(arrays, position, size),
                                    PartOf(results, position, size), arrays));
    return group.ExchangePieces(ResultPieces(group, results, 0, 1));
  }

  // With which a device gives the others its part of a segment of the results, and gets theirs.
  Pieces ResultPieces(const Group& group, void* const* results, int64_t segment,
                      int64_t segments) const {
    const auto size = static_cast<int64_t>(group.size());
    Pieces pieces = group.PieceForAll();
    for (int64_t i = 0; i < size; ++i) {
      const Part part = PartOf(results, i * segments + segment, size * segments);
      if (i == static_cast<int64_t>(group.position())) {
        AddTo(pieces.sent[0], part);
      } else {
        AddTo(pieces.received[i], part);
      }
    }
    return pieces;
  }

  absl::Status ReduceInParts(const Group& group, void* const* arrays, int64_t segments) const {
    void* const* const results = arrays + operand_count();
    const auto size = static_cast<int64_t>(group.size());
    const auto position = static_cast<int64_t>(group.position());
    const auto part_of = [&](void* const* from, int64_t member, int64_t segment) {
      return PartOf(from, member * segments + segment, size * segments);
    };
    std::vector<Fold> folds;
    std::vector<std::unique_ptr<runtime::Rendezvous::Pending>> pending;
    for (int64_t segment = 0; segment < segments; ++segment) {
      Pieces pieces = group.NoPieces();
      for (int64_t i = 0; i < size; ++i) {
        if (i != position) AddTo(pieces.sent[i], part_of(arrays, i, segment));
      }
      HILO_ASSIGN_OR_RETURN(Fold fold, Fold::Make(*this, group, part_of(arrays, position, segment),
                                                  part_of(results, position, segment)));
      fold.AddPlaces(pieces);
      folds.push_back(std::move(fold));
      HILO_ASSIGN_OR_RETURN(pending.emplace_back(), group.Begin(pieces));
    }
    for (int64_t segment = 0; segment < segments; ++segment) {
      HILO_RETURN_IF_ERROR(folds[segment].Run(*pending[segment], arrays));
      HILO_ASSIGN_OR_RETURN(pending.emplace_back(),
                            group.Begin(ResultPieces(group, results, segment, segments)));
    }
    for (const auto& each : pending) HILO_RETURN_IF_ERROR(each->Finish());
    return absl::OkStatus();
  }

  // One of so many parts of arrays that are like the operands.
  Part PartOf(void* const* arrays, int64_t part, int64_t count) const {
    Part result;
    for (size_t k = 0; k < operand_count(); ++k) {
      const int64_t elements = ShapeUtil::ElementsIn(operand(k));
      const int64_t units = CeilOfRatio(elements, kUnit);
      const int64_t bytes = primitive_util::ByteWidth(operand(k).element_type());
      const int64_t begin = std::min(units * part / count * kUnit, elements);
      const int64_t end = std::min(units * (part + 1) / count * kUnit, elements);
      result.push_back(
          {static_cast<char*>(arrays[k]) + begin * bytes, end - begin, (end - begin) * bytes});
    }
    return result;
  }
};

// Member i gets block i of the reduction.
class ReduceScatter : public Reduction {
 public:
  using Reduction::Reduction;

 private:
  absl::Status Perform(const Device& device, void* const* arrays) const override {
    const int64_t dimension = call_.instruction.dimensions(0);
    HILO_ASSIGN_OR_RETURN(const Group group, GroupOf(device));
    HILO_RETURN_IF_ERROR(CheckReducedTogether());
    Pieces pieces = group.NoPieces();
    std::vector<SentBlocks> sent;
    Part own, sum;
    for (size_t k = 0; k < operand_count(); ++k) {
      const int64_t length = result(k).dimensions(dimension);
      HILO_RETURN_IF_ERROR(
          CheckSize(operand(k).dimensions(dimension) == length * static_cast<int64_t>(group.size()),
                    group.size()));
      const Blocks blocks(operand(k), dimension, group.size());
      HILO_ASSIGN_OR_RETURN(SentBlocks each, SentBlocks::Make(blocks, arrays[k]));
      const int64_t elements = ShapeUtil::ElementsIn(result(k));
      for (size_t i = 0; i < group.size(); ++i) {
        const absl::Span<const char> block = each[static_cast<int64_t>(i)];
        if (i != group.position()) {
          pieces.sent[i].push_back(block);
        } else {
          own.push_back({const_cast<char*>(block.data()), elements, blocks.bytes()});
        }
      }
      sent.push_back(std::move(each));
      sum.push_back({static_cast<char*>(arrays[operand_count() + k]), elements, blocks.bytes()});
    }
    if (group.ShareMemory()) return ReduceLent(group, std::move(pieces.sent), own, sum, arrays);
    HILO_ASSIGN_OR_RETURN(const Fold fold, Fold::Make(*this, group, own, sum));
    fold.AddPlaces(pieces);
    HILO_ASSIGN_OR_RETURN(const auto pending, group.Begin(pieces));
    HILO_RETURN_IF_ERROR(fold.Run(*pending, arrays));
    return pending->Finish();
  }
};

}  // namespace

KernelOrStatus MakeAllReduce(const runtime::LibraryCall& call) {
  return MakeCollective<AllReduce>(call);
}
KernelOrStatus MakeReduceScatter(const runtime::LibraryCall& call) {
  return MakeCollective<ReduceScatter>(call);
}

}  // namespace xla::cpu
