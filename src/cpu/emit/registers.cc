#include "cpu/emit/registers.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/numeric/bits.h"
#include "base/status_macros.h"
#include "codegen/program/register_form.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/scalar_function.h"
#include "ir/index_map.h"
#include "ir/records.h"
#include "llvm/IR/Function.h"
#include "passes/cost.h"
#include "passes/reducer.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/index_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Functions that cost as much may have several blocks of code.
constexpr double kPartedCost = 2;
constexpr int kSums = 4;
// Sums of fewer products are computed one after the other.
constexpr int64_t kMinHalved = 4;

using Index = std::vector<int64_t>;

int64_t Count(const Shape& shape) { return ShapeUtil::ElementsIn(shape); }

int64_t Number(const Shape& shape, absl::Span<const int64_t> index) {
  int64_t number = 0;
  for (int d = 0; d < shape.dimensions_size(); ++d)
    number = number * shape.dimensions(d) + index[d];
  return number;
}

// Calls visit(index) for all indices in row-major order.
void ForEachIndexOf(const Shape& shape, absl::FunctionRef<void(const Index&)> visit) {
  Index index(shape.dimensions_size(), 0);
  const int64_t count = Count(shape);
  for (int64_t n = 0; n < count; ++n) {
    visit(index);
    for (int d = shape.dimensions_size() - 1; d >= 0; --d) {
      if (++index[d] < shape.dimensions(d)) break;
      index[d] = 0;
    }
  }
}

// How many lanes a vector has in whole registers: LLVM passes vectors of other numbers of elements,
// if they are wider than a register, from block to block as that many scalars.
int LanesOfRegisters(const Builder& b, const llvm::Type* type) {
  const int lanes = LaneCount(type);
  const int bits = std::max<int>(8, static_cast<int>(type->getScalarSizeInBits()));
  const int whole = static_cast<int>(absl::bit_ceil(static_cast<unsigned>(lanes)));
  return whole * bits > b.target().vector_bits ? whole : lanes;
}

// Lanes lanes[0], lanes[1], ... of the value.
llvm::Value* Pick(Builder& b, llvm::Value* value, const std::vector<int>& lanes) {
  if (value == nullptr) return nullptr;
  const int count = LaneCount(value->getType());
  if (count == 1) {
    return lanes.size() == 1 ? value
                             : b.CreateVectorSplat(static_cast<unsigned>(lanes.size()), value);
  }
  if (lanes.size() == 1) return b.CreateExtractElement(value, static_cast<uint64_t>(lanes[0]));
  bool same = static_cast<int>(lanes.size()) == count;
  for (size_t i = 0; same && i < lanes.size(); ++i) same = lanes[i] == static_cast<int>(i);
  return same ? value : b.CreateShuffleVector(value, lanes);
}

Lanes Pick(Builder& b, const Lanes& value, const std::vector<int>& lanes) {
  return {Pick(b, value.re, lanes), Pick(b, value.im, lanes)};
}

// Lanes of the values one after the other.
llvm::Value* Join(Builder& b, absl::Span<llvm::Value* const> values) {
  std::vector<llvm::Value*> parts(values.begin(), values.end());
  if (parts[0] == nullptr) return nullptr;
  llvm::Type* element = parts[0]->getType()->getScalarType();
  int total = 0;
  for (llvm::Value* part : parts) total += LaneCount(part->getType());
  if (total == 1) return parts[0];
  llvm::Value* result = llvm::PoisonValue::get(WithLanes(element, total));
  int start = 0;
  for (llvm::Value* part : parts) {
    const int count = LaneCount(part->getType());
    if (count == 1) {
      result = b.CreateInsertElement(result, part, static_cast<uint64_t>(start));
    } else {
      std::vector<int> widen(total, -1), blend(total);
      std::iota(blend.begin(), blend.end(), 0);
      for (int i = 0; i < count; ++i) widen[start + i] = i, blend[start + i] = total + start + i;
      result = b.CreateShuffleVector(result, b.CreateShuffleVector(part, widen), blend);
    }
    start += count;
  }
  return result;
}

Lanes Join(Builder& b, absl::Span<const Lanes> values) {
  std::vector<llvm::Value*> re, im;
  for (const Lanes& value : values) re.push_back(value.re), im.push_back(value.im);
  return {Join(b, re), Join(b, im)};
}

