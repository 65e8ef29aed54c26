#include "cpu/emit/element_kernel.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "cpu/emit/elementwise.h"
#include "cpu/emit/folding.h"
#include "cpu/emit/functions.h"
#include "cpu/emit/kernel_function.h"
#include "cpu/emit/level.h"
#include "cpu/emit/loops.h"
#include "cpu/emit/reduction.h"
#include "cpu/emit/tiles.h"
#include "cpu/plan/fusion_rules.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// A part of a long row that is worth being a unit of work, in elements.
constexpr int64_t kColumnsAUnit = 1024;
// Memory on the stack for values that are used again in the same row.
constexpr int64_t kMaxScratchBytes = 128 * 1024;
// Vectors side by side where neighbours are reduced, each with its own running value.
constexpr int64_t kVectorsAside = 8;

const Shape& LeafShape(const HloInstruction& instruction, int64_t leaf) {
  const Shape& shape = instruction.shape();
  return shape.IsTuple() ? shape.tuple_shapes(static_cast<int>(leaf)) : shape;
}

// The shape of what is computed for a result.
const Shape& ComputedShape(const HloInstruction& root) {
  if (root.opcode() == HloOpcode::kDynamicUpdateSlice) return root.operand(1)->shape();
  return LeafShape(root, 0);
}

Shape TileShape(const HloInstruction& instruction, int64_t rows, int64_t columns) {
  return ShapeUtil::MakeShape(instruction.shape().element_type(), {rows, columns});
}

// Whether each dimension of `to` is one dimension of `from`, or several together.
bool OnlyMerges(const Shape& from, const Shape& to) {
  int d = 0;
  for (const int64_t size : to.dimensions()) {
    int64_t merged = 1;
    while (d < from.dimensions_size() && merged < size) merged *= from.dimensions(d++);
    if (merged != size) return false;
  }
  return true;
}

class ElementKernel : public KernelFunction, private Elements::Memo {
 public:
  ElementKernel(llvm::Module& module, const HloComputation& computation, const std::string& name);

  absl::StatusOr<Kernel> Emit();

 private:
  // ---- What there is to do
  void FindReduces();
  void FindRowShape();
  bool HasColumns(const HloInstruction& result) const;
  void FindWhatToKeep();
  void FindParts();
  void AddParts(const HloInstruction& instruction);
  int64_t CountInAllParts() const;
  void FindTransposed();
  void FindMerged();
  bool CanMerge(int64_t lanes) const;
  Position Unmerged(Level& level, llvm::Value* column, int lanes) const;
  double CostOfUnits() const;

  // ---- Loops
  absl::Status EmitMiddle(Level& level, const Position& position);
  absl::Status EmitParts(Level& level, const Position& row, size_t d, llvm::Value* begin,
                         llvm::Value* end);
  absl::Status EmitPart(Level& level, const Position& row, int64_t first, int64_t last,
                        llvm::Value* begin, llvm::Value* end);
  absl::Status EmitColumns(Level& level, const Position& row, llvm::Value* begin, llvm::Value* end);
  absl::Status EmitResults(Level& level, const Position& position, llvm::Value* mask,
                           bool whole_rows);
  absl::Status EmitTiledRows(Level& level, const Position& row, llvm::Value* begin,
                             llvm::Value* end);
  absl::Status EmitTile(Level& level, const Position& position, llvm::Value* mask, int lanes,
                        int64_t columns);
  absl::Status EmitTransposed(Level& level, const HloInstruction& transpose,
                              const Position& position, int lanes, int64_t columns);
  absl::Status EmitUpdate(const HloInstruction& root, Level& level, const Position& position,
                          llvm::Value* mask);
  int ColumnLanes(int64_t columns) const;
  Elements::Leaf OwnLeaf();
  absl::StatusOr<std::vector<Lanes>> ReducedAt(const HloInstruction& reduce, Level& level,
                                               const Position& position, llvm::Value* mask);
  RowVectors VectorsOfRow(const HloInstruction& reduce) const;

  // ---- Values that are kept for the row
  struct Kept {
    llvm::Value* memory = nullptr;
    int stored_in = -1;  // the phase
  };
  // What is not rounded in registers is not rounded here.
  PrimitiveType KeptType(const HloInstruction& instruction) {
    const PrimitiveType type = instruction.shape().element_type();
    return type == BF16 && KeepsExcessPrecision(b_) ? F32 : type;
  }
  bool IsOfThisRow(const HloInstruction& instruction, const Position& position) const;
  Lanes Recall(Builder& b, int lanes, const HloInstruction& instruction, const Position& position,
               llvm::Value* mask) override;
  void Remember(Builder& b, const HloInstruction& instruction, const Position& position,
                const Lanes& value, llvm::Value* mask) override;
  // Whatever is computed while it exists belongs to one loop over the columns.
  class Phase {
   public:
    explicit Phase(ElementKernel& kernel) : kernel_(kernel), outside_(kernel.phase_) {
      kernel_.phase_ = static_cast<int>(kernel_.is_complete_.size());
      kernel_.is_complete_.push_back(false);
    }
    ~Phase() {
      kernel_.is_complete_[kernel_.phase_] = true;
      kernel_.phase_ = outside_;
    }

   private:
    ElementKernel& kernel_;
    const int outside_;
  };

  // The level under construction whose builder asks for something.
  class Open {
   public:
    Open(ElementKernel& kernel, Level& level) : levels_(kernel.levels_) {
      levels_.push_back(&level);
    }
    ~Open() { levels_.pop_back(); }

   private:
    std::vector<Level*>& levels_;
  };

