#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "codegen/loops/schedule.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/kernel_set.h"
#include "cpu/emit/level.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/reduction.h"
#include "cpu/emit/scatter.h"
#include "cpu/emit/split_vectors.h"
#include "cpu/emit/tiles.h"
#include "cpu/kernels/epilogue.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

using loops::Node;

Shape TileShape(const HloInstruction& instruction, int64_t rows, int64_t columns) {
  return ShapeUtil::MakeShape(instruction.shape().element_type(), {rows, columns});
}

// Where a node's code goes, and for which elements.
struct Place {
  Level& level;
  Position position;
  llvm::Value* begin = nullptr;  // the strip along vectors, unless it is all of them
  llvm::Value* end = nullptr;
  llvm::Value* mask = nullptr;
  int lanes = 1;
  int64_t elements = 1;  // of the lanes, those that are inside

  Place In(Level& inner) const { return {inner, position, begin, end, mask, lanes, elements}; }
  void Bind(int d, const Coordinate& x) {
    if (static_cast<int>(position.size()) <= d) position.resize(d + 1);
    position[d] = x;
  }
  Position At(const std::vector<int>& dimensions) const {
    Position chosen;
    for (int d : dimensions) chosen.push_back(position[d]);
    return chosen;
  }
};

class ElementKernel : private Elements::Memo {
 public:
  // A function of type HiloKernel, whose arrays are the parameters of the computation and then its
  // results.
  ElementKernel(Unit& unit, const loops::Kernel& kernel, const std::string& name);

  absl::Status Emit();

 private:
  absl::Span<llvm::Value* const> results() const {
    return absl::MakeConstSpan(arrays_).subspan(computation_.num_parameters());
  }
  llvm::Value* Number(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }
  llvm::Value* Scratch(int64_t bytes);

  // ---- One for each kind of node
  absl::Status EmitAll(const std::vector<Node>& nodes, const Place& place);
  absl::Status EmitGrid(const Node& node, Level& level);
  void BindUnit(const Node& node, size_t first, absl::Span<llvm::Value* const> indices,
                Place& place);
  absl::Status EmitUnits(const Node& node, const Place& around, absl::Span<const int64_t> counts,
                         size_t first, llvm::Value* begin, llvm::Value* end);
  absl::Status EmitProduct(const Node& node, Level& level);
  absl::Status EmitWhen(const Node& node, const Place& place);
  absl::Status EmitVector(const Node& node, const Place& place);
  absl::Status EmitTile(const Node& node, const Place& place);
  absl::Status EmitReduce(const Node& node, const Place& place);
  absl::Status EmitScan(const Node& node, const Place& place);
  absl::Status EmitScatter(const Node& node, const Place& place);
  absl::Status EmitStore(const Node& node, const Place& place);

  Position Unmerged(const Node& node, Level& level, llvm::Value* number, int lanes) const;
  absl::Status EmitTransposed(const Node& tile, const HloInstruction& transpose,
                              const Place& place);
  absl::Status EmitUpdate(const HloInstruction& root, const Place& place);
  Elements::Leaf OwnLeaf();

  // ---- Values that are kept in memory
  PrimitiveType KeptType(const HloInstruction& instruction) {
    const PrimitiveType type = instruction.shape().element_type();
    return type == BF16 && KeepsExcessPrecision(b_) ? F32 : type;
  }
  bool IsOfThisRow(const HloInstruction& instruction, const Position& position) const;
  Lanes Recall(Builder& b, int lanes, const HloInstruction& instruction, const Position& position,
               llvm::Value* mask) override;
  void Remember(Builder& b, const HloInstruction& instruction, const Position& position,
                const Lanes& value, llvm::Value* mask) override;