llvm::Value* AllocateOnStack(Builder& b, const Shape& shape) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  Builder at_entry(&function->getEntryBlock(), function->getEntryBlock().begin(), b);
  llvm::AllocaInst* memory = at_entry.CreateAlloca(
      at_entry.getInt8Ty(), at_entry.getInt64(static_cast<uint64_t>(ShapeUtil::ByteSizeOf(shape))));
  memory->setAlignment(llvm::Align(64));
  return memory;
}

// Moves elements to where index maps say.
Lanes Rearrange(Builder& b, const HloInstruction& instruction, absl::Span<const Lanes> operands) {
  struct Source {
    IndexMap map;
    const Shape& shape;
    int start;
  };
  std::vector<Source> sources;
  std::vector<Lanes> present;
  int start = 0;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const Shape& shape = instruction.operand(k)->shape();
    if (Count(shape) == 0) continue;
    sources.push_back({*OperandMap(instruction, k), shape, start});
    present.push_back(operands[k]);
    start += static_cast<int>(Count(shape));
  }
  std::vector<int> lanes;
  ForEachIndexOf(instruction.shape(), [&](const Index& index) {
    const auto source = absl::c_find_if(sources, [&](const Source& each) {
      return absl::c_all_of(each.map.guards, [&](const IndexMap::Guard& guard) {
        const int64_t at = guard.expr.Evaluate(index);
        return at >= guard.begin && at < guard.end;
      });
    });
    Index from;
    for (const IndexExpr& expr : source->map.results) from.push_back(expr.Evaluate(index));
    lanes.push_back(source->start + static_cast<int>(Number(source->shape, from)));
  });
  return Pick(b, present.size() == 1 ? present[0] : Join(b, present), lanes);
}

// Folds `steps` values of `results` lanes each, which lie one after the other: what lies behind the
// largest power of two with what lies before it, since halves of registers are at hand.
using Combine = absl::FunctionRef<absl::StatusOr<Lanes>(const Lanes&, const Lanes&)>;
absl::StatusOr<Lanes> FoldHalves(Builder& b, Lanes values, int steps, int results,
                                 Combine combine) {
  const auto part = [&](int first, int count) {
    std::vector<int> lanes(count * results);
    absl::c_iota(lanes, first * results);
    return Pick(b, values, lanes);
  };
  while (steps > 1) {
    const int half = static_cast<int>(absl::bit_floor(static_cast<uint32_t>(steps - 1)));
    const int pairs = steps - half;
    HILO_ASSIGN_OR_RETURN(const Lanes sums, combine(part(0, pairs), part(half, pairs)));
    values = pairs == half ? sums : Join(b, {sums, part(pairs, half - pairs)});
    steps = half;
  }
  return values;
}

// One result per group of operand elements.
absl::StatusOr<Lanes> Reduce(Builder& b, const HloInstruction& instruction,
                             absl::Span<const Lanes> operands) {
  const Shape& input = instruction.operand(0)->shape();
  const int results = static_cast<int>(Count(instruction.shape()));
  const int steps = static_cast<int>(Count(input)) / results;
  std::vector<int> lanes(steps * results);  // those of the first step, of the second, ...
  std::vector<int> filled(results);
  ForEachIndexOf(input, [&](const Index& index) {
    Index kept;
    for (int64_t d = 0; d < input.dimensions_size(); ++d) {
      if (!absl::c_linear_search(instruction.dimensions(), d)) kept.push_back(index[d]);
    }
    const int result = static_cast<int>(Number(instruction.shape(), kept));
    lanes[filled[result]++ * results + result] = static_cast<int>(Number(input, index));
  });
  const auto apply = [&](const Lanes& x, const Lanes& y) -> absl::StatusOr<Lanes> {
    HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> value,
                          ApplyScalarFunction(b, *instruction.to_apply(), {x, y}));
    return value[0];
  };
  Lanes running = Splat(b, operands[1], results);
  const HloInstruction& combiner = *instruction.to_apply()->root_instruction();
  const bool folds_in_any_order = passes::IsAssociative(*instruction.to_apply());
  if (results == 1 && input.element_type() == PRED && folds_in_any_order) {
    llvm::Value* mask = b.CreateBitCast(operands[0].re, b.getIntNTy(static_cast<unsigned>(steps)));
    if (combiner.opcode() == HloOpcode::kOr) return apply(running, {b.CreateIsNotNull(mask)});
    if (combiner.opcode() == HloOpcode::kAnd)
      return apply(running, {b.CreateIsNull(b.CreateNot(mask))});
  }
  if (folds_in_any_order) {
    HILO_ASSIGN_OR_RETURN(const Lanes all,
                          FoldHalves(b, Pick(b, operands[0], lanes), steps, results, apply));
    return apply(running, all);
  }
  for (int step = 0; step < steps; ++step) {
    const auto first = lanes.begin() + step * results;
    HILO_ASSIGN_OR_RETURN(
        running, apply(running, Pick(b, operands[0], std::vector<int>(first, first + results))));
  }
  return running;
}

