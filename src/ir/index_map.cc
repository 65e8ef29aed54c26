#include "ir/index_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/records.h"

namespace xla {
namespace {

int64_t FloorOf(int64_t number, int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}

}  // namespace

// ---- Expressions

bool IndexExpr::Term::IsLike(const Term& other) const {
  if (kind != other.kind) return false;
  if (kind == Kind::kVariable) return variable == other.variable;
  return divisor == other.divisor && *of == *other.of;
}

void IndexExpr::Add(Term term) {
  const auto like = absl::c_find_if(terms_, [&](const Term& own) { return own.IsLike(term); });
  if (like == terms_.end()) {
    if (term.factor != 0) terms_.push_back(std::move(term));
    return;
  }
  like->factor += term.factor;
  if (like->factor == 0) terms_.erase(like);
}

IndexExpr IndexExpr::Constant(int64_t number) {
  IndexExpr expr;
  expr.constant_ = number;
  return expr;
}

IndexExpr IndexExpr::Variable(int variable) {
  IndexExpr expr;
  expr.terms_.push_back({1, Kind::kVariable, variable});
  return expr;
}

IndexExpr IndexExpr::FloorDiv(int64_t divisor) const {
  if (divisor == 1) return *this;
  if (terms_.empty()) return Constant(FloorOf(constant_, divisor));
  IndexExpr expr;
  expr.terms_.push_back({1, Kind::kQuotient, 0, std::make_shared<const IndexExpr>(*this), divisor});
  return expr;
}

IndexExpr IndexExpr::Mod(int64_t divisor) const {
  if (divisor == 1) return IndexExpr();
  if (terms_.empty()) return Constant(constant_ - FloorOf(constant_, divisor) * divisor);
  IndexExpr expr;
  expr.terms_.push_back(
      {1, Kind::kRemainder, 0, std::make_shared<const IndexExpr>(*this), divisor});
  return expr;
}

IndexExpr operator+(const IndexExpr& x, const IndexExpr& y) {
  IndexExpr sum = x;
  sum.constant_ += y.constant_;
  for (const IndexExpr::Term& term : y.terms_) sum.Add(term);
  return sum;
}

IndexExpr operator*(const IndexExpr& x, int64_t factor) {
  if (factor == 0) return IndexExpr();
  IndexExpr product = x;
  product.constant_ *= factor;
  for (IndexExpr::Term& term : product.terms_) term.factor *= factor;
  return product;
}

bool IndexExpr::operator==(const IndexExpr& other) const {
  return constant_ == other.constant_ && terms_.size() == other.terms_.size() &&
         absl::c_all_of(terms_, [&](const Term& own) {
           return absl::c_any_of(other.terms_, [&](const Term& term) {
             return own.factor == term.factor && own.IsLike(term);
           });
         });
}

bool IndexExpr::IsLinear() const {
  return absl::c_all_of(terms_, [](const Term& term) { return term.kind == Kind::kVariable; });
}

int IndexExpr::AsVariable() const {
  const bool is_variable = constant_ == 0 && terms_.size() == 1 && terms_[0].factor == 1 &&
                           terms_[0].kind == Kind::kVariable;
  return is_variable ? terms_[0].variable : -1;
}

int64_t IndexExpr::Evaluate(absl::Span<const int64_t> variables) const {
  int64_t sum = constant_;
  for (const Term& term : terms_) {
    int64_t value = 0;
    if (term.kind == Kind::kVariable) {
      value = variables[term.variable];
    } else {
      const int64_t of = term.of->Evaluate(variables);
      const int64_t quotient = FloorOf(of, term.divisor);
      value = term.kind == Kind::kQuotient ? quotient : of - quotient * term.divisor;
    }
    sum += term.factor * value;
  }
  return sum;
}

IndexExpr IndexExpr::Substitute(absl::Span<const IndexExpr> variables) const {
  IndexExpr sum = Constant(constant_);
  for (const Term& term : terms_) {
    if (term.kind == Kind::kVariable) {
      sum = sum + variables[term.variable] * term.factor;
      continue;
    }
    const IndexExpr of = term.of->Substitute(variables);
    sum = sum + (term.kind == Kind::kQuotient ? of.FloorDiv(term.divisor) : of.Mod(term.divisor)) *
                    term.factor;
  }
  return sum;
}

IndexExpr::Range IndexExpr::RangeOf(absl::Span<const int64_t> sizes) const {
  Range range = {constant_, constant_};
  for (const Term& term : terms_) {
    Range own = {0, term.kind == Kind::kVariable ? sizes[term.variable] - 1 : term.divisor - 1};
    if (term.kind == Kind::kQuotient) {
      const Range of = term.of->RangeOf(sizes);
      own = {FloorOf(of.least, term.divisor), FloorOf(of.most, term.divisor)};
    }
    range.least += std::min(own.least * term.factor, own.most * term.factor);
    range.most += std::max(own.least * term.factor, own.most * term.factor);
  }
  return range;
}

IndexExpr IndexExpr::Simplify(absl::Span<const int64_t> sizes) const {
  IndexExpr sum = Constant(constant_);
  for (const Term& term : terms_) {
    if (term.kind == Kind::kVariable) {
      if (sizes[term.variable] != 1) sum.Add(term);
      continue;
    }
    // What the divisor divides leaves quotients and remainders.
    const IndexExpr of = term.of->Simplify(sizes);
    const int64_t divisor = term.divisor;
    IndexExpr whole = Constant(FloorOf(of.constant_, divisor));
    IndexExpr rest = Constant(of.constant_ - whole.constant_ * divisor);
    for (Term part : of.terms_) {
      const bool is_whole = part.factor % divisor == 0;
      if (is_whole) part.factor /= divisor;
      (is_whole ? whole : rest).Add(std::move(part));
    }
    const Range range = rest.RangeOf(sizes);
    const int64_t turns = FloorOf(range.least, divisor);
    const bool is_known = turns == FloorOf(range.most, divisor);
    IndexExpr value;
    if (term.kind == Kind::kRemainder) {
      value = is_known ? rest + Constant(-turns * divisor) : rest.Mod(divisor);
    } else {
      // A quotient of a quotient is one.
      const bool is_quotient = rest.constant_ == 0 && rest.terms_.size() == 1 &&
                               rest.terms_[0].factor == 1 && rest.terms_[0].kind == Kind::kQuotient;
      value = whole + (is_known      ? Constant(turns)
                       : is_quotient ? rest.terms_[0].of->FloorDiv(divisor * rest.terms_[0].divisor)
                                     : rest.FloorDiv(divisor));
    }
    sum = sum + value * term.factor;
  }
  // x floordiv n * n + x mod n is x.
  for (const Term& term : sum.terms_) {
    if (term.kind != Kind::kRemainder) continue;
    Term quotient = term;
    quotient.kind = Kind::kQuotient;
    const auto other =
        absl::c_find_if(sum.terms_, [&](const Term& own) { return own.IsLike(quotient); });
    if (other == sum.terms_.end() || other->factor != term.factor * term.divisor) continue;
    const IndexExpr joined = *term.of * term.factor;
    IndexExpr others = Constant(sum.constant_);
    for (const Term& own : sum.terms_) {
      if (&own != &term && &own != &*other) others.Add(own);
    }
    return (others + joined).Simplify(sizes);
  }
  return sum;
}

// ---- Maps

IndexMap IndexMap::Identity(absl::Span<const int64_t> sizes) {
  IndexMap map = {std::vector<int64_t>(sizes.begin(), sizes.end()), static_cast<int>(sizes.size())};
  for (int d = 0; d < map.dimensions; ++d) map.results.push_back(IndexExpr::Variable(d));
  return map;
}

IndexMap IndexMap::Simplify() const {
  IndexMap map = *this;
  for (IndexExpr& result : map.results) result = result.Simplify(sizes);
  map.guards.clear();
  for (Guard guard : guards) {
    guard.expr = guard.expr.Simplify(sizes);
    const IndexExpr::Range range = guard.expr.RangeOf(sizes);
    const bool always = range.least >= guard.begin && range.most < guard.end;
    if (!always && !absl::c_linear_search(map.guards, guard)) map.guards.push_back(guard);
  }
  return map;
}

IndexMap Compose(const IndexMap& outer, const IndexMap& inner) {
  IndexMap map = {outer.sizes, outer.dimensions, {}, outer.guards};
  std::vector<IndexExpr> variables = outer.results;
  for (size_t i = static_cast<size_t>(inner.dimensions); i < inner.sizes.size(); ++i) {
    variables.push_back(IndexExpr::Variable(static_cast<int>(map.sizes.size())));
    map.sizes.push_back(inner.sizes[i]);
  }
  for (const IndexExpr& result : inner.results) map.results.push_back(result.Substitute(variables));
  for (const IndexMap::Guard& guard : inner.guards)
    map.guards.push_back({guard.expr.Substitute(variables), guard.begin, guard.end});
  return map.Simplify();
}

// ---- Operations

namespace {

// The index of the element with the same number in row-major order.
void Reshape(absl::Span<const int64_t> from, absl::Span<const int64_t> to, IndexMap& map) {
  map.results.assign(to.size(), IndexExpr());
  if (absl::c_linear_search(to, 0)) return;
  size_t i = from.size(), j = to.size();
  // Dimensions of both fall into groups of the same number of elements.
  while (i > 0 || j > 0) {
    const size_t last_i = i, last_j = j;
    int64_t size_i = 1, size_j = 1;
    do {
      if (i > 0 && (size_i <= size_j || j == 0)) {
        size_i *= from[--i];
      } else if (j > 0) {
        size_j *= to[--j];
      }
    } while (size_i != size_j && (i > 0 || j > 0));
    IndexExpr number;
    for (size_t d = i; d < last_i; ++d)
      number = number * from[d] + IndexExpr::Variable(static_cast<int>(d));
    int64_t stride = 1;
    for (size_t d = last_j; d-- > j;) {
      map.results[d] = number.FloorDiv(stride).Mod(to[d]);
      stride *= to[d];
    }
  }
}

void Concatenate(const HloInstruction& instruction, int64_t operand, IndexMap& map) {
  const int64_t along = instruction.dimensions(0);
  int64_t begin = 0;
  for (int64_t i = 0; i < operand; ++i) begin += instruction.operand(i)->shape().dimensions(along);
  map.results[along] = map.results[along] + IndexExpr::Constant(-begin);
  map.guards.push_back(
      {map.results[along], 0, instruction.operand(operand)->shape().dimensions(along)});
}

IndexExpr AddSymbol(int64_t size, IndexMap& map) {
  map.sizes.push_back(size);
  return IndexExpr::Variable(static_cast<int>(map.sizes.size()) - 1);
}

// Along a dimension whose `size` elements lie `step` apart, at a number that may be none of theirs.
void MoveInto(int d, const IndexExpr& number, int64_t size, int64_t step, bool may_be_outside,
              IndexMap& map) {
  if (may_be_outside || step != 1)
    map.guards.push_back({number, 0, size == 0 ? 0 : (size - 1) * step + 1});
  if (step != 1) map.guards.push_back({number.Mod(step), 0, 1});
  map.results[d] = number.FloorDiv(step);
}

void Pad(const HloInstruction& instruction, IndexMap& map) {
  for (int d = 0; d < map.dimensions; ++d) {
    const auto& padding = instruction.padding_config().dimensions(d);
    MoveInto(d, map.results[d] + IndexExpr::Constant(-padding.edge_padding_low()),
             instruction.operand(0)->shape().dimensions(d), padding.interior_padding() + 1,
             padding.edge_padding_low() != 0 || padding.edge_padding_high() != 0, map);
  }
}

void ReduceWindow(const HloInstruction& instruction, IndexMap& map) {
  for (int d = 0; d < map.dimensions; ++d) {
    const WindowDimension& window = instruction.window().dimensions(d);
    const IndexExpr number = map.results[d] * window.stride() +
                             AddSymbol(window.size(), map) * window.window_dilation() +
                             IndexExpr::Constant(-window.padding_low());
    MoveInto(d, number, instruction.operand(0)->shape().dimensions(d), window.base_dilation(),
             window.padding_low() > 0 || window.padding_high() > 0, map);
  }
}

void Reduce(const HloInstruction& reduce, IndexMap& map) {
  const Shape& input = reduce.operand(0)->shape();
  int kept = 0;
  map.results.clear();
  for (int64_t d = 0; d < input.dimensions_size(); ++d) {
    map.results.push_back(absl::c_linear_search(reduce.dimensions(), d)
                              ? AddSymbol(input.dimensions(d), map)
                              : IndexExpr::Variable(kept++));
  }
}

// Dimensions of windows in an array whose starts are numbers in another one.
struct IndexedWindows {
  explicit IndexedWindows(const HloInstruction& instruction)
      : array(instruction.operand(0)->shape()) {
    if (instruction.opcode() == HloOpcode::kGather) {
      const auto& gather = instruction.attributes_as<GatherAttributes>();
      indices = 1;
      windows = gather.offset_dims, absent = gather.collapsed_slice_dims;
      batches = gather.operand_batching_dims, of_batches = gather.start_indices_batching_dims;
      starts = gather.start_index_map, vector_dimension = gather.index_vector_dim;
      slice_sizes = gather.slice_sizes;
      return;
    }
    const auto& scatter = instruction.attributes_as<ScatterAttributes>();
    indices = instruction.operand_count() / 2;
    windows = scatter.update_window_dims, absent = scatter.inserted_window_dims;
    batches = scatter.input_batching_dims, of_batches = scatter.scatter_indices_batching_dims;
    starts = scatter.scatter_dims_to_operand_dims, vector_dimension = scatter.index_vector_dim;
  }

