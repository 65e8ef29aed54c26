// Collective permutation of slices of arrays.
//
// Operands: input, output, where slices begin in the input, and where in the output. Input and
// output are arrays or tuples of as many arrays; slice_sizes has equally many sizes for each array,
// and the starts are scalars, tuples of tuples in the order (array, slice, dimension). The pairs
// are divided into as many equal parts as an array has slices: part j says where slices j go. The
// target puts a slice to the place that its own starts say; what it does not get it leaves as it
// is.
#include <algorithm>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "cpu/kernels/collective.h"
#include "cpu/kernels/participants.h"
#include "cpu/kernels/values.h"
#include "data/literal_borrow.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using runtime::Environment;

// One slice of one array.
struct Slice {
  int64_t array;
  DimensionVector sizes;
  size_t first_start;  // of its starts, among those of all slices
};

absl::Status DoesNotFit(const runtime::LibraryCall& call) {
  return InvalidArgument(
      "%s %s: slice_sizes, the starts of slices, input and output do not fit each other",
      call.instruction.opcode(), call.instruction.name());
}

// All slices of an array, then all of the next.
absl::StatusOr<std::vector<Slice>> SlicesOf(const runtime::LibraryCall& call) {
  const int64_t arrays = ArrayCount(call.whole_operands[0]);
  if (arrays == 0 || ArrayCount(call.whole_operands[1]) != arrays) return DoesNotFit(call);
  const auto& sizes = call.instruction.dynamic_slice_sizes();
  int64_t ranks = 0;
  for (int64_t k = 0; k < arrays; ++k) {
    const Shape& input = call.operands[k];
    const Shape& output = call.operands[arrays + k];
    if (input.dimensions_size() != output.dimensions_size() ||
        input.element_type() != output.element_type() || !input.is_static() ||
        !output.is_static()) {
      return DoesNotFit(call);
    }
    ranks += input.dimensions_size();
  }
  const size_t starts = call.operands.size() - 2 * arrays;
  if (ranks == 0 || sizes.size() % ranks != 0 || starts != 2 * static_cast<size_t>(sizes.size()))
    return DoesNotFit(call);
  for (size_t k = 2 * arrays; k < call.operands.size(); ++k) {
    if (!ShapeUtil::IsScalar(call.operands[k]) ||
        !primitive_util::IsIntegralType(call.operands[k].element_type())) {
      return DoesNotFit(call);
    }
  }
  std::vector<Slice> slices;
  size_t next = 0;
  for (int64_t k = 0; k < arrays; ++k) {
    const int rank = call.operands[k].dimensions_size();
    for (int64_t slice = 0; slice < sizes.size() / ranks; ++slice, next += rank) {
      slices.push_back(
          {k, DimensionVector(sizes.begin() + next, sizes.begin() + next + rank), next});
      for (int d = 0; d < rank; ++d) {
        const int64_t size = slices.back().sizes[d];
        if (size < 0 || size > call.operands[k].dimensions(d) ||
            size > call.operands[arrays + k].dimensions(d)) {
          return DoesNotFit(call);
        }
      }
    }
  }
  return slices;
}

class SlicePermute : public runtime::LibraryKernel {
 public:
  SlicePermute(const runtime::LibraryCall& call, std::vector<Slice> slices)
      : call_(call),
        participants_(ParticipantsOf(call_.instruction, this)),
        arrays_(ArrayCount(call.whole_operands[0])),
        slices_(std::move(slices)) {}