absl::StatusOr<Lanes> Dot(Builder& b, const HloInstruction& instruction,
                          absl::Span<const Lanes> operands) {
  const auto& dimensions = instruction.attributes_as<DotAttributes>();
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const PrimitiveType type = instruction.shape().element_type();
  // Lanes of both sides for each step of the sum.
  std::vector<std::vector<int>> left, right;
  int64_t steps = 1;
  for (int64_t d : dimensions.lhs_contracting) steps *= lhs.dimensions(d);
  left.resize(steps);
  right.resize(steps);
  const auto is_in = [](const auto& list, int64_t d) { return absl::c_linear_search(list, d); };
  ForEachIndexOf(instruction.shape(), [&](const Index& index) {
    Index l(lhs.dimensions_size(), 0), r(rhs.dimensions_size(), 0);
    size_t at = 0;
    for (size_t k = 0; k < dimensions.lhs_batch.size(); ++k, ++at)
      l[dimensions.lhs_batch[k]] = r[dimensions.rhs_batch[k]] = index[at];
    for (int64_t d = 0; d < lhs.dimensions_size(); ++d) {
      if (!is_in(dimensions.lhs_batch, d) && !is_in(dimensions.lhs_contracting, d))
        l[d] = index[at++];
    }
    for (int64_t d = 0; d < rhs.dimensions_size(); ++d) {
      if (!is_in(dimensions.rhs_batch, d) && !is_in(dimensions.rhs_contracting, d))
        r[d] = index[at++];
    }
    for (int64_t step = 0; step < steps; ++step) {
      int64_t rest = step;
      for (size_t k = dimensions.lhs_contracting.size(); k-- > 0;) {
        const int64_t size = lhs.dimensions(dimensions.lhs_contracting[k]);
        l[dimensions.lhs_contracting[k]] = r[dimensions.rhs_contracting[k]] = rest % size;
        rest /= size;
      }
      left[step].push_back(static_cast<int>(Number(lhs, l)));
      right[step].push_back(static_cast<int>(Number(rhs, r)));
    }
  });
  Lanes sum = IntegerConstant(b, type, 0, static_cast<int>(Count(instruction.shape())));
  HILO_ASSIGN_OR_RETURN(const Lanes x, Convert(b, lhs.element_type(), type, operands[0]));
  HILO_ASSIGN_OR_RETURN(const Lanes y, Convert(b, rhs.element_type(), type, operands[1]));
  const int results = static_cast<int>(left[0].size());
  if (steps >= kMinHalved &&
      (results == 1 || steps * results * ComputingBits(type) <= b.target().vector_bits)) {
    const auto join = [](const std::vector<std::vector<int>>& parts) {
      std::vector<int> all;
      for (const std::vector<int>& part : parts) all.insert(all.end(), part.begin(), part.end());
      return all;
    };
    const Lanes products = MultiplyLanes(b, type, Pick(b, x, join(left)), Pick(b, y, join(right)));
    HILO_ASSIGN_OR_RETURN(
        sum, FoldHalves(b, products, static_cast<int>(steps), results,
                        [&](const Lanes& low, const Lanes& high) -> absl::StatusOr<Lanes> {
                          return AddLanes(b, type, low, high);
                        }));
    return Round(b, type, sum);
  }
  for (int64_t step = 0; step < steps; ++step) {
    const Lanes product = MultiplyLanes(b, type, Pick(b, x, left[step]), Pick(b, y, right[step]));
    sum = step == 0 ? product : AddLanes(b, type, sum, product);
  }
  return Round(b, type, sum);
}