  // Gathers begin where the slice lies inside, if there is more than one such place.
  int64_t Starts(int64_t d) const {
    return array.dimensions(d) - (slice_sizes.empty() ? 0 : slice_sizes[d] - 1);
  }
  bool HasSymbol(int64_t d) const { return slice_sizes.empty() || Starts(d) > 1; }

  // Of the variables that are the index of a window, those that say which window it is.
  std::vector<IndexExpr> Outer(int dimensions) const {
    std::vector<IndexExpr> outer;
    for (int d = 0; d < dimensions; ++d) {
      if (!absl::c_linear_search(windows, d)) outer.push_back(IndexExpr::Variable(d));
    }
    return outer;
  }

  void SetResults(IndexMap& map) const {
    const std::vector<IndexExpr> outer = Outer(map.dimensions);
    map.results.assign(array.dimensions_size(), IndexExpr());
    auto window = windows.begin();
    for (int d = 0; d < array.dimensions_size(); ++d) {
      if (!absl::c_linear_search(absent, d) && !absl::c_linear_search(batches, d))
        map.results[d] = IndexExpr::Variable(static_cast<int>(*window++));
    }
    for (size_t k = 0; k < batches.size(); ++k)
      map.results[batches[k]] = outer[of_batches[k] - (of_batches[k] > vector_dimension ? 1 : 0)];
    for (int64_t d : starts) {
      if (HasSymbol(d)) map.results[d] = map.results[d] + AddSymbol(Starts(d), map);
      if (slice_sizes.empty()) map.guards.push_back({map.results[d], 0, array.dimensions(d)});
    }
  }