  const loops::Kernel& kernel_;
  const HloComputation& computation_;
  Builder b_;
  llvm::Function* function_;
  llvm::Value* begin_;  // the first of the units
  llvm::Value* end_;
  std::vector<llvm::Value*> arrays_;
  std::vector<LoopRange> ranges_;   // of each dimension, in which loops along it run
  const Node* row_loop_ = nullptr;  // the vector or the reduction that is being emitted
  Position row_;                    // of the unit
  llvm::Value* row_of_sums_ = nullptr;
  llvm::Value* column_ = nullptr;  // of the first lane of what is stored
  absl::flat_hash_map<std::pair<const HloInstruction*, Position>, std::vector<Lanes>> reduced_;
  absl::flat_hash_map<const HloInstruction*, llvm::Value*> scratch_;
  Position starts_;  // of what is scattered

  struct Tile {
    std::vector<Lanes> rows;        // if it is unrolled,
    llvm::Value* memory = nullptr;  // or else rows one after the other,
    int64_t height = 0;             // so many
  };
  absl::flat_hash_map<const HloInstruction*, Tile> tiles_;
  Position in_tile_;
  Coordinate row_in_tile_;
};

ElementKernel::ElementKernel(Unit& unit, const loops::Kernel& kernel, const std::string& name)
    : kernel_(kernel),
      computation_(*kernel.computation),
      b_(unit.module().getContext(), unit.target()) {
  llvm::Type* pointer = b_.getPtrTy();
  llvm::FunctionType* type = llvm::FunctionType::get(
      b_.getVoidTy(), {pointer, b_.getInt64Ty(), b_.getInt64Ty()}, /*isVarArg=*/false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, unit.module());
  KeepExcessPrecision(*function_);
  begin_ = function_->getArg(1);
  end_ = function_->getArg(2);
  b_.SetInsertPoint(llvm::BasicBlock::Create(b_.getContext(), "entry", function_));
  const Shape& result = computation_.root_instruction()->shape();
  const int64_t arrays =
      computation_.num_parameters() + (result.IsTuple() ? result.tuple_shapes_size() : 1);
  for (int64_t i = 0; i < arrays; ++i) {
    arrays_.push_back(
        b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, function_->getArg(0), i)));
  }
}

llvm::Value* ElementKernel::Scratch(int64_t bytes) {
  llvm::AllocaInst* memory = b_.CreateAlloca(b_.getInt8Ty(), Number(bytes));
  memory->setAlignment(llvm::Align(64));
  return memory;
}

absl::Status ElementKernel::Emit() {
  for (const HloInstruction* each : kernel_.scratch) {
    const Shape row = ShapeUtil::MakeShape(KeptType(*each), {kernel_.sizes.back()});
    scratch_[each] = Scratch(ShapeUtil::ByteSizeOf(row) + 64);
  }
  loops::ForEachNode(kernel_, [&](const Node& vector) {
    if (vector.kind != Node::Kind::kVector || vector.body[0].kind != Node::Kind::kTile) return;
    const Node& tile = vector.body[0];
    for (const HloInstruction* transpose : tile.values) {
      auto& [rows, memory, height] = tiles_[transpose];
      height = tile.lanes;
      if (tile.is_unrolled || memory != nullptr) continue;
      memory = Scratch(ShapeUtil::ByteSizeOf(TileShape(*transpose, tile.lanes, vector.lanes)));
    }
  });
  for (int64_t size : kernel_.sizes) ranges_.push_back({Number(0), Number(size)});
  Level level(b_.GetInsertBlock(), b_, 1, OwnLeaf(), this);
  HILO_RETURN_IF_ERROR(EmitAll(kernel_.before, {level}));
  HILO_RETURN_IF_ERROR(kernel_.body[0].kind == Node::Kind::kProduct
                           ? EmitProduct(kernel_.body[0], level)
                           : EmitGrid(kernel_.body[0], level));
  bool is_streamed = false;
  loops::ForEachNode(kernel_, [&](const Node& node) { is_streamed |= node.is_streamed; });
  // Such stores are ordered by nothing else.
  if (is_streamed) {
    level.b.Insert(
        new llvm::FenceInst(b_.getContext(), llvm::AtomicOrdering::SequentiallyConsistent));
  }
  level.b.CreateRetVoid();
  SplitVectors(
      b_, *function_,
      loops::LanesFor(computation_, b_.target().vector_bits, std::numeric_limits<int64_t>::max()));
  return absl::OkStatus();
}