  std::vector<const HloInstruction*> roots_;
  std::vector<const HloInstruction*> reduces_;
  absl::flat_hash_map<const HloInstruction*, int> depths_;  // of reduces that need others
  bool by_rows_ = false;                                    // reduces give one value a row
  Sizes rows_;
  Sizes middle_;         // dimensions of results between those of rows and the last one
  int64_t columns_ = 1;  // of results that have them
  bool has_columns_ = false;

  // Where along each dimension of the results another operand of a concatenation begins, or padding
  // begins and ends: each part has code of its own, which does not ask. From 0 to the size.
  std::vector<Sizes> parts_;

  // Transposes whose operands have their neighbours along another dimension of the results than the
  // last one. They are read in tiles: vectors along that dimension, for several columns.
  std::vector<const HloInstruction*> transposed_;
  size_t across_ = 0;        // the dimension
  int tile_rows_ = 1;        // elements of a vector along it
  bool is_unrolled_ = true;  // rather than loops over rows and columns of tiles
  int64_t rows_here_ = 1;    // of the tile, while code for it is emitted
  struct Tile {
    std::vector<Lanes> rows;        // if it is unrolled,
    llvm::Value* memory = nullptr;  // or else rows one after the other
  };
  absl::flat_hash_map<const HloInstruction*, Tile> tiles_;
  Position in_tile_;
  llvm::Value* row_in_tile_ = nullptr;

  // Where rows are short, dimensions of the results that are one dimension of columns in the loops:
  // the lanes of a vector belong to several rows.
  Sizes merged_;
  int merged_lanes_ = 0;

  std::vector<Level*> levels_;
  Position row_;
  absl::flat_hash_map<std::pair<const HloInstruction*, Position>, std::vector<Lanes>> reduced_;
  absl::flat_hash_map<const HloInstruction*, Kept> kept_;
  int phase_ = -1;
  std::vector<bool> is_complete_;
};

ElementKernel::ElementKernel(llvm::Module& module, const HloComputation& computation,
                             const std::string& name)
    : KernelFunction(module, computation, name) {
  const HloInstruction& root = *computation.root_instruction();
  if (root.opcode() == HloOpcode::kTuple) {
    roots_.assign(root.operands().begin(), root.operands().end());
  } else {
    roots_ = {&root};
  }
  FindReduces();
  FindRowShape();
}

// ---- What there is to do

void ElementKernel::FindReduces() {
  absl::flat_hash_map<const HloInstruction*, int> depths;
  for (const HloInstruction* instruction : computation_.MakeInstructionPostOrder()) {
    int depth = 0;
    for (const HloInstruction* operand : instruction->operands())
      depth = std::max(depth, depths[operand]);
    if (instruction->opcode() == HloOpcode::kReduce && !instruction->dimensions().empty()) {
      reduces_.push_back(instruction);
      depths_[instruction] = depth++;
    }
    depths[instruction] = depth;
  }
}

// Few columns are too short for vectors along them.
constexpr int64_t kShortRow = 4;

void ElementKernel::FindRowShape() {
  const Shape* largest = &ComputedShape(*roots_[0]);
  for (const HloInstruction* root : roots_) {
    if (ComputedShape(*root).dimensions_size() > largest->dimensions_size())
      largest = &ComputedShape(*root);
  }
  rows_.assign(largest->dimensions().begin(), largest->dimensions().end());
  if (!reduces_.empty() && ReducesRows(*reduces_[0])) {
    const Shape& result = LeafShape(*reduces_[0], 0);
    const int64_t kept = result.dimensions_size();
    const int64_t columns = reduces_[0]->operand(0)->shape().dimensions().back();
    const bool has_other_results = largest->dimensions_size() > kept;
    by_rows_ = has_other_results || kept == 0 || columns >= kShortRow ||
               result.dimensions().back() < columns;
    if (by_rows_ && !has_other_results) return;
    if (by_rows_) {
      middle_.assign(rows_.begin() + kept, rows_.end() - 1);
      rows_.erase(rows_.begin() + kept, rows_.end() - 1);
    }
  }
  if (rows_.empty()) return;
  has_columns_ = true;
  columns_ = rows_.back();
  rows_.pop_back();
}

bool ElementKernel::HasColumns(const HloInstruction& result) const {
  const size_t columns = merged_.empty() ? 1 : merged_.size();
  return has_columns_ && ComputedShape(result).dimensions_size() ==
                             static_cast<int>(rows_.size() + middle_.size() + columns);
}

// What takes long to compute and is needed in several loops over the same columns.
void ElementKernel::FindWhatToKeep() {
  if (!by_rows_ || !has_columns_ || !middle_.empty()) return;
  const auto all = computation_.MakeInstructionPostOrder();
  // In how many loops, by bits of the reductions' depths and one for the results.
  absl::flat_hash_map<const HloInstruction*, uint64_t> loops;
  for (size_t i = all.size(); i-- > 0;) {
    const HloInstruction& instruction = *all[i];
    if (absl::c_linear_search(roots_, &instruction)) loops[&instruction] |= 1;
    uint64_t own = loops[&instruction];
    if (const auto depth = depths_.find(&instruction); depth != depths_.end())
      own = uint64_t{2} << std::min(depth->second, 60);
    for (const HloInstruction* operand : instruction.operands()) loops[operand] |= own;
  }
  int64_t room = kMaxScratchBytes;
  for (const HloInstruction* instruction : all) {
    const uint64_t used = loops[instruction];
    if ((used & (used - 1)) == 0 || !passes::IsExpensive(*instruction)) continue;
    if (!HasColumns(*instruction) || instruction->shape().dimensions().back() != columns_) continue;
    const int64_t bytes = columns_ * primitive_util::ByteWidth(KeptType(*instruction)) + 64;
    if (bytes > room) continue;
    room -= bytes;
    llvm::AllocaInst* memory =
        b_.CreateAlloca(b_.getInt8Ty(), b_.getInt64(static_cast<uint64_t>(bytes)));
    memory->setAlignment(llvm::Align(64));
    kept_[instruction].memory = memory;
  }
}