// ---- Products of a vector in registers and a matrix in memory

// A matrix in memory, of floats or doubles.
struct MemoryMatrix {
  Builder& b;
  const HloInstruction& instruction;
  llvm::Value* memory;

  PrimitiveType type() const { return instruction.shape().element_type(); }
  int rows() const { return static_cast<int>(instruction.shape().dimensions(0)); }
  int columns() const { return static_cast<int>(instruction.shape().dimensions(1)); }
  int lanes() const { return b.target().vector_bits / ComputingBits(type()); }
  int vectors_of_row() const { return CeilOfRatio(columns(), lanes()); }
  // Code for more vectors is a loop over rows.
  bool IsLarge() const {
    constexpr int kMaxVectors = 24;
    return rows() * vectors_of_row() > kMaxVectors;
  }

  // Rows of less than a vector are multiplied several at once.
  int rows_at_once() const {
    return columns() >= lanes() ? 1 : static_cast<int>(passes::kMaxRegisterElements) / columns();
  }

  // So many elements from a column of a row on.
  Lanes Load(llvm::Value* row, int column, int count, llvm::Value* mask = nullptr) const {
    llvm::Value* place = b.CreateAdd(b.CreateMul(row, Number(columns())), Number(column));
    llvm::Value* first = b.CreateGEP(MemoryType(b.getContext(), type()), memory, place);
    return cpu::Load(b, type(), first, 1, count, mask);
  }
  llvm::Value* Number(int number) const { return b.getInt64(static_cast<uint64_t>(number)); }
  Lanes Add(const Lanes& x, const Lanes& y) const { return AddLanes(b, type(), x, y); }
  Lanes Multiply(const Lanes& x, const Lanes& y) const { return MultiplyLanes(b, type(), x, y); }
  absl::StatusOr<Lanes> Fold(const Lanes& values, int steps, int results) const {
    return FoldHalves(
        b, values, steps, results,
        [&](const Lanes& x, const Lanes& y) -> absl::StatusOr<Lanes> { return Add(x, y); });
  }
};

// Rows times numbers, in several sums, which are dependence chains of their own.
Lanes SumOfRows(const MemoryMatrix& matrix, const Lanes& vector) {
  Lanes sums[kSums];
  for (int row = 0; row < matrix.rows(); ++row) {
    Lanes& sum = sums[row % kSums];
    const Lanes number = Pick(matrix.b, vector, std::vector<int>(matrix.columns(), row));
    const Lanes product =
        matrix.Multiply(number, matrix.Load(matrix.Number(row), 0, matrix.columns()));
    sum = sum ? matrix.Add(sum, product) : product;
  }
  for (int i = 1; i < std::min(matrix.rows(), kSums); ++i) sums[0] = matrix.Add(sums[0], sums[i]);
  return sums[0];
}

// The same as a loop, in whole vectors: what is behind a row is read as well, but for the last
// ones.
absl::StatusOr<Lanes> SumOfRowsInLoop(const MemoryMatrix& matrix, const Shape& shape,
                                      const Lanes& vector) {
  constexpr int kAccumulators = 8;
  Builder& b = matrix.b;
  const PrimitiveType type = matrix.type();
  const int lanes = matrix.lanes(), vectors = matrix.vectors_of_row();
  const int tail = matrix.columns() - (vectors - 1) * lanes;
  const int count = std::clamp(kAccumulators / vectors, 1, kSums);
  const int whole = matrix.rows() - CeilOfRatio(lanes - tail, matrix.columns());
  const int end = whole / count * count;
  llvm::Value* numbers = OnStack(b, shape, vector);
  // Adds a row's products to vectors of one sum.
  const auto add_row = [&](llvm::Value* row, llvm::Value* mask_of_tail, llvm::Value** sums) {
    llvm::Value* place = b.CreateGEP(MemoryType(b.getContext(), type), numbers, row);
    const Lanes number = Load(b, type, place, 0, lanes, nullptr);
    for (int v = 0; v < vectors; ++v) {
      const Lanes part =
          matrix.Load(row, v * lanes, lanes, v + 1 < vectors ? nullptr : mask_of_tail);
      sums[v] = matrix.Add({sums[v]}, matrix.Multiply(number, part)).re;
    }
  };
  HILO_ASSIGN_OR_RETURN(Carried sums,
                        EmitLoop(b, matrix.Number(0), matrix.Number(end), count,
                                 Carried(count * vectors, RealConstant(b, type, 0, lanes)),
                                 [&](llvm::Value* row, Carried carried) -> absl::StatusOr<Carried> {
                                   for (int i = 0; i < count; ++i) {
                                     add_row(b.CreateAdd(row, matrix.Number(i)), nullptr,
                                             carried.data() + i * vectors);
                                   }
                                   return carried;
                                 }));
  for (int i = 1; i < count; ++i) {
    for (int v = 0; v < vectors; ++v) sums[v] = matrix.Add({sums[v]}, {sums[i * vectors + v]}).re;
  }
  for (int row = end; row < matrix.rows(); ++row) {
    add_row(matrix.Number(row), row < whole ? nullptr : FirstLanes(b, lanes, tail), sums.data());
  }
  std::vector<int> picked(matrix.columns());
  absl::c_iota(picked, 0);
  const Lanes sum = {Join(b, absl::MakeConstSpan(sums).first(vectors))};
  return Pick(b, sum, picked);
}