// ---- One for each kind of node

absl::Status ElementKernel::EmitAll(const std::vector<Node>& nodes, const Place& place) {
  for (const Node& node : nodes) {
    switch (node.kind) {
      case Node::Kind::kGrid:
      case Node::Kind::kProduct:
        return Internal("a grid inside of a loop");
      case Node::Kind::kLoop: {
        const auto [begin, end] = ranges_[node.dimensions[0]];
        HILO_RETURN_IF_ERROR(place.level.Loop(begin, end, 1, 1, [&](Level& inner, llvm::Value* i) {
          Place inside = place.In(inner);
          inside.Bind(node.dimensions[0], {i, 0, nullptr, inner.number()});
          return EmitAll(node.body, inside);
        }));
        break;
      }
      case Node::Kind::kVector:
        HILO_RETURN_IF_ERROR(EmitVector(node, place));
        break;
      case Node::Kind::kWhen:
        HILO_RETURN_IF_ERROR(EmitWhen(node, place));
        break;
      case Node::Kind::kTile:
        HILO_RETURN_IF_ERROR(EmitTile(node, place));
        break;
      case Node::Kind::kReduce:
        HILO_RETURN_IF_ERROR(EmitReduce(node, place));
        break;
      case Node::Kind::kScan:
        HILO_RETURN_IF_ERROR(EmitScan(node, place));
        break;
      case Node::Kind::kSelect: {
        HILO_ASSIGN_OR_RETURN(
            (reduced_[{node.values[0], place.position}]),
            SelectInWindows(place.level, *node.values[0], place.At(node.dimensions), place.mask));
        break;
      }
      case Node::Kind::kScatter:
        HILO_RETURN_IF_ERROR(EmitScatter(node, place));
        break;
      case Node::Kind::kStore:
        HILO_RETURN_IF_ERROR(EmitStore(node, place));
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status ElementKernel::EmitGrid(const Node& node, Level& level) {
  if (node.is_range) {
    Place place = {level};
    if (node.strip > 0) {
      place.begin = level.b.CreateMul(begin_, Number(node.strip));
      place.end = level.b.CreateMul(end_, Number(node.strip));
    }
    for (int d : node.dimensions) ranges_[d] = {begin_, end_};
    return EmitAll(node.body, place);
  }
  Sizes counts;
  for (size_t i = 0; i < node.dimensions.size(); ++i)
    counts.push_back((kernel_.sizes[node.dimensions[i]] + node.steps[i] - 1) / node.steps[i]);
  // The strip is the last index of a unit.
  if (node.strip > 0) counts.push_back(loops::Units(kernel_) / Product(counts));
  // Short units along the last dimensions are a loop of their own, in which nothing is divided if
  // that is one dimension.
  constexpr int64_t kLeastUnitsOfRow = 16, kLongUnit = 256;
  const bool is_long =
      Product(kernel_.sizes) / std::max<int64_t>(1, loops::Units(kernel_)) > kLongUnit;
  size_t inner = is_long || counts.empty() ? 0 : counts.size() - 1;
  while (inner > 0 && Product(absl::MakeConstSpan(counts).subspan(inner)) < kLeastUnitsOfRow)
    --inner;
  if (inner == 0) return EmitUnits(node, {level}, counts, 0, begin_, end_);
  const int64_t units_of_row = Product(absl::MakeConstSpan(counts).subspan(inner));
  llvm::Value* units = Number(units_of_row);
  llvm::Value* first_row = level.b.CreateUDiv(begin_, units);
  llvm::Value* end_row =
      level.b.CreateUDiv(level.b.CreateAdd(end_, Number(units_of_row - 1)), units);
  return level.Loop(first_row, end_row, 1, 1, [&](Level& row, llvm::Value* number) {
    Place place = {row};
    BindUnit(node, 0, Delinearize(row.b, number, absl::MakeConstSpan(counts).first(inner)), place);
    llvm::Value* base = row.b.CreateMul(number, units);
    llvm::Value* begin = row.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax,
                                                     row.b.CreateSub(begin_, base), Number(0));
    llvm::Value* end =
        row.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, row.b.CreateSub(end_, base), units);
    return EmitUnits(node, place, counts, inner, begin, end);
  });
}

// Indices of the grid from number `first` on.
void ElementKernel::BindUnit(const Node& node, size_t first, absl::Span<llvm::Value* const> indices,
                             Place& place) {
  Builder& b = place.level.b;
  for (size_t i = first; i < first + indices.size(); ++i) {
    llvm::Value* index = indices[i - first];
    if (i == node.dimensions.size()) {
      place.begin = b.CreateMul(index, Number(node.strip));
      place.end = b.CreateAdd(place.begin, Number(node.strip));
      continue;
    }
    const int d = node.dimensions[i];
    const Coordinate at = {b.CreateMul(index, Number(node.steps[i])), 0, nullptr,
                           place.level.number()};
    place.Bind(d, Elements::Limited(at, 0, kernel_.sizes[d] - 1));
  }
}

// Those whose indices are known up to number `first`.
absl::Status ElementKernel::EmitUnits(const Node& node, const Place& around,
                                      absl::Span<const int64_t> counts, size_t first,
                                      llvm::Value* begin, llvm::Value* end) {
  return around.level.Loop(begin, end, 1, 1, [&](Level& unit, llvm::Value* number) {
    Place place = around.In(unit);
    BindUnit(node, first, Delinearize(unit.b, number, counts.subspan(first)), place);
    row_ = place.position;
    return EmitAll(node.body, place);
  });
}

// Units are rows of a SumBlock, which stands behind the arrays.
absl::Status ElementKernel::EmitProduct(const Node& node, Level& level) {
  Builder& b = level.b;
  llvm::Value* block = b.CreateLoad(
      b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function_->getArg(0), arrays_.size()));
  const auto field = [&](int number, llvm::Type* type) {
    return b.CreateLoad(type, b.CreateConstGEP1_64(b.getInt64Ty(), block, number));
  };
  llvm::Value* sums = field(SumBlock::kSums, b.getPtrTy());
  llvm::Value* sums_stride = field(SumBlock::kSumsStride, b.getInt64Ty());
  llvm::Value* first = field(SumBlock::kFirst, b.getInt64Ty());
  llvm::Value* stride = field(SumBlock::kStride, b.getInt64Ty());
  llvm::Value* columns = field(SumBlock::kColumns, b.getInt64Ty());
  Sizes outer;
  for (int d : node.dimensions) outer.push_back(kernel_.sizes[d]);
  // All rows of a block have the same columns.
  llvm::Value* begin = b.CreateURem(first, Number(kernel_.sizes.back()));
  llvm::Value* end = b.CreateAdd(begin, columns);
  llvm::Value* first_row = b.CreateUDiv(first, Number(kernel_.sizes.back()));
  llvm::Value* step = b.CreateUDiv(stride, Number(kernel_.sizes.back()));
  return level.Loop(begin_, end_, 1, 1, [&](Level& row, llvm::Value* i) {
    Place place = {row};
    place.begin = begin;
    place.end = end;
    llvm::Value* number = row.b.CreateAdd(first_row, row.b.CreateMul(i, step));
    const std::vector<llvm::Value*> indices = Delinearize(row.b, number, outer);
    for (size_t j = 0; j < indices.size(); ++j) {
      place.Bind(node.dimensions[j],
                 Elements::Limited({indices[j], 0, nullptr, row.number()}, 0, outer[j] - 1));
    }
    row_ = place.position;
    llvm::Value* place_of_row = row.b.CreateSub(row.b.CreateMul(i, sums_stride), begin);
    row_of_sums_ = row.b.CreateGEP(
        MemoryType(b.getContext(), TypeOfSums(node.values[0]->shape().element_type())), sums,
        place_of_row);
    return EmitAll(node.body, place);
  });
}