// Copies of a kernel for parts of its results.
constexpr int64_t kMaxParts = 16;

void ElementKernel::FindParts() {
  Sizes sizes = rows_;
  if (has_columns_) sizes.push_back(columns_);
  for (int64_t size : sizes) parts_.push_back({0, size});
  if (!reduces_.empty()) return;
  // Whatever has the results' index.
  std::vector<const HloInstruction*> waiting = roots_;
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& instruction = *waiting.back();
    waiting.pop_back();
    if (!instruction.shape().IsArray() ||
        instruction.shape().dimensions() != absl::MakeConstSpan(sizes) ||
        !seen.insert(&instruction).second)
      continue;
    if (instruction.IsElementwise())
      waiting.insert(waiting.end(), instruction.operands().begin(), instruction.operands().end());
    AddParts(instruction);
  }
  const int64_t instructions = CountInAllParts();
  int64_t copies = 1;
  for (Sizes& parts : parts_) {
    absl::c_sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    const int64_t more = copies * (static_cast<int64_t>(parts.size()) - 1);
    if (more > kMaxParts || more * instructions > kMaxInstructionsOfParts) {
      parts = {parts.front(), parts.back()};
    } else {
      copies = more;
    }
  }
}

// How many instructions there is code for in every part: operands of concatenations are computed in
// one of them.
int64_t ElementKernel::CountInAllParts() const {
  std::vector<const HloInstruction*> waiting = roots_;
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& instruction = *waiting.back();
    waiting.pop_back();
    if (!seen.insert(&instruction).second || instruction.opcode() == HloOpcode::kConcatenate)
      continue;
    waiting.insert(waiting.end(), instruction.operands().begin(), instruction.operands().end());
  }
  return static_cast<int64_t>(seen.size());
}

void ElementKernel::AddParts(const HloInstruction& instruction) {
  const auto add = [&](size_t d, int64_t begin) {
    if (begin > 0 && begin < instruction.shape().dimensions(d)) parts_[d].push_back(begin);
  };
  if (instruction.opcode() == HloOpcode::kConcatenate) {
    int64_t begin = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      begin += operand->shape().dimensions(instruction.dimensions(0));
      add(instruction.dimensions(0), begin);
    }
  } else if (instruction.opcode() == HloOpcode::kPad) {
    for (size_t d = 0; d < parts_.size(); ++d) {
      const auto& padding = instruction.padding_config().dimensions(static_cast<int>(d));
      add(d, padding.edge_padding_low());
      add(d, instruction.shape().dimensions(d) - padding.edge_padding_high());
    }
  } else if (instruction.opcode() == HloOpcode::kReduceWindow) {
    for (size_t d = 0; d < parts_.size(); ++d) {
      // From the first to the last window without padding.
      const WindowDimension& window = instruction.window().dimensions(static_cast<int>(d));
      if (window.base_dilation() != 1 || window.padding_low() < 0) continue;
      const int64_t reach = (window.size() - 1) * window.window_dilation();
      const int64_t last =
          instruction.operand(0)->shape().dimensions(d) - 1 + window.padding_low() - reach;
      add(d, (window.padding_low() + window.stride() - 1) / window.stride());
      if (last >= 0) add(d, last / window.stride() + 1);
    }
  }
}

// Tiles with fewer rows are not worth it.
constexpr int64_t kMinTileRows = 4;
// Larger tiles do not fit the registers.
constexpr int64_t kMaxTileRows = 32;
// Kernels with more instructions, or with functions that take many, have loops instead of copies.
constexpr int64_t kMaxUnrolledInstructions = 8;

void ElementKernel::FindTransposed() {
  if (!reduces_.empty() || !has_columns_ || !middle_.empty() || columns_ < 2) return;
  if (absl::c_any_of(parts_, [](const Sizes& parts) { return parts.size() > 2; })) return;
  Sizes sizes = rows_;
  sizes.push_back(columns_);
  std::vector<const HloInstruction*> waiting;
  for (const HloInstruction* root : roots_) {
    if (ComputedShape(*root).dimensions() != absl::MakeConstSpan(sizes)) return;
    waiting.push_back(root->opcode() == HloOpcode::kDynamicUpdateSlice ? root->operand(1) : root);
  }
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& instruction = *waiting.back();
    waiting.pop_back();
    if (instruction.shape().dimensions() != absl::MakeConstSpan(sizes) ||
        !seen.insert(&instruction).second)
      continue;
    if (instruction.IsElementwise())
      waiting.insert(waiting.end(), instruction.operands().begin(), instruction.operands().end());
    if (instruction.opcode() != HloOpcode::kTranspose) continue;
    const absl::Span<const int64_t> dimensions = instruction.dimensions();
    const size_t d =
        absl::c_find(dimensions, static_cast<int64_t>(rows_.size())) - dimensions.begin();
    if (d == rows_.size() || rows_[d] < kMinTileRows) continue;
    if (!transposed_.empty() && d != across_) continue;
    across_ = d;
    transposed_.push_back(&instruction);
  }
  if (transposed_.empty()) return;
  tile_rows_ = LanesFor(std::min(rows_[across_], kMaxTileRows));
  is_unrolled_ = computation_.instruction_count() <= kMaxUnrolledInstructions &&
                 absl::c_none_of(computation_.instructions(), [](const HloInstruction* each) {
                   return passes::CostOfElement(*each) > 1;
                 });
  if (tile_rows_ < 2) transposed_.clear();
  for (const HloInstruction* transpose : transposed_) {
    Tile& tile = tiles_[transpose];
    if (is_unrolled_) continue;
    llvm::AllocaInst* memory = b_.CreateAlloca(
        b_.getInt8Ty(), b_.getInt64(static_cast<uint64_t>(ShapeUtil::ByteSizeOf(
                            TileShape(*transpose, tile_rows_, ColumnLanes(columns_))))));
    memory->setAlignment(llvm::Align(64));
    tile.memory = memory;
  }
}