// The sum of products of a row, in whole vectors, with the vector in registers.
absl::StatusOr<Lanes> DotOfRow(const MemoryMatrix& matrix, const Lanes& vector, llvm::Value* row) {
  Builder& b = matrix.b;
  const int lanes = matrix.lanes();
  Lanes sum;
  for (int first = 0; first < matrix.columns(); first += lanes) {
    const int count = std::min(lanes, matrix.columns() - first);
    llvm::Value* mask = count == lanes ? nullptr : FirstLanes(b, lanes, count);
    std::vector<int> own(lanes, -1);
    std::iota(own.begin(), own.begin() + count, first);
    Lanes product = matrix.Multiply(Pick(b, vector, own), matrix.Load(row, first, lanes, mask));
    if (mask != nullptr)
      product = SelectLanes(b, mask, product, {RealConstant(b, matrix.type(), 0, lanes)});
    sum = sum ? matrix.Add(sum, product) : product;
  }
  return matrix.Fold(sum, lanes, 1);
}

// Of `some` rows.
absl::StatusOr<Lanes> DotsOfRows(const MemoryMatrix& matrix, const Lanes& vector, llvm::Value* row,
                                 int some) {
  if (matrix.rows_at_once() == 1) return DotOfRow(matrix, vector, row);
  const int columns = matrix.columns();
  std::vector<int> repeated, by_columns;
  for (int i = 0; i < some * columns; ++i) {
    repeated.push_back(i % columns);
    by_columns.push_back(i % some * columns + i / some);
  }
  const Lanes products =
      matrix.Multiply(Pick(matrix.b, vector, repeated), matrix.Load(row, 0, some * columns));
  return matrix.Fold(Pick(matrix.b, products, by_columns), columns, some);
}

absl::StatusOr<Lanes> DotsWithRows(const MemoryMatrix& matrix, const Shape& result,
                                   const Lanes& vector) {
  Builder& b = matrix.b;
  const int most = matrix.rows_at_once();
  std::vector<Lanes> parts;
  int first = 0;  // row behind those of the loop
  if (matrix.IsLarge()) {
    first = matrix.rows() / most * most;
    llvm::Value* dots = AllocateOnStack(b, result);
    HILO_RETURN_IF_ERROR(EmitLoop(
        b, matrix.Number(0), matrix.Number(first), most, [&](llvm::Value* row) -> absl::Status {
          HILO_ASSIGN_OR_RETURN(const Lanes some, DotsOfRows(matrix, vector, row, most));
          llvm::Value* place = b.CreateGEP(MemoryType(b.getContext(), matrix.type()), dots, row);
          Store(b, matrix.type(), some, place, 1, nullptr);
          return absl::OkStatus();
        }));
    parts.push_back(Load(b, matrix.type(), dots, 1, first, nullptr));
  }
  for (int row = first; row < matrix.rows(); row += most) {
    const int some = std::min(most, matrix.rows() - row);
    HILO_ASSIGN_OR_RETURN(parts.emplace_back(),
                          DotsOfRows(matrix, vector, matrix.Number(row), some));
  }
  return Join(b, parts);
}