absl::Status ElementKernel::EmitWhen(const Node& node, const Place& place) {
  const int d = node.dimensions[0];
  Builder& b = place.level.b;
  llvm::Value* inside = b.CreateICmpULT(b.CreateSub(place.position[d].base, Number(node.begin)),
                                        Number(node.end - node.begin));
  return place.level.If(inside, [&](Level& inner) {
    Place limited = place.In(inner);
    limited.position[d] = Elements::Limited(place.position[d], node.begin, node.end - 1);
    limited.position[d].level = inner.number();
    return EmitAll(node.body, limited);
  });
}

// Those vectors that start in the strip.
absl::Status ElementKernel::EmitVector(const Node& node, const Place& place) {
  Level& level = place.level;
  row_loop_ = &node;
  const int64_t count = node.end - node.begin;
  const int64_t whole = node.folds_tail ? count : count / node.lanes * node.lanes;
  const int64_t multiple = node.is_clipped ? 1 : std::gcd(node.begin, int64_t{node.lanes});
  const auto emit = [&](Level& inner, llvm::Value* i, int lanes, int64_t elements,
                        llvm::Value* mask = nullptr) {
    Place inside = place.In(inner);
    inside.mask = lanes == elements ? mask : FirstLanes(inner.b, lanes, elements);
    inside.lanes = lanes;
    inside.elements = elements;
    if (node.dimensions.size() == 1) {
      inside.Bind(node.dimensions[0],
                  Elements::Limited(Elements::Adjacent(i, inner.number(), multiple), node.begin,
                                    node.end - 1));
    } else {
      const Position own = Unmerged(node, inner, i, lanes);
      inside.position.insert(inside.position.end(), own.begin(), own.end());
    }
    return EmitAll(node.body, inside);
  };
  const auto emit_before = [&](Level& inner, llvm::Value* i, llvm::Value* end) {
    return emit(inner, i, node.lanes, node.lanes,
                FirstLanes(inner.b, node.lanes, inner.b.CreateSub(end, i)));
  };
  if (node.is_clipped) {
    const LoopRange range = ranges_[node.dimensions[0]];
    return level.Loop(
        range.begin, range.end, node.lanes, node.lanes,
        [&](Level& inner, llvm::Value* i) { return emit_before(inner, i, range.end); });
  }
  if (whole > 0) {
    llvm::Value* from = Number(node.begin);
    llvm::Value* to = Number(node.begin + whole);
    if (place.begin != nullptr) {
      llvm::Value* passed = level.b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smax, level.b.CreateSub(place.begin, from), Number(0));
      llvm::Value* vectors =
          level.b.CreateUDiv(level.b.CreateAdd(passed, Number(node.lanes - 1)), Number(node.lanes));
      from = level.b.CreateAdd(from, level.b.CreateMul(vectors, Number(node.lanes)));
      to = level.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, place.end);
    }
    HILO_RETURN_IF_ERROR(
        level.Loop(from, to, node.lanes, node.lanes, [&](Level& inner, llvm::Value* i) {
          return node.folds_tail ? emit_before(inner, i, Number(node.end))
                                 : emit(inner, i, node.lanes, node.lanes);
        }));
  }
  if (node.tail_lanes == 0) return absl::OkStatus();
  llvm::Value* start = Number(node.begin + whole);
  const auto rest = [&](Level& inner) {
    return emit(inner, start, node.tail_lanes, node.end - node.begin - whole);
  };
  if (place.begin == nullptr) return level.Once(node.tail_lanes, rest);
  llvm::Value* is_here = level.b.CreateAnd(level.b.CreateICmpSGE(start, place.begin),
                                           level.b.CreateICmpSLT(start, place.end));
  llvm::Value* from = level.b.CreateSelect(is_here, start, Number(node.end));
  return level.Loop(from, Number(node.end), node.tail_lanes, node.tail_lanes,
                    [&](Level& inner, llvm::Value*) { return rest(inner); });
}