// Vectors of so many registers.
constexpr int64_t kMaxRegistersOfRows = 3;

void ElementKernel::FindMerged() {
  if (!reduces_.empty() || !transposed_.empty() || !has_columns_ || !middle_.empty()) return;
  if (absl::c_any_of(parts_, [](const Sizes& parts) { return parts.size() > 2; })) return;
  const int64_t lanes = LanesFor(Coordinate::kUnlimited);
  int64_t inner = columns_, together = 0;
  size_t first = rows_.size();
  while (first > 0 && inner > 1 && inner < lanes) {
    --first;
    together = std::lcm(inner, lanes);
    if (rows_[first] >= together / inner) break;
    inner *= rows_[first];
    together = 0;
  }
  if (together == 0 || together > kMaxRegistersOfRows * lanes) return;
  merged_.assign(rows_.begin() + static_cast<int64_t>(first), rows_.end());
  merged_.push_back(columns_);
  if (!CanMerge(together)) {
    merged_.clear();
    return;
  }
  merged_lanes_ = static_cast<int>(together);
  rows_.resize(first);
  columns_ = Product(merged_);
  parts_.resize(first);
  parts_.push_back({0, columns_});
}

// Whether all elements that the lanes need lie close together, wherever they come from.
bool ElementKernel::CanMerge(int64_t lanes) const {
  Sizes sizes(rows_);
  sizes.push_back(columns_);
  if (Product(sizes) < kColumnsAUnit) return false;
  // From the first to the last lane along each dimension.
  Sizes distance(sizes.size(), 0);
  int64_t inner = 1;
  for (size_t d = sizes.size(); d-- > sizes.size() - merged_.size();) {
    distance[d] = std::min(sizes[d], lanes / inner) - 1;
    inner *= sizes[d];
  }
  std::vector<std::pair<const HloInstruction*, Sizes>> waiting;
  for (const HloInstruction* root : roots_) {
    if (root->shape().dimensions() != absl::MakeConstSpan(sizes)) return false;
    waiting.emplace_back(root, distance);
  }
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const auto [instruction, along] = std::move(waiting.back());
    waiting.pop_back();
    const Shape& shape = instruction->shape();
    if (!shape.IsArray() || primitive_util::IsComplexType(shape.element_type())) return false;
    // One number for all lanes.
    if (absl::c_all_of(along, [](int64_t distance) { return distance == 0; })) continue;
    const HloOpcode opcode = instruction->opcode();
    const bool is_reshaped = opcode == HloOpcode::kReshape &&
                             instruction->operand(0)->opcode() == HloOpcode::kParameter &&
                             OnlyMerges(shape, instruction->operand(0)->shape());
    if (opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant || is_reshaped) {
      int64_t far = 0, stride = 1;
      for (size_t d = along.size(); d-- > 0; stride *= shape.dimensions(d))
        far += along[d] * stride;
      if (far >= 2 * lanes) return false;
    } else if (opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kTranspose) {
      Sizes moved(instruction->operand(0)->shape().dimensions_size());
      for (size_t d = 0; d < instruction->dimensions().size(); ++d) {
        if (opcode == HloOpcode::kBroadcast) {
          moved[d] = along[instruction->dimensions(d)];
        } else {
          moved[instruction->dimensions(d)] = along[d];
        }
      }
      waiting.emplace_back(instruction->operand(0), std::move(moved));
    } else if (opcode == HloOpcode::kReverse) {
      waiting.emplace_back(instruction->operand(0), along);
    } else if (opcode == HloOpcode::kSlice) {
      Sizes moved = along;
      for (size_t d = 0; d < moved.size(); ++d)
        moved[d] *= instruction->slice_strides(static_cast<int64_t>(d));
      waiting.emplace_back(instruction->operand(0), std::move(moved));
    } else if (instruction->IsElementwise()) {
      if (!seen.insert(instruction).second) continue;
      for (const HloInstruction* operand : instruction->operands()) {
        const absl::Span<const int64_t> own = operand->shape().dimensions();
        if (own.empty()) continue;
        if (own != shape.dimensions()) return false;
        waiting.emplace_back(operand, along);
      }
    } else {
      return false;
    }
  }
  return true;
}

// The first of the merged dimensions says where a vector begins; along the others it always begins
// at zero.
Position ElementKernel::Unmerged(Level& level, llvm::Value* column, int lanes) const {
  Position position;
  int64_t inner = columns_ / merged_[0];
  for (size_t d = 0; d < merged_.size(); ++d) {
    std::vector<uint64_t> offsets;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t number = lane / inner;
      offsets.push_back(static_cast<uint64_t>(d == 0 ? number : number % merged_[d]));
    }
    llvm::Value* base = level.b.getInt64(0);
    if (d == 0) {
      base = level.b.CreateUDiv(column, level.b.getInt64(static_cast<uint64_t>(inner)), "",
                                /*isExact=*/true);
    }
    position.push_back(Elements::Limited({base, 0, nullptr, level.number()}, 0, merged_[d] - 1));
    position.back().offsets = llvm::ConstantDataVector::get(level.b.getContext(), offsets);
    if (d + 1 < merged_.size()) inner /= merged_[d + 1];
  }
  return position;
}