absl::StatusOr<Lanes> MatrixVectorProduct(Builder& b, const HloInstruction& dot, int matrix,
                                          const Lanes& vector, llvm::Value* memory) {
  const auto& dimensions = dot.attributes_as<DotAttributes>();
  const MemoryMatrix own = {b, *dot.operand(matrix), memory};
  if ((matrix == 0 ? dimensions.lhs_contracting[0] : dimensions.rhs_contracting[0]) != 0)
    return DotsWithRows(own, dot.shape(), vector);
  if (!own.IsLarge()) return SumOfRows(own, vector);
  return SumOfRowsInLoop(own, dot.operand(1 - matrix)->shape(), vector);
}

// ---- Windows that start at indices known only at run time

// Elements lie behind one another if the window has the array's last dimensions whole.
bool IsRun(absl::Span<llvm::Constant* const> places) {
  const auto number = [](const llvm::Constant* place) {
    return llvm::cast<llvm::ConstantInt>(place)->getSExtValue();
  };
  return number(places.back()) - number(places.front()) + 1 == static_cast<int64_t>(places.size());
}

// The elements of a window of an array in memory that starts at indices known only at run time.
struct RegisterWindow {
  llvm::Value* first;
  std::vector<llvm::Constant*> places;  // from `first` on

  RegisterWindow(Builder& b, const HloInstruction& instruction, const Shape& window,
                 int64_t first_index, absl::Span<const Lanes> operands, llvm::Value* memory) {
    const Shape& array = instruction.operand(0)->shape();
    const PrimitiveType type = array.element_type();
    llvm::Value* offset = b.getInt64(0);
    int64_t stride = 1;
    for (int d = array.dimensions_size() - 1; d >= 0; --d) {
      const int64_t most = array.dimensions(d) - window.dimensions(d);
      const int64_t index = first_index + d;
      if (most > 0) {
        llvm::Value* start = ClampStart(b, instruction.operand(index)->shape().element_type(),
                                        operands[index], most);
        offset = b.CreateAdd(offset, b.CreateMul(start, b.getInt64(static_cast<uint64_t>(stride))));
      }
      stride *= array.dimensions(d);
    }
    first = b.CreateGEP(MemoryType(b.getContext(), type), memory,
                        primitive_util::IsComplexType(type) ? b.CreateShl(offset, 1) : offset);
    ForEachIndexOf(window, [&](const Index& index) {
      places.push_back(b.getInt64(static_cast<uint64_t>(Number(array, index))));
    });
  }
};

Lanes DynamicSlice(Builder& b, const HloInstruction& instruction, absl::Span<const Lanes> operands,
                   llvm::Value* memory) {
  const PrimitiveType type = instruction.shape().element_type();
  const RegisterWindow window(b, instruction, instruction.shape(), 1, operands, memory);
  const int lanes = static_cast<int>(window.places.size());
  if (IsRun(window.places)) return Load(b, type, window.first, 1, lanes, nullptr);
  return Gather(b, type, window.first, llvm::ConstantVector::get(window.places), nullptr);
}

// A window that along each dimension has one element or all is where the lanes' numbers, counted
// along the former, are those of its start.
bool HasRowsOnly(const Shape& array, const Shape& window) {
  for (int d = 0; d < array.dimensions_size(); ++d) {
    if (window.dimensions(d) != 1 && window.dimensions(d) != array.dimensions(d)) return false;
  }
  return true;
}

Lanes UpdateRows(Builder& b, const HloInstruction& instruction, absl::Span<const Lanes> operands) {
  const Shape& shape = instruction.shape();
  const Shape& window = instruction.operand(1)->shape();
  llvm::Value* row = b.getInt32(0);
  for (int d = 0; d < shape.dimensions_size(); ++d) {
    if (window.dimensions(d) == shape.dimensions(d)) continue;
    llvm::Value* start = ClampStart(b, instruction.operand(2 + d)->shape().element_type(),
                                    operands[2 + d], shape.dimensions(d) - 1);
    row = b.CreateAdd(b.CreateMul(row, b.getInt32(static_cast<uint32_t>(shape.dimensions(d)))),
                      b.CreateTrunc(start, b.getInt32Ty()));
  }
  std::vector<int> lanes;
  std::vector<llvm::Constant*> rows;
  ForEachIndexOf(shape, [&](Index index) {
    int64_t number = 0;
    for (int d = 0; d < shape.dimensions_size(); ++d) {
      if (window.dimensions(d) == shape.dimensions(d)) continue;
      number = number * shape.dimensions(d) + index[d];
      index[d] = 0;
    }
    rows.push_back(b.getInt32(static_cast<uint32_t>(number)));
    lanes.push_back(static_cast<int>(Number(window, index)));
  });
  llvm::Value* here = b.CreateICmpEQ(Splat(b, {row}, static_cast<int>(rows.size())).re,
                                     llvm::ConstantVector::get(rows));
  return SelectLanes(b, here, Pick(b, operands[1], lanes), operands[0]);
}