// The first of several dimensions says where a vector begins; along the others it begins at zero.
Position ElementKernel::Unmerged(const Node& node, Level& level, llvm::Value* number,
                                 int lanes) const {
  Position position;
  int64_t inner = loops::ElementsAlong(kernel_, node);
  for (int d : node.dimensions) {
    const int64_t size = kernel_.sizes[d];
    const bool is_first = position.empty();
    inner /= size;
    std::vector<uint64_t> offsets;
    for (int64_t lane = 0; lane < lanes; ++lane)
      offsets.push_back(static_cast<uint64_t>(is_first ? lane / inner : lane / inner % size));
    llvm::Value* base = level.b.getInt64(0);
    if (is_first) {
      base = level.b.CreateUDiv(number, level.b.getInt64(static_cast<uint64_t>(inner)), "",
                                /*isExact=*/true);
    }
    const int64_t least = is_first ? node.begin / inner : 0;
    const int64_t most = is_first ? (node.end - 1) / inner : size - 1;
    position.push_back(Elements::Limited({base, 0, nullptr, level.number()}, least, most));
    position.back().offsets = llvm::ConstantDataVector::get(level.b.getContext(), offsets);
  }
  return position;
}

absl::Status ElementKernel::EmitTile(const Node& node, const Place& place) {
  for (const HloInstruction* transpose : node.values)
    HILO_RETURN_IF_ERROR(EmitTransposed(node, *transpose, place));
  const int d = node.dimensions[0];
  const auto emit_row = [&](Level& inner, llvm::Value* row) {
    Place inside = place.In(inner);
    inside.position[d] = {inner.b.CreateAdd(place.position[d].base, row), 0, nullptr,
                          inner.number()};
    in_tile_ = inside.position;
    row_in_tile_ = {row, 0, nullptr, inner.number()};
    return EmitAll(node.body, inside);
  };
  if (!node.is_unrolled)
    return place.level.Loop(Number(0), Number(node.rows), 1, place.lanes, emit_row);
  for (int64_t row = 0; row < node.rows; ++row)
    HILO_RETURN_IF_ERROR(emit_row(place.level, Number(row)));
  return absl::OkStatus();
}