  const Shape& array;
  int64_t indices, vector_dimension;
  absl::Span<const int64_t> windows, absent, batches, of_batches, starts, slice_sizes;
};

void AddStarts(const Shape& array, IndexMap& map) {
  for (int d = 0; d < map.dimensions; ++d) {
    const int64_t starts = array.dimensions(d) - map.sizes[d] + 1;
    if (starts > 1) map.results[d] = map.results[d] + AddSymbol(starts, map);
  }
}

// Where in an update that begins somewhere an element is.
void SubtractStarts(const Shape& update, IndexMap& map) {
  for (int d = 0; d < map.dimensions; ++d) {
    const int64_t starts = map.sizes[d] - update.dimensions(d) + 1;
    if (starts == 1) continue;
    map.results[d] = map.results[d] + AddSymbol(starts, map) * -1;
    map.guards.push_back({map.results[d], 0, update.dimensions(d)});
  }
}

// Symbols are the contracted dimensions.
void Dot(const HloInstruction& dot, int64_t number, IndexMap& map) {
  const auto& attributes = dot.attributes_as<DotAttributes>();
  const auto& batch = number == 0 ? attributes.lhs_batch : attributes.rhs_batch;
  const auto& contracting = number == 0 ? attributes.lhs_contracting : attributes.rhs_contracting;
  const Shape& side = dot.operand(number)->shape();
  const int rank = side.dimensions_size(), outer = static_cast<int>(batch.size());
  const int free = rank - outer - static_cast<int>(contracting.size());
  map.results.resize(rank);
  for (int i = 0; i < outer; ++i) map.results[batch[i]] = IndexExpr::Variable(i);
  for (int64_t d : contracting)
    map.results[d] = AddSymbol(side.dimensions(static_cast<int>(d)), map);
  int next = number == 0 ? outer : map.dimensions - free;
  for (int d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d))
      map.results[d] = IndexExpr::Variable(next++);
  }
}

}  // namespace