Lanes DynamicUpdateSlice(Builder& b, const HloInstruction& instruction,
                         absl::Span<const Lanes> operands) {
  const Shape& shape = instruction.shape();
  const PrimitiveType type = shape.element_type();
  if (ShapeUtil::SameDimensions(shape, instruction.operand(1)->shape())) return operands[1];
  if (HasRowsOnly(shape, instruction.operand(1)->shape()))
    return UpdateRows(b, instruction, operands);
  llvm::Value* memory = OnStack(b, shape, operands[0]);
  const RegisterWindow window(b, instruction, instruction.operand(1)->shape(), 2, operands, memory);
  if (IsRun(window.places)) {
    Store(b, type, operands[1], window.first, 1, nullptr);
  } else {
    for (size_t i = 0; i < window.places.size(); ++i) {
      llvm::Value* place = window.places[i];
      if (primitive_util::IsComplexType(type)) place = b.CreateShl(place, 1);
      Store(b, type, Pick(b, operands[1], {static_cast<int>(i)}),
            b.CreateGEP(MemoryType(b.getContext(), type), window.first, place), 1, nullptr);
    }
  }
  return Load(b, type, memory, 1, static_cast<int>(Count(shape)), nullptr);
}

// The same bits as another vector of integers. LLVM has no instruction that makes a half float a
// mask of 16 lanes or the other way.
llvm::Value* Regroup(Builder& b, llvm::Value* bits, llvm::Type* to) {
  constexpr int kLanes = 16;
  llvm::Type* mask = WithLanes(b.getInt1Ty(), kLanes);
  if (to == mask && bits->getType()->isIntegerTy()) {
    llvm::Value* all = b.CreateVectorSplat(kLanes, b.CreateZExt(bits, b.getInt64Ty()));
    return b.CreateTrunc(b.CreateLShr(all, LaneNumbers(b, kLanes)), mask);
  }
  if (bits->getType() == mask && to->isIntegerTy()) {
    llvm::SmallVector<int, 2 * kLanes> lanes(kLanes);
    std::iota(lanes.begin(), lanes.end(), 0);
    lanes.append(kLanes, kLanes);
    llvm::Value* wide = b.CreateShuffleVector(bits, llvm::Constant::getNullValue(mask), lanes);
    return b.CreateTrunc(b.CreateBitCast(wide, b.getInt32Ty()), to);
  }
  return b.CreateBitCast(bits, to);
}

}  // namespace

llvm::Value* OnStack(Builder& b, const Shape& shape, const Lanes& value) {
  llvm::Value* memory = AllocateOnStack(b, shape);
  Store(b, shape.element_type(), value, memory, 1, nullptr);
  return memory;
}