// Computes what is transposed in the order in which it lies in memory.
absl::Status ElementKernel::EmitTransposed(const Node& node, const HloInstruction& transpose,
                                           const Place& place) {
  Builder& b = place.level.b;
  Tile& tile = tiles_[&transpose];
  llvm::Value* mask = node.rows < node.lanes ? FirstLanes(b, node.lanes, node.rows) : nullptr;
  const Position& position = place.position;
  const auto compute = [&](Elements& elements, llvm::Value* column) {
    Position moved(position.size());
    for (size_t d = 0; d < position.size(); ++d) {
      const bool is_across = static_cast<int>(d) == node.dimensions[0];
      moved[transpose.dimensions(d)] = {position[d].base, is_across ? 1 : 0, nullptr,
                                        position[d].level};
    }
    Coordinate& along = moved[transpose.dimensions(position.size() - 1)];
    along.base = b.CreateAdd(along.base, column);
    along.level = place.level.number();
    return elements.At(*transpose.operand(0), moved, mask);
  };
  std::vector<Lanes> values;
  if (node.is_unrolled) {
    Elements elements(b, node.lanes, OwnLeaf());
    for (int64_t column = 0; column < place.elements; ++column) {
      HILO_ASSIGN_OR_RETURN(values.emplace_back(), compute(elements, Number(column)));
    }
    values.resize(place.lanes, values[0]);
    tile.rows = TransposeTile(b, values);
    return absl::OkStatus();
  }
  const Shape by_columns = TileShape(transpose, place.lanes, node.lanes);
  const Coordinate all = {Number(0), 1};
  HILO_RETURN_IF_ERROR(
      EmitLoop(b, Number(0), Number(place.elements), 1, [&](llvm::Value* column) -> absl::Status {
        Elements elements(b, node.lanes, OwnLeaf());
        HILO_ASSIGN_OR_RETURN(const Lanes value, compute(elements, column));
        const Coordinate at = {column, 0, nullptr, place.level.number()};
        StoreAt(b, by_columns, value, tile.memory, {at, all}, nullptr);
        return absl::OkStatus();
      }));
  for (int64_t column = 0; column < place.lanes; ++column) {
    const Coordinate at = {Number(std::min(column, place.elements - 1))};
    values.push_back(LoadAt(b, by_columns, tile.memory, {at, all}, node.lanes, nullptr));
  }
  const std::vector<Lanes> rows = TransposeTile(b, values);
  for (int64_t row = 0; row < node.lanes; ++row) {
    StoreAt(b, TileShape(transpose, node.lanes, place.lanes), rows[row], tile.memory,
            {{Number(row)}, all}, nullptr);
  }
  return absl::OkStatus();
}