double ElementKernel::CostOfUnits() const {
  double cost = 0;
  for (const HloInstruction* instruction : computation_.instructions())
    cost += passes::CostOf(*instruction);
  for (const HloInstruction* root : roots_)
    cost += static_cast<double>(ShapeUtil::ElementsIn(ComputedShape(*root)));
  return cost;
}

// ---- Loops

int ElementKernel::ColumnLanes(int64_t columns) const {
  if (!merged_.empty()) return merged_lanes_;
  int lanes = LanesFor(transposed_.empty() ? columns : std::min(columns, kMaxTileRows));
  if (reduces_.empty() || by_rows_) return lanes;
  // Vectors side by side, one after the other in memory, and running values for each.
  const int most =
      lanes * static_cast<int>(computation_.instruction_count() > 24 ? 1 : kVectorsAside);
  while (lanes * 2 <= most && lanes < columns) lanes *= 2;
  return lanes;
}

absl::StatusOr<Kernel> ElementKernel::Emit() {
  FindWhatToKeep();
  FindParts();
  FindTransposed();
  FindMerged();
  Level kernel(b_.GetInsertBlock(), 1, OwnLeaf(), this);
  const Open open(*this, kernel);
  const bool in_parts = !by_rows_ && has_columns_;
  const int64_t wide = reduces_.empty() ? kColumnsAUnit : ColumnLanes(columns_);
  const int64_t parts = in_parts ? (columns_ + wide - 1) / wide : 1;
  Sizes rows = rows_;
  if (!transposed_.empty()) rows[across_] = (rows[across_] + tile_rows_ - 1) / tile_rows_;
  const int64_t units = Product(rows) * parts;
  HILO_RETURN_IF_ERROR(
      kernel.Loop(begin_, end_, 1, 1, [&](Level& unit, llvm::Value* number) -> absl::Status {
        const Open inside(*this, unit);
        llvm::Value* part = nullptr;
        if (parts > 1) {
          llvm::Value* count = unit.b.getInt64(static_cast<uint64_t>(parts));
          part = rows.empty() ? number : unit.b.CreateURem(number, count);
          number = unit.b.CreateUDiv(number, count);
        }
        row_.clear();
        for (llvm::Value* index : Delinearize(unit.b, number, rows))
          row_.push_back({index, 0, nullptr, unit.number()});
        // The same as what is asked for in the columns of the row.
        for (size_t d = 0; by_rows_ && d < row_.size(); ++d)
          row_[d] = Elements::Limited(row_[d], 0, rows_[d] - 1);
        if (!transposed_.empty()) {
          row_[across_].base = unit.b.CreateMul(row_[across_].base,
                                                unit.b.getInt64(static_cast<uint64_t>(tile_rows_)));
        }
        if (by_rows_ || !has_columns_)
          HILO_RETURN_IF_ERROR(EmitResults(unit, row_, nullptr, /*whole_rows=*/true));
        if (!has_columns_) return absl::OkStatus();
        if (!middle_.empty()) return EmitMiddle(unit, row_);
        llvm::Value* begin = unit.b.getInt64(0);
        llvm::Value* end = unit.b.getInt64(static_cast<uint64_t>(columns_));
        if (part != nullptr) {
          begin = unit.b.CreateMul(part, unit.b.getInt64(static_cast<uint64_t>(wide)));
          end = unit.b.CreateBinaryIntrinsic(
              llvm::Intrinsic::smin, end,
              unit.b.CreateAdd(begin, unit.b.getInt64(static_cast<uint64_t>(wide))));
        }
        return transposed_.empty() ? EmitParts(unit, row_, 0, begin, end)
                                   : EmitTiledRows(unit, row_, begin, end);
      }));
  kernel.b.CreateRetVoid();
  return Kernel{function_, units, CostOfUnits() / std::max(1.0, static_cast<double>(units))};
}

absl::Status ElementKernel::EmitMiddle(Level& level, const Position& position) {
  const size_t done = position.size() - rows_.size();
  if (done == middle_.size())
    return EmitColumns(level, position, level.b.getInt64(0),
                       level.b.getInt64(static_cast<uint64_t>(columns_)));
  return level.Loop(level.b.getInt64(0), level.b.getInt64(static_cast<uint64_t>(middle_[done])), 1,
                    1, [&](Level& inner, llvm::Value* i) {
                      const Open open(*this, inner);
                      Position longer = position;
                      longer.push_back({i, 0, nullptr, inner.number()});
                      return EmitMiddle(inner, longer);
                    });
}

// The rows that belong to one part in each dimension have code of their own.
absl::Status ElementKernel::EmitParts(Level& level, const Position& row, size_t d,
                                      llvm::Value* begin, llvm::Value* end) {
  if (d == rows_.size()) return EmitColumns(level, row, begin, end);
  const Sizes& parts = parts_[d];
  if (parts.size() == 2) {
    Position limited = row;
    limited[d] = Elements::Limited(row[d], 0, parts[1] - 1);
    return EmitParts(level, limited, d + 1, begin, end);
  }
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    llvm::Value* inside = level.b.CreateICmpULT(
        level.b.CreateSub(row[d].base, level.b.getInt64(static_cast<uint64_t>(parts[i]))),
        level.b.getInt64(static_cast<uint64_t>(parts[i + 1] - parts[i])));
    HILO_RETURN_IF_ERROR(level.If(inside, [&](Level& inner) {
      const Open open(*this, inner);
      Position limited = row;
      limited[d] = Elements::Limited(row[d], parts[i], parts[i + 1] - 1);
      limited[d].level = inner.number();
      return EmitParts(inner, limited, d + 1, begin, end);
    }));
  }
  return absl::OkStatus();
}

