#include "cpu/kernels/streamed_product.h"

#include <algorithm>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "cpu/kernels/gather.h"
#include "cpu/kernels/matrix_sides.h"
#include "cpu/kernels/matrix_tiles.h"
#include "cpu/kernels/scratch.h"
#include "cpu/kernels/store.h"
#include "cpu/kernels/work.h"
#include "runtime/parallel.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Smaller matrices stay in caches, where tiles of several vectors meet them faster.
constexpr int64_t kLeastRightBytes = 1 << 20;
// More rows make tiles worth their copies of the matrix.
constexpr int64_t kMostStreamedRows = 52;
// The rows are copied: with fewer columns than these for each they are not small beside the matrix.
constexpr int64_t kLeastColumnsForARow = 8;
constexpr int64_t kLeastStreamedColumns = 128, kLeastStreamedDepth = 256;
// Sums of a block stay in the cache. Its pieces of rows are long, since these follow each other.
constexpr int64_t kSumBytes = 64 << 10, kLeastPieceBytes = 4096;
// How many parts of the work there should be for threads to choose from. It does not depend on how
// many threads there are, so that results do not either.
constexpr int64_t kStreamedParts = 8;

template <typename T>
class StreamedProduct : public Product {
 public:
  explicit StreamedProduct(const Contraction& contraction)
      : left_(contraction, kLeft),
        result_row_(Walk(contraction.rows, {}, kResult).stride()),
        group_count_(Count(contraction.groups)),
        rows_(Count(contraction.rows)),
        columns_(Count(contraction.columns)),
        depth_(Count(contraction.depth)),
        store_(StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set)) {
    const Tiles<T>& tiles = TilesOf<T>(contraction.instruction_set);
    const WideningTiles<T>* const widening = WideningTilesOf<T>(contraction);
    multiply_streams_ = widening ? widening->multiply_streams : tiles.multiply_streams;
    multiply_stream_ = widening ? widening->multiply_stream : tiles.multiply_stream;
    for (int array = 0; array < kArrays; ++array) {
      groups_[array] = Walk(contraction.groups, {}, static_cast<Array>(array));
      offsets_[array] = contraction.offsets[array];
      bytes_[array] = primitive_util::ByteWidth(contraction.types[array]);
    }
    right_row_ = Walk(contraction.depth, {}, kRight).stride() * bytes_[kRight];
    Plan();
  }

  absl::Status Run(const void* left, const void* right, void* result) const override {
    const int64_t blocks = group_count_ * parts_ * blocks_;
    const Scratch<T> factors(group_count_ * rows_ * depth_), sums(blocks * BlockSums());
    if (factors.get() == nullptr || sums.get() == nullptr)
      return ResourceExhausted("no memory for a product of %d x %d x %d", rows_, columns_, depth_);
    const auto of_part = static_cast<double>(depth_ / parts_);
    ForEach(group_count_ * parts_, kReadsOfACopy * static_cast<double>(rows_) * of_part,
            [&](int64_t i) {
              const int64_t group = i / parts_;
              CopyLeft(static_cast<const char*>(left) + PlaceOf(kLeft, group), i % parts_,
                       factors.get() + group * rows_ * depth_);
            });
    ForEach(blocks, static_cast<double>((rows_ + kRowsOfARead) * block_columns_) * of_part,
            [&](int64_t i) {
              const int64_t group = i / (parts_ * blocks_);
              T* const to = sums.get() + i * BlockSums();
              std::fill_n(to, BlockSums(), T(0));
              Multiply(i / blocks_ % parts_, i % blocks_, factors.get() + group * rows_ * depth_,
                       static_cast<const char*>(right) + PlaceOf(kRight, group), to);
            });
    ForEach(group_count_ * blocks_, static_cast<double>(parts_ * BlockSums()), [&](int64_t i) {
      const int64_t group = i / blocks_;
      StoreBlock(i % blocks_, sums.get() + group * parts_ * blocks_ * BlockSums(),
                 static_cast<char*>(result) + PlaceOf(kResult, group));
    });
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kColumnUnit = 64 / sizeof(T);
  // In whose time an element of the matrix comes from memory, and one of the left side is copied.
  static constexpr int64_t kRowsOfARead = 8;
  static constexpr double kReadsOfACopy = 4;

  // Calls function(i) for each i < count, on threads where `products` take long enough.
  template <typename Function>
  static void ForEach(int64_t count, double products, const Function& function) {
    runtime::ParallelFor(count, LeastParts(products), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) function(i);
    });
  }

  // Some of the depth, in streams of one length.
  struct Streams {
    int64_t count, first, length;
  };

  void Plan() {
    const int64_t most =
        std::max(kSumBytes / (rows_ * int64_t{sizeof(T)}), kLeastPieceBytes / bytes_[kRight]);
    blocks_ = CeilOfRatio(columns_, most);
    block_columns_ = CeilOfRatio(CeilOfRatio(columns_, blocks_), kColumnUnit) * kColumnUnit;
    blocks_ = CeilOfRatio(columns_, block_columns_);
    // Rows of sums an odd number of cache lines apart share no sets.
    sums_row_ = (block_columns_ / kColumnUnit | 1) * kColumnUnit;
    parts_ =
        std::clamp<int64_t>(CeilOfRatio(kStreamedParts, blocks_), 1, depth_ / kLeastStreamedDepth);
  }

  // In bytes.
  int64_t PlaceOf(Array array, int64_t group) const {
    return (offsets_[array] + groups_[array].Place(group)) * bytes_[array];
  }
  int64_t BlockSums() const { return rows_ * sums_row_; }

  // All of a part of the depth.
  absl::InlinedVector<Streams, 3> StreamsOf(int64_t part) const {
    const int64_t length = depth_ / (parts_ * kStreams);
    absl::InlinedVector<Streams, 3> all = {{kStreams, part * kStreams * length, length}};
    if (part + 1 < parts_) return all;
    const int64_t rest = parts_ * kStreams * length, steps = (depth_ - rest) / kStreams;
    if (steps > 0) all.push_back({kStreams, rest, steps});
    const int64_t last = rest + steps * kStreams;
    if (last < depth_) all.push_back({1, last, depth_ - last});
    return all;
  }

  // What lies at some places of the depth of the left side is behind all that lies before it.
  void CopyLeft(const char* left, int64_t part, T* factors) const {
    for (const Streams& streams : StreamsOf(part)) {
      for (int64_t s = 0; s < streams.count; ++s) {
        left_.Fill(left, false, 0, rows_, streams.first + s * streams.length, streams.length,
                   factors + streams.first * rows_ + s, streams.count, rows_ * streams.count);
      }
    }
  }

  void Multiply(int64_t part, int64_t block, const T* factors, const char* right, T* sums) const {
    right += block * block_columns_ * bytes_[kRight];
    for (const Streams& streams : StreamsOf(part)) {
      const auto multiply = streams.count == 1 ? multiply_stream_ : multiply_streams_;
      multiply(streams.length, rows_, factors + streams.first * rows_,
               right + streams.first * right_row_, right_row_, streams.length * right_row_,
               ColumnsOf(block), sums, sums_row_);
    }
  }

  int64_t ColumnsOf(int64_t block) const {
    return std::min(block_columns_, columns_ - block * block_columns_);
  }

  // Of the sums of all parts.
  void StoreBlock(int64_t block, T* sums, char* result) const {
    T* const total = sums + block * BlockSums();
    for (int64_t part = 1; part < parts_; ++part) {
      const T* const more = sums + (part * blocks_ + block) * BlockSums();
      for (int64_t i = 0; i < BlockSums(); ++i) total[i] += more[i];
    }
    for (int64_t r = 0; r < rows_; ++r) {
      const int64_t place = r * result_row_ + block * block_columns_;
      store_(total + r * sums_row_, ColumnsOf(block), result + place * bytes_[kResult], 1);
    }
  }

  const Gatherer<T> left_;
  const int64_t result_row_, group_count_, rows_, columns_, depth_;
  StoreElements<T>* const store_;
  StreamsFunction<T>*multiply_streams_, *multiply_stream_;
  Walk groups_[kArrays];
  int64_t offsets_[kArrays], bytes_[kArrays];
  int64_t right_row_, blocks_, block_columns_, sums_row_, parts_;
};