std::optional<IndexMap> OperandMap(const HloInstruction& instruction, int64_t number) {
  const HloInstruction& operand = *instruction.operand(number);
  const Shape& shape =
      instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(0) : instruction.shape();
  if (!shape.IsArray() || !operand.shape().IsArray()) return std::nullopt;
  IndexMap map = IndexMap::Identity(shape.dimensions());
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
      map.results.clear();
      for (int64_t d : instruction.dimensions())
        map.results.push_back(IndexExpr::Variable(static_cast<int>(d)));
      return map;
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
      Reshape(shape.dimensions(), operand.shape().dimensions(), map);
      return map.Simplify();
    case HloOpcode::kTranspose:
      for (int d = 0; d < map.dimensions; ++d)
        map.results[instruction.dimensions(d)] = IndexExpr::Variable(d);
      return map;
    case HloOpcode::kSlice: {
      const auto& ranges = instruction.attributes_as<SliceAttributes>().ranges;
      for (int d = 0; d < map.dimensions; ++d)
        map.results[d] = map.results[d] * ranges[d].stride + IndexExpr::Constant(ranges[d].start);
      return map;
    }
    case HloOpcode::kReverse:
      for (int64_t d : instruction.dimensions())
        map.results[d] = map.results[d] * -1 + IndexExpr::Constant(map.sizes[d] - 1);
      return map;
    case HloOpcode::kConcatenate:
      Concatenate(instruction, number, map);
      return map;
    case HloOpcode::kPad:
      if (number == 0) Pad(instruction, map);
      break;
    case HloOpcode::kDynamicSlice:
      if (number == 0) AddStarts(operand.shape(), map);
      break;
    case HloOpcode::kDynamicUpdateSlice:
      if (number == 1) SubtractStarts(operand.shape(), map);
      break;
    case HloOpcode::kGather:
      if (number != 0) return std::nullopt;
      IndexedWindows(instruction).SetResults(map);
      return map;
    case HloOpcode::kReduce:
      if (number < instruction.operand_count() / 2) Reduce(instruction, map);
      break;
    case HloOpcode::kDot:
      if (number > 1) return std::nullopt;
      Dot(instruction, number, map);
      return map;
    case HloOpcode::kReduceWindow:
      if (number < instruction.operand_count() / 2) ReduceWindow(instruction, map);
      break;
    default:
      if (!instruction.IsElementwise()) return std::nullopt;
      break;
  }
  // Scalars are the same everywhere.
  if (operand.shape().dimensions_size() == 0) map.results.clear();
  if (static_cast<int>(map.results.size()) != operand.shape().dimensions_size())
    return std::nullopt;
  return map;
}