absl::Status ElementKernel::EmitColumns(Level& level, const Position& row, llvm::Value* begin,
                                        llvm::Value* end) {
  // Reductions come first: what they keep is read by whatever comes after them. One of all elements
  // is known outside of all loops, and computed there.
  if (by_rows_ && middle_.empty() && !row.empty()) {
    std::vector<const HloInstruction*> reduces = reduces_;
    absl::c_stable_sort(reduces, [&](const HloInstruction* x, const HloInstruction* y) {
      return depths_.at(x) < depths_.at(y);
    });
    for (const HloInstruction* reduce : reduces) {
      if (LeafShape(*reduce, 0).dimensions_size() == static_cast<int>(rows_.size()))
        HILO_RETURN_IF_ERROR(ReducedAt(*reduce, level, row, nullptr).status());
    }
  }
  const Phase phase(*this);
  const Sizes whole = {0, columns_};
  const Sizes& parts = middle_.empty() ? parts_.back() : whole;
  for (size_t i = 0; i + 1 < parts.size(); ++i)
    HILO_RETURN_IF_ERROR(EmitPart(level, row, parts[i], parts[i + 1], begin, end));
  return absl::OkStatus();
}

// Columns [first, last), those vectors of them that start in [begin, end).
absl::Status ElementKernel::EmitPart(Level& level, const Position& row, int64_t first, int64_t last,
                                     llvm::Value* begin, llvm::Value* end) {
  const bool is_all = llvm::isa<llvm::ConstantInt>(begin);
  const int lanes = ColumnLanes(last - first);
  const int64_t whole = (last - first) / lanes * lanes;
  const auto number = [&](int64_t value) { return level.b.getInt64(static_cast<uint64_t>(value)); };
  const auto emit = [&](Level& inner, llvm::Value* column, llvm::Value* mask, int width,
                        int64_t count) {
    const Open open(*this, inner);
    Position position = row;
    if (merged_.empty()) {
      position.push_back(Elements::Limited({column, 1, nullptr, inner.number()}, first, last - 1));
    } else {
      const Position own = Unmerged(inner, column, width);
      position.insert(position.end(), own.begin(), own.end());
    }
    return transposed_.empty() ? EmitResults(inner, position, mask, /*whole_rows=*/false)
                               : EmitTile(inner, position, mask, width, count);
  };
  if (whole > 0) {
    llvm::Value* from = number(first);
    llvm::Value* to = number(first + whole);
    if (!is_all) {
      llvm::Value* passed = level.b.CreateBinaryIntrinsic(
          llvm::Intrinsic::smax, level.b.CreateSub(begin, from), number(0));
      llvm::Value* vectors =
          level.b.CreateUDiv(level.b.CreateAdd(passed, number(lanes - 1)), number(lanes));
      from = level.b.CreateAdd(from, level.b.CreateMul(vectors, number(lanes)));
      to = level.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, end);
    }
    HILO_RETURN_IF_ERROR(level.Loop(from, to, lanes, lanes, [&](Level& inner, llvm::Value* i) {
      return emit(inner, i, nullptr, lanes, lanes);
    }));
  }
  const int64_t tail = last - first - whole;
  if (tail == 0) return absl::OkStatus();
  int tail_lanes = lanes;
  while (merged_.empty() && tail_lanes / 2 >= tail) tail_lanes /= 2;
  const auto rest = [&](Level& inner) {
    llvm::Value* mask = tail_lanes == tail ? nullptr : FirstLanes(inner.b, tail_lanes, tail);
    return emit(inner, inner.b.getInt64(static_cast<uint64_t>(first + whole)), mask, tail_lanes,
                tail);
  };
  if (is_all) return level.Once(tail_lanes, rest);
  llvm::Value* start = number(first + whole);
  llvm::Value* is_here =
      level.b.CreateAnd(level.b.CreateICmpSGE(start, begin), level.b.CreateICmpSLT(start, end));
  llvm::Value* from = level.b.CreateSelect(is_here, start, number(last));
  return level.Loop(from, number(last), tail_lanes, tail_lanes,
                    [&](Level& inner, llvm::Value*) { return rest(inner); });
}

// ---- Tiles

// The last tile along its dimension may have fewer rows, and has code of its own.
absl::Status ElementKernel::EmitTiledRows(Level& level, const Position& row, llvm::Value* begin,
                                          llvm::Value* end) {
  const int64_t rest = rows_[across_] % tile_rows_;
  const auto emit = [&](Level& inner, int64_t rows) {
    const Open open(*this, inner);
    rows_here_ = rows;
    return EmitColumns(inner, row, begin, end);
  };
  if (rest == 0) return emit(level, tile_rows_);
  llvm::Value* is_last = level.b.CreateICmpEQ(
      row[across_].base, level.b.getInt64(static_cast<uint64_t>(rows_[across_] - rest)));
  if (rest < rows_[across_]) {
    HILO_RETURN_IF_ERROR(level.If(level.b.CreateNot(is_last),
                                  [&](Level& inner) { return emit(inner, tile_rows_); }));
  }
  return level.If(is_last, [&](Level& inner) { return emit(inner, rest); });
}

absl::Status ElementKernel::EmitTile(Level& level, const Position& position, llvm::Value* mask,
                                     int lanes, int64_t columns) {
  for (const HloInstruction* transpose : transposed_)
    HILO_RETURN_IF_ERROR(EmitTransposed(level, *transpose, position, lanes, columns));
  const auto emit_row = [&](Level& inner, llvm::Value* row) {
    in_tile_ = position;
    in_tile_[across_] = {inner.b.CreateAdd(position[across_].base, row), 0, nullptr,
                         inner.number()};
    row_in_tile_ = row;
    return EmitResults(inner, in_tile_, mask, /*whole_rows=*/false);
  };
  if (!is_unrolled_) {
    return level.Loop(level.b.getInt64(0), level.b.getInt64(static_cast<uint64_t>(rows_here_)), 1,
                      lanes, [&](Level& inner, llvm::Value* row) {
                        const Open open(*this, inner);
                        return emit_row(inner, row);
                      });
  }
  for (int64_t row = 0; row < rows_here_; ++row)
    HILO_RETURN_IF_ERROR(emit_row(level, level.b.getInt64(static_cast<uint64_t>(row))));
  return absl::OkStatus();
}