// Whether the right side is a matrix whose rows follow each other.
bool IsRightMatrix(const Contraction& contraction) {
  const Walk depth(contraction.depth, {}, kRight), columns(contraction.columns, {}, kRight);
  return depth.IsRegular() && columns.IsRegular() && columns.stride() == 1 &&
         depth.stride() == Count(contraction.columns) &&
         (contraction.bounded == kLeft || contraction.bounds.empty());
}

bool HasRowsOfResult(const Contraction& contraction) {
  const Walk rows(contraction.rows, {}, kResult), columns(contraction.columns, {}, kResult);
  return rows.IsRegular() && columns.IsRegular() && columns.stride() == 1;
}

// How many rows meet a right side of its type before tiles are faster.
template <typename T>
int64_t MostRows(const Contraction& contraction) {
  if (contraction.types[kRight] == TypeOf<T>(false)) return kMostStreamedRows;
  return WideningTilesOf<T>(contraction) != nullptr ? kRowsInPlace : 0;
}

}  // namespace

template <typename T>
bool IsStreamed(const Contraction& contraction) {
  const PrimitiveType right = contraction.types[kRight];
  const int64_t groups = Count(contraction.groups), rows = Count(contraction.rows),
                columns = Count(contraction.columns), depth = Count(contraction.depth);
  return contraction.instruction_set != codegen::InstructionSet::kAmx &&
         contraction.ComesFromMemory() && groups > 0 &&
         (groups == 1 || contraction.bounds.empty()) && rows > 0 &&
         rows <= MostRows<T>(contraction) &&
         columns >= std::max(kLeastStreamedColumns, rows * kLeastColumnsForARow) &&
         depth >= kLeastStreamedDepth &&
         columns * depth * primitive_util::ByteWidth(right) >= kLeastRightBytes &&
         IsRightMatrix(contraction) && HasRowsOfResult(contraction) &&
         CopyElementsOf<T>(contraction.types[kLeft], contraction.instruction_set) != nullptr &&
         StoreElementsOf<T>(contraction.types[kResult], contraction.instruction_set) != nullptr;
}

template <typename T>
std::unique_ptr<Product> MakeStreamedProduct(const Contraction& contraction) {
  return std::make_unique<StreamedProduct<T>>(contraction);
}

template bool IsStreamed<float>(const Contraction&);
template bool IsStreamed<double>(const Contraction&);
template std::unique_ptr<Product> MakeStreamedProduct<float>(const Contraction&);
template std::unique_ptr<Product> MakeStreamedProduct<double>(const Contraction&);

}  // namespace xla::cpu