absl::Status ElementKernel::EmitReduce(const Node& node, const Place& place) {
  std::vector<Lanes> values;
  if (node.order != Node::Order::kInOrder) {
    row_loop_ = &node;
    HILO_ASSIGN_OR_RETURN(values, ReduceRow(place.level, node, place.position));
  } else {
    HILO_ASSIGN_OR_RETURN(values,
                          ReduceColumns(place.level, node.values, place.position, place.mask));
  }
  size_t at = 0;
  for (const HloInstruction* each : node.values) {
    std::vector<Lanes>& own = reduced_[{each, place.position}];
    for (int64_t k = 0; k < each->operand_count() / 2; ++k) own.push_back(values[at++]);
  }
  return absl::OkStatus();
}

absl::Status ElementKernel::EmitScan(const Node& node, const Place& place) {
  return cpu::EmitScan(
      place.level, node, place.position, place.lanes, place.mask,
      [&](Level& inner, const Position& position, int lanes, const std::vector<Lanes>& values) {
        Place inside = place.In(inner);
        inside.position = position;
        inside.lanes = lanes;
        reduced_[{node.values[0], position}] = values;
        return EmitAll(node.body, inside);
      });
}

// Goes on where updates lie inside of the array, and of the part of it that the units have.
absl::Status ElementKernel::EmitScatter(const Node& node, const Place& place) {
  Position position = place.position;
  position.resize(kernel_.sizes.size());  // those of windows are not known yet
  HILO_ASSIGN_OR_RETURN(const StartOfUpdate start, FindStart(place.level, node, position, ranges_));
  starts_ = start.starts;
  if (start.is_inside == nullptr) return EmitAll(node.body, place);
  return place.level.If(start.is_inside, [&](Level& inner) {
    Place there = place.In(inner);
    for (Coordinate& x : there.position) x.level = inner.number();
    return EmitAll(node.body, there);
  });
}

absl::Status ElementKernel::EmitStore(const Node& node, const Place& place) {
  const HloInstruction& result = *node.values[0];
  const HloInstruction& root = *computation_.root_instruction();
  if (result.opcode() == HloOpcode::kDynamicUpdateSlice) return EmitUpdate(result, place);
  if (loops::IsScattered(result)) {
    const Position index = place.At(loops::IndexOf(kernel_, result));
    if (result.opcode() == HloOpcode::kScatter)
      return ScatterUpdates(place.level, result, starts_, index, results(), place.mask);
    return ScatterChosen(place.level, result, reduced_.at({&result, place.position}), index,
                         results()[0]);
  }
  const bool is_initial = loops::IsScattered(root);
  if (row_of_sums_ != nullptr) column_ = place.position.back().base;
  std::vector<Lanes> values;
  if (loops::IsReduction(result) || loops::IsScan(result)) {
    values = reduced_.at({&result, place.position});
  } else {
    const bool is_scalar = is_initial && root.opcode() == HloOpcode::kSelectAndScatter;
    HILO_ASSIGN_OR_RETURN(values, place.level.elements.AllAt(
                                      result, is_scalar ? Position() : place.position, place.mask));
  }
  for (size_t leaf = 0; leaf < values.size(); ++leaf) {
    const int64_t number = node.result + static_cast<int64_t>(leaf);
    const Shape& shape = is_initial ? loops::ArrayShape(root, number)
                                    : loops::ArrayShape(result, static_cast<int64_t>(leaf));
    StoreAt(place.level.b, shape, values[leaf], results()[number], place.position, place.mask,
            node.is_streamed);
  }
  return absl::OkStatus();
}