// Computes what is transposed in the order in which it lies in memory.
absl::Status ElementKernel::EmitTransposed(Level& level, const HloInstruction& transpose,
                                           const Position& position, int lanes, int64_t columns) {
  Builder& b = level.b;
  Tile& tile = tiles_[&transpose];
  llvm::Value* mask = rows_here_ < tile_rows_ ? FirstLanes(b, tile_rows_, rows_here_) : nullptr;
  const auto compute = [&](Elements& elements, llvm::Value* column) {
    Position moved(position.size());
    for (size_t d = 0; d < position.size(); ++d)
      moved[transpose.dimensions(d)] = {position[d].base, d == across_ ? 1 : 0};
    moved[transpose.dimensions(position.size() - 1)].base =
        b.CreateAdd(position.back().base, column);
    return elements.At(*transpose.operand(0), moved, mask);
  };
  std::vector<Lanes> values;
  if (is_unrolled_) {
    Elements elements(b, tile_rows_, OwnLeaf());
    for (int64_t column = 0; column < columns; ++column) {
      HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                            compute(elements, b.getInt64(static_cast<uint64_t>(column))));
    }
    values.resize(lanes, values[0]);
    tile.rows = TransposeTile(b, values);
    return absl::OkStatus();
  }
  const Shape by_columns = TileShape(transpose, lanes, tile_rows_);
  const Coordinate all = {b.getInt64(0), 1};
  HILO_RETURN_IF_ERROR(
      EmitLoop(b, b.getInt64(0), b.getInt64(static_cast<uint64_t>(columns)), 1,
               [&](llvm::Value* column) -> absl::Status {
                 Elements elements(b, tile_rows_, OwnLeaf());
                 HILO_ASSIGN_OR_RETURN(const Lanes value, compute(elements, column));
                 StoreAt(b, by_columns, value, tile.memory, {{column}, all}, nullptr);
                 return absl::OkStatus();
               }));
  for (int64_t column = 0; column < lanes; ++column) {
    const Coordinate at = {b.getInt64(static_cast<uint64_t>(std::min(column, columns - 1)))};
    values.push_back(LoadAt(b, by_columns, tile.memory, {at, all}, tile_rows_, nullptr));
  }
  const std::vector<Lanes> rows = TransposeTile(b, values);
  for (int64_t row = 0; row < tile_rows_; ++row) {
    StoreAt(b, TileShape(transpose, tile_rows_, lanes), rows[row], tile.memory,
            {{b.getInt64(static_cast<uint64_t>(row))}, all}, nullptr);
  }
  return absl::OkStatus();
}

// Those results that have columns, or those that have one element a row.
absl::Status ElementKernel::EmitResults(Level& level, const Position& position, llvm::Value* mask,
                                        bool whole_rows) {
  int64_t number = 0;
  for (const HloInstruction* root : roots_) {
    const int64_t leaves = root->shape().IsTuple() ? root->shape().tuple_shapes_size() : 1;
    if (HasColumns(*root) == whole_rows) {
      number += leaves;
      continue;
    }
    if (root->opcode() == HloOpcode::kDynamicUpdateSlice) {
      HILO_RETURN_IF_ERROR(EmitUpdate(*root, level, position, mask));
      continue;
    }
    std::vector<Lanes> values;
    if (root->opcode() == HloOpcode::kReduce) {
      HILO_ASSIGN_OR_RETURN(values, ReducedAt(*root, level, position, mask));
    } else {
      HILO_ASSIGN_OR_RETURN(values, level.elements.AllAt(*root, position, mask));
    }
    for (int64_t leaf = 0; leaf < leaves; ++leaf)
      StoreAt(level.b, LeafShape(*root, leaf), values[leaf], ResultArray(number++), position, mask);
  }
  return absl::OkStatus();
}

// The result's memory holds what is updated.
absl::Status ElementKernel::EmitUpdate(const HloInstruction& root, Level& level,
                                       const Position& position, llvm::Value* mask) {
  Level& outermost = *levels_[0];
  Position target = position;
  for (size_t d = 0; d < position.size(); ++d) {
    const HloInstruction& index = *root.operand(2 + static_cast<int64_t>(d));
    const int64_t room = root.shape().dimensions(d) - root.operand(1)->shape().dimensions(d);
    if (room == 0) continue;
    HILO_ASSIGN_OR_RETURN(const Lanes start, outermost.elements.At(index, {}, nullptr));
    target[d].base = level.b.CreateAdd(
        position[d].base, ClampStart(outermost.b, index.shape().element_type(), start, room));
  }
  HILO_ASSIGN_OR_RETURN(const Lanes value, level.elements.At(*root.operand(1), position, mask));
  StoreAt(level.b, root.shape(), value, ResultArray(0), target, mask);
  return absl::OkStatus();
}

// ---- Reductions