IndexMap UpdateMap(const HloInstruction& instruction) {
  const bool is_scatter = instruction.opcode() == HloOpcode::kScatter;
  const Shape& updates =
      instruction.operand(is_scatter ? instruction.operand_count() / 2 + 1 : 1)->shape();
  IndexMap map = IndexMap::Identity(updates.dimensions());
  if (is_scatter) {
    IndexedWindows(instruction).SetResults(map);
  } else if (instruction.opcode() == HloOpcode::kSelectAndScatter) {
    ReduceWindow(instruction, map);
  } else {
    AddStarts(instruction.shape(), map);
  }
  return map;
}

std::vector<Start> StartsOf(const HloInstruction& instruction) {
  const bool is_read = instruction.opcode() == HloOpcode::kDynamicSlice ||
                       instruction.opcode() == HloOpcode::kGather;
  const IndexMap map = is_read ? *OperandMap(instruction, 0) : UpdateMap(instruction);
  IndexMap index = {{map.sizes.begin(), map.sizes.begin() + map.dimensions}, map.dimensions};
  int symbol = map.dimensions;
  std::vector<Start> starts;
  if (instruction.opcode() == HloOpcode::kDynamicSlice ||
      instruction.opcode() == HloOpcode::kDynamicUpdateSlice) {
    for (int d = 0; d < map.dimensions; ++d) {
      if (map.results[d].AsVariable() < 0)
        starts.push_back({symbol++, (is_read ? 1 : 2) + d, index});
    }
    return starts;
  }
  const IndexedWindows windows(instruction);
  const Shape& indices = instruction.operand(windows.indices)->shape();
  for (size_t k = 0; k < windows.starts.size(); ++k) {
    if (!windows.HasSymbol(windows.starts[k])) continue;
    index.results = windows.Outer(map.dimensions);
    if (windows.vector_dimension < indices.dimensions_size()) {
      index.results.insert(index.results.begin() + windows.vector_dimension,
                           IndexExpr::Constant(static_cast<int64_t>(k)));
    }
    starts.push_back({symbol++, windows.indices, index});
  }
  return starts;
}

}  // namespace xla