// The result's memory holds what is updated.
absl::Status ElementKernel::EmitUpdate(const HloInstruction& root, const Place& place) {
  Elements& elements = place.level.elements;
  const IndexMap map = UpdateMap(root);
  HILO_ASSIGN_OR_RETURN(const Position all,
                        elements.WithStarts(root, map, place.position, nullptr));
  const Position target = elements.Through(map, all).first;
  HILO_ASSIGN_OR_RETURN(const Lanes value,
                        place.level.elements.At(*root.operand(1), place.position, place.mask));
  StoreAt(place.level.b, root.shape(), value, results()[0], target, place.mask);
  return absl::OkStatus();
}

Elements::Leaf ElementKernel::OwnLeaf() {
  return [this](Builder& b, int lanes, const HloInstruction& instruction, const Position& position,
                llvm::Value* mask) -> absl::StatusOr<Lanes> {
    int64_t leaf = 0;
    const HloInstruction* source = &instruction;
    if (source->opcode() == HloOpcode::kGetTupleElement) {
      leaf = source->tuple_index();
      source = source->operand(0);
    }
    if (loops::IsProduct(*source)) {
      const PrimitiveType type = source->shape().element_type();
      llvm::Value* sums =
          b.CreateGEP(MemoryType(b.getContext(), TypeOfSums(type)), row_of_sums_, column_);
      return Round(b, type, Load(b, TypeOfSums(type), sums, 1, lanes, mask));
    }
    if (source->opcode() == HloOpcode::kParameter) {
      return LoadAt(b, source->shape(), arrays_[source->parameter_number()], position, lanes, mask,
                    loops::ReadableElements(*source));
    }
    const auto found = reduced_.find({source, position});
    return found == reduced_.end() ? NoCode(*source) : absl::StatusOr<Lanes>(found->second[leaf]);
  };
}

// ---- Values that are kept in memory

bool ElementKernel::IsOfThisRow(const HloInstruction& instruction, const Position& position) const {
  if (instruction.shape().dimensions_size() != static_cast<int>(kernel_.sizes.size()) ||
      position.back().step != 1 || position.back().lanes != nullptr)
    return false;
  return absl::c_equal(row_, absl::MakeConstSpan(position).first(row_.size()));
}

Lanes ElementKernel::Recall(Builder& b, int lanes, const HloInstruction& instruction,
                            const Position& position, llvm::Value* mask) {
  if (const auto tile = tiles_.find(&instruction); tile != tiles_.end() && position == in_tile_) {
    if (tile->second.memory == nullptr)
      return tile->second.rows[llvm::cast<llvm::ConstantInt>(row_in_tile_.base)->getZExtValue()];
    return LoadAt(b, TileShape(instruction, tile->second.height, lanes), tile->second.memory,
                  {row_in_tile_, {b.getInt64(0), 1}}, lanes, nullptr);
  }
  if (row_loop_ == nullptr || !absl::c_linear_search(row_loop_->loads, &instruction) ||
      !IsOfThisRow(instruction, position))
    return {};
  const Shape row = ShapeUtil::MakeShape(KeptType(instruction), {kernel_.sizes.back()});
  return LoadAt(b, row, scratch_.at(&instruction), {position.back()}, lanes, mask);
}

void ElementKernel::Remember(Builder& b, const HloInstruction& instruction,
                             const Position& position, const Lanes& value, llvm::Value* mask) {
  if (row_loop_ == nullptr || !absl::c_linear_search(row_loop_->stores, &instruction) ||
      !IsOfThisRow(instruction, position))
    return;
  const Shape row = ShapeUtil::MakeShape(KeptType(instruction), {kernel_.sizes.back()});
  StoreAt(b, row, value, scratch_.at(&instruction), {position.back()}, mask);
}

}  // namespace

absl::Status EmitKernel(Unit& unit, const loops::Kernel& kernel, const std::string& name) {
  return ElementKernel(unit, kernel, name).Emit();
}

}  // namespace xla::cpu