Elements::Leaf ElementKernel::OwnLeaf() {
  return [this](Builder& b, int lanes, const HloInstruction& instruction, const Position& position,
                llvm::Value* mask) -> absl::StatusOr<Lanes> {
    int64_t leaf = 0;
    const HloInstruction* source = &instruction;
    if (source->opcode() == HloOpcode::kGetTupleElement) {
      leaf = source->tuple_index();
      source = source->operand(0);
    }
    if (source->opcode() != HloOpcode::kReduce)
      return Leaf()(b, lanes, instruction, position, mask);
    const auto level = absl::c_find_if(levels_, [&](Level* each) { return &each->b == &b; });
    if (level == levels_.end() || (by_rows_ && lanes > 1)) return NoCode(*source);
    HILO_ASSIGN_OR_RETURN(const std::vector<Lanes> values,
                          ReducedAt(*source, **level, position, mask));
    return values[leaf];
  };
}

// Whether elements of a reduction take so long that it does not matter how long they are folded.
bool HidesLatency(const HloInstruction& reduce) {
  std::vector<const HloInstruction*> waiting(reduce.operands().begin(), reduce.operands().end());
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!waiting.empty()) {
    const HloInstruction& instruction = *waiting.back();
    waiting.pop_back();
    if (instruction.opcode() == HloOpcode::kReduce || !seen.insert(&instruction).second) continue;
    if (passes::IsExpensive(instruction)) return true;
    waiting.insert(waiting.end(), instruction.operands().begin(), instruction.operands().end());
  }
  return false;
}

RowVectors ElementKernel::VectorsOfRow(const HloInstruction& reduce) const {
  const int64_t columns = reduce.operand(0)->shape().dimensions().back();
  RowVectors vectors;
  vectors.lanes = columns < kShortRow ? 1 : LanesFor(columns);
  if (vectors.lanes > columns) vectors.lanes /= 2;
  const int most = HidesLatency(reduce) ? 1 : computation_.instruction_count() < 16 ? 4 : 2;
  while (vectors.unroll < most && columns >= 4 * vectors.unroll * vectors.lanes)
    vectors.unroll *= 2;
  return vectors;
}

// What is reduced in the same loops is computed together: reductions that wait for no other, then
// those that wait for them, and so on.
absl::StatusOr<std::vector<Lanes>> ElementKernel::ReducedAt(const HloInstruction& reduce,
                                                            Level& level, const Position& position,
                                                            llvm::Value* mask) {
  if (const auto found = reduced_.find({&reduce, position}); found != reduced_.end())
    return found->second;
  if (reduce.dimensions().empty()) {
    std::vector<Lanes> initial, values;
    const int64_t count = reduce.operand_count() / 2;
    for (int64_t k = 0; k < count; ++k) {
      HILO_ASSIGN_OR_RETURN(initial.emplace_back(),
                            level.elements.At(*reduce.operand(count + k), {}, nullptr));
      HILO_ASSIGN_OR_RETURN(values.emplace_back(),
                            level.elements.At(*reduce.operand(k), position, mask));
    }
    return Fold(level.b, *reduce.to_apply(), initial, values);
  }
  std::vector<const HloInstruction*> together;
  for (const HloInstruction* each : reduces_) {
    if (depths_.at(each) == depths_.at(&reduce)) together.push_back(each);
  }
  std::vector<Lanes> values;
  if (by_rows_) {
    const Phase phase(*this);
    HILO_ASSIGN_OR_RETURN(values, ReduceRow(level, together, position, VectorsOfRow(reduce)));
  } else {
    HILO_ASSIGN_OR_RETURN(values, ReduceColumns(level, together, position, mask));
  }
  size_t at = 0;
  for (const HloInstruction* each : together) {
    std::vector<Lanes>& own = reduced_[{each, position}];
    for (int64_t k = 0; k < each->operand_count() / 2; ++k) own.push_back(values[at++]);
  }
  return reduced_.at({&reduce, position});
}

// ---- Values that are kept for the row

bool ElementKernel::IsOfThisRow(const HloInstruction& instruction, const Position& position) const {
  if (!HasColumns(instruction) || position.back().step != 1 || position.back().lanes != nullptr)
    return false;
  return absl::c_equal(row_, absl::MakeConstSpan(position).first(row_.size()));
}

Lanes ElementKernel::Recall(Builder& b, int lanes, const HloInstruction& instruction,
                            const Position& position, llvm::Value* mask) {
  if (const auto tile = tiles_.find(&instruction); tile != tiles_.end() && position == in_tile_) {
    if (is_unrolled_)
      return tile->second.rows[llvm::cast<llvm::ConstantInt>(row_in_tile_)->getZExtValue()];
    return LoadAt(b, TileShape(instruction, tile_rows_, lanes), tile->second.memory,
                  {{row_in_tile_}, {b.getInt64(0), 1}}, lanes, nullptr);
  }
  const auto found = kept_.find(&instruction);
  if (found == kept_.end() || found->second.stored_in < 0 ||
      !is_complete_[found->second.stored_in] || !IsOfThisRow(instruction, position))
    return {};
  const Shape row = ShapeUtil::MakeShape(KeptType(instruction), {columns_});
  return LoadAt(b, row, found->second.memory, {position.back()}, lanes, mask);
}

void ElementKernel::Remember(Builder& b, const HloInstruction& instruction,
                             const Position& position, const Lanes& value, llvm::Value* mask) {
  const auto found = kept_.find(&instruction);
  if (found == kept_.end() || !IsOfThisRow(instruction, position)) return;
  Kept& kept = found->second;
  if (kept.stored_in >= 0 && kept.stored_in != phase_) return;
  kept.stored_in = phase_;
  const Shape row = ShapeUtil::MakeShape(KeptType(instruction), {columns_});
  StoreAt(b, row, value, kept.memory, {position.back()}, mask);
}

}  // namespace

absl::StatusOr<Kernel> EmitElementKernel(llvm::Module& module, const HloComputation& computation,
                                         const std::string& name) {
  return ElementKernel(module, computation, name).Emit();
}

}  // namespace xla::cpu