  absl::Status Run(void* const* arrays, const Environment& environment) const override {
    const runtime::Device& device = environment.device;
    HILO_RETURN_IF_ERROR(participants_.CheckDeviceCount(device, call_.replicas, call_.partitions));
    void* const* results = arrays + call_.operands.size();
    for (int64_t k = 0; k < arrays_; ++k)
      std::memcpy(results[k], arrays[arrays_ + k], ShapeUtil::ByteSizeOf(call_.results[k]));
    const auto pairs = PairsOf(call_.instruction);
    HILO_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, participants_.IdsIn(device, pairs));
    const int64_t own = participants_.OwnId(device);
    if (!absl::c_linear_search(ids, own)) return absl::OkStatus();
    HILO_ASSIGN_OR_RETURN(const std::vector<Literal> copies, CopySlices(arrays));
    const Group group(device, participants_.exchange(), participants_.Devices(device, ids));
    const auto place = [&](int64_t id) { return absl::c_find(ids, id) - ids.begin(); };
    runtime::Pieces pieces = group.NoPieces();
    std::list<std::pair<size_t, Literal>> arrivals;  // with the numbers of their slices
    const int64_t parts = static_cast<int64_t>(slices_.size()) / arrays_;
    const int64_t pairs_of_part = static_cast<int64_t>(pairs.size()) / parts;
    for (size_t k = 0; k < slices_.size(); ++k) {
      const int64_t first = static_cast<int64_t>(k) % parts * pairs_of_part;
      for (int64_t i = first; i < first + pairs_of_part; ++i) {
        const auto& [source, target] = pairs[i];
        const auto bytes = static_cast<size_t>(copies[k].size_bytes());
        if (source == own) {
          pieces.sent[place(target)].emplace_back(
              static_cast<const char*>(copies[k].untyped_data()), bytes);
        }
        if (target == own) {
          arrivals.emplace_back(k, Literal(copies[k].shape()));
          pieces.received[place(source)].emplace_back(
              static_cast<char*>(arrivals.back().second.untyped_data()), bytes);
        }
      }
    }
    HILO_RETURN_IF_ERROR(group.ExchangePieces(pieces));
    for (const auto& [k, value] : arrivals) HILO_RETURN_IF_ERROR(Place(slices_[k], value, arrays));
    return absl::OkStatus();
  }

 private:
  // Moved so that the slice lies within the array. `side` is 0 for the input and 1 for the output.
  DimensionVector Start(const Slice& slice, int side, void* const* arrays) const {
    const Shape& shape = call_.operands[side * arrays_ + slice.array];
    const size_t first =
        2 * arrays_ + side * call_.instruction.dynamic_slice_sizes_size() + slice.first_start;
    DimensionVector start;
    for (int d = 0; d < shape.dimensions_size(); ++d) {
      const int64_t given = IntegerAt(call_.operands[first + d].element_type(),
                                      static_cast<const char*>(arrays[first + d]), 0);
      start.push_back(std::clamp<int64_t>(given, 0, shape.dimensions(d) - slice.sizes[d]));
    }
    return start;
  }

  // All slices.
  absl::StatusOr<std::vector<Literal>> CopySlices(void* const* arrays) const {
    std::vector<Literal> copies;
    for (const Slice& slice : slices_) {
      const Shape& shape = call_.operands[slice.array];
      HILO_ASSIGN_OR_RETURN(Literal copy,
                            Literal::Make(ShapeUtil::MakeShape(shape.element_type(), slice.sizes)));
      HILO_RETURN_IF_ERROR(copy.CopySliceFrom(BorrowArray(shape, arrays[slice.array]),
                                              Start(slice, 0, arrays),
                                              DimensionVector(slice.sizes.size(), 0), slice.sizes));
      copies.push_back(std::move(copy));
    }
    return copies;
  }

  absl::Status Place(const Slice& slice, const Literal& value, void* const* arrays) const {
    Literal result =
        BorrowArray(call_.results[slice.array], arrays[call_.operands.size() + slice.array]);
    return result.CopySliceFrom(value, DimensionVector(slice.sizes.size(), 0),
                                Start(slice, 1, arrays), slice.sizes);
  }

  const runtime::LibraryCall call_;
  const runtime::Participants participants_;
  const int64_t arrays_;
  const std::vector<Slice> slices_;
};

}  // namespace

KernelOrStatus MakeSlicePermute(const runtime::LibraryCall& call) {
  HILO_ASSIGN_OR_RETURN(std::vector<Slice> slices, SlicesOf(call));
  const int64_t parts = static_cast<int64_t>(slices.size()) / ArrayCount(call.whole_operands[0]);
  if (parts == 0 || call.instruction.source_target_pairs_size() % parts != 0) {
    return InvalidArgument("%s %s: %d source_target_pairs cannot be divided among %d slices",
                           call.instruction.opcode(), call.instruction.name(),
                           call.instruction.source_target_pairs_size(), parts);
  }
  return std::make_unique<SlicePermute>(call, std::move(slices));
}

}  // namespace xla::cpu