absl::StatusOr<Lanes> EmitInRegisters(Builder& b, const HloInstruction& instruction,
                                      absl::Span<const Lanes> operands, llvm::Value* memory) {
  const int lanes = static_cast<int>(Count(instruction.shape()));
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kPad:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return Rearrange(b, instruction, operands);
    case HloOpcode::kBitcastConvert: {
      if (LaneCount(operands[0]) == lanes) break;
      const PrimitiveType type = instruction.shape().element_type();
      llvm::Type* element = b.getIntNTy(primitive_util::StorageBitWidth(type));
      llvm::Value* bits = ToBits(b, instruction.operand(0)->shape().element_type(), operands[0]);
      return FromBits(b, type, Regroup(b, bits, WithLanes(element, lanes)));
    }
    case HloOpcode::kDot:
      if (memory == nullptr) return Dot(b, instruction, operands);
      return operands[0] ? MatrixVectorProduct(b, instruction, 1, operands[0], memory)
                         : MatrixVectorProduct(b, instruction, 0, operands[1], memory);
    case HloOpcode::kDynamicSlice:
      return DynamicSlice(b, instruction, operands, memory);
    case HloOpcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(b, instruction, operands);
    case HloOpcode::kIota: {
      const int64_t dimension = instruction.attributes_as<IotaAttributes>().iota_dimension;
      std::vector<llvm::Constant*> numbers;
      ForEachIndexOf(instruction.shape(), [&](const Index& index) {
        numbers.push_back(b.getInt64(static_cast<uint64_t>(index[dimension])));
      });
      return ConvertInteger(
          b,
          lanes == 1 ? static_cast<llvm::Value*>(numbers[0]) : llvm::ConstantVector::get(numbers),
          instruction.shape().element_type());
    }
    case HloOpcode::kReduce:
      return Reduce(b, instruction, operands);
    default:
      break;
  }
  std::vector<Lanes> same;
  for (const Lanes& operand : operands)
    same.push_back(LaneCount(operand) == lanes ? operand : Splat(b, operand, lanes));
  if (LanesOfRegisters(b, same[0].re->getType()) == lanes ||
      passes::CostOfElement(instruction) < kPartedCost)
    return Elementwise(b, instruction, same);
  // In parts that blocks of their code can pass to each other.
  std::vector<Lanes> parts;
  for (int first = 0; first < lanes; first += LaneCount(parts.back())) {
    std::vector<int> some(absl::bit_floor(static_cast<unsigned>(lanes - first)));
    absl::c_iota(some, first);
    std::vector<Lanes> own;
    for (const Lanes& operand : same) own.push_back(Pick(b, operand, some));
    HILO_ASSIGN_OR_RETURN(parts.emplace_back(), Elementwise(b, instruction, own));
  }
  return Join(b, parts);
}

Lanes ToPassed(Builder& b, const Lanes& value) {
  if (llvm::Value* bytes = PassedMask(b, value.re); bytes != value.re) return ToPassed(b, {bytes});
  const int lanes = LanesOfRegisters(b, value.re->getType());
  if (lanes == LaneCount(value)) return value;
  const auto widen = [&](llvm::Value* part) -> llvm::Value* {
    if (part == nullptr) return nullptr;
    llvm::Type* type = WithLanes(part->getType()->getScalarType(), lanes);
    return b.CreateInsertVector(type, llvm::PoisonValue::get(type), part, uint64_t{0});
  };
  return {widen(value.re), widen(value.im)};
}

Lanes FromPassed(Builder& b, const Shape& shape, const Lanes& passed) {
  const int lanes = static_cast<int>(Count(shape));
  const auto narrow = [&](llvm::Value* part) -> llvm::Value* {
    if (part == nullptr || lanes == LaneCount(passed)) return part;
    return b.CreateExtractVector(WithLanes(part->getType()->getScalarType(), lanes), part,
                                 uint64_t{0});
  };
  const Lanes value = {narrow(passed.re), narrow(passed.im)};
  return shape.element_type() == PRED ? Lanes{MaskOfPassed(b, value.re)} : value;
}

Lanes LiteralLanes(Builder& b, const LiteralSlice& literal) {
  const Shape& shape = literal.shape();
  std::vector<Lanes> elements;
  ForEachIndexOf(shape, [&](const Index& index) {
    const PrimitiveType type = shape.element_type();
    if (primitive_util::IsComplexType(type)) {
      const complex128 number = *literal.GetAsComplex128(index);
      elements.push_back(
          {RealConstant(b, type, number.real(), 1), RealConstant(b, type, number.imag(), 1)});
    } else if (primitive_util::IsFloatingPointType(type)) {
      elements.push_back({RealConstant(b, type, literal.GetAsComplex128(index)->real(), 1)});
    } else if (type == U64) {
      elements.push_back(
          IntegerConstant(b, type, static_cast<int64_t>(literal.Get<uint64_t>(index)), 1));
    } else {
      elements.push_back(IntegerConstant(b, type, *literal.GetIntegralAsS64(index), 1));
    }
  });
  return Join(b, elements);
}

}  // namespace xla::cpu
