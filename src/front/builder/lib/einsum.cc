// Products of arrays by the summation convention.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Labels = std::vector<int64_t>;

bool Has(const Labels& labels, int64_t label) { return absl::c_linear_search(labels, label); }

int64_t PlaceOf(const Labels& labels, int64_t label) {
  return absl::c_find(labels, label) - labels.begin();
}

// The labels of one operand of the given rank, or of the result, where "..." stands for
// `ellipsis_rank` dimensions.
absl::StatusOr<Labels> ParseLabels(absl::string_view part, int64_t ellipsis_rank) {
  Labels labels;
  bool has_ellipsis = false;
  for (size_t i = 0; i < part.size(); ++i) {
    if (absl::ascii_isalpha(part[i])) {
      labels.push_back(part[i]);
    } else if (absl::StartsWith(part.substr(i), "...") && !has_ellipsis) {
      has_ellipsis = true;
      i += 2;
      for (int64_t k = ellipsis_rank; k > 0; --k) labels.push_back(-k);
    } else {
      return InvalidArgument("einsum: unexpected '%c' in \"%s\"", part[i], part);
    }
  }
  return labels;
}

// The number of dimensions that "..." of an operand of that rank stands for.
absl::StatusOr<int64_t> EllipsisRank(absl::string_view part, int64_t rank) {
  const int64_t letters = absl::c_count_if(part, absl::ascii_isalpha);
  const bool has_ellipsis = absl::StrContains(part, "...");
  if (letters > rank || (!has_ellipsis && letters != rank)) {
    return InvalidArgument("einsum: \"%s\" does not fit an operand of rank %d", part, rank);
  }
  return rank - letters;
}

// An operand of a product on its way to the form that DotGeneral takes.
class Operand {
 public:
  Operand(XlaOp op, Shape shape, Labels labels)
      : op_(op), shape_(std::move(shape)), labels_(std::move(labels)) {}

  static absl::StatusOr<Operand> Create(XlaOp op, absl::Span<const int64_t> labels) {
    HILO_ASSIGN_OR_RETURN(Shape shape, op.builder()->GetShape(op));
    if (!shape.IsArray() || static_cast<size_t>(shape.dimensions_size()) != labels.size()) {
      return InvalidArgument("einsum: %d labels for the operand %s", labels.size(),
                             shape.ToString());
    }
    return Operand(op, std::move(shape), Labels(labels.begin(), labels.end()));
  }

  XlaOp op() const { return op_; }
  const Labels& labels() const { return labels_; }
  int64_t SizeOf(int64_t label) const {
    return shape_.dimensions(static_cast<int>(PlaceOf(labels_, label)));
  }

  // Keeps the diagonal of dimensions with the same label.
  absl::Status TakeDiagonals() {
    for (size_t i = 0; i < labels_.size(); ++i) {
      for (size_t j = i + 1; j < labels_.size();) {
        if (labels_[j] != labels_[i]) {
          ++j;
          continue;
        }
        if (shape_.dimensions(static_cast<int>(i)) != shape_.dimensions(static_cast<int>(j))) {
          return InvalidArgument("einsum: dimensions %d and %d of %s have the same label", i, j,
                                 shape_.ToString());
        }
        const Shape places = ShapeUtil::MakeShape(S32, shape_.dimensions());
        const XlaOp on_diagonal = Eq(Iota(op_.builder(), places, static_cast<int64_t>(i)),
                                     Iota(op_.builder(), places, static_cast<int64_t>(j)));
        op_ = Select(on_diagonal, op_, ZerosLike(op_));
        HILO_RETURN_IF_ERROR(SumOver(j));
      }
    }
    return absl::OkStatus();
  }

  // Sums over the dimensions whose labels nobody needs.
  absl::Status SumUnless(const Labels& a, const Labels& b) {
    for (size_t i = 0; i < labels_.size();) {
      if (Has(a, labels_[i]) || Has(b, labels_[i])) {
        ++i;
      } else {
        HILO_RETURN_IF_ERROR(SumOver(i));
      }
    }
    return absl::OkStatus();
  }

  // Removes the dimension of size 1.
  absl::Status Drop(int64_t label) {
    const size_t place = static_cast<size_t>(PlaceOf(labels_, label));
    std::vector<int64_t> sizes(shape_.dimensions().begin(), shape_.dimensions().end());
    sizes.erase(sizes.begin() + static_cast<int64_t>(place));
    op_ = Reshape(op_, sizes);
    return Forget(place);
  }

 private:
  absl::Status SumOver(size_t dimension) {
    XlaBuilder* builder = op_.builder();
    const PrimitiveType type = shape_.element_type();
    op_ = Reduce(op_, Zero(builder, type), CreateScalarAddComputation(type, builder),
                 {static_cast<int64_t>(dimension)});
    return Forget(dimension);
  }

  absl::Status Forget(size_t dimension) {
    labels_.erase(labels_.begin() + static_cast<int64_t>(dimension));
    HILO_ASSIGN_OR_RETURN(shape_, op_.builder()->GetShape(op_));
    return absl::OkStatus();
  }

  XlaOp op_;
  Shape shape_;
  Labels labels_;
};

absl::Status CheckResultLabels(const Labels& result, const Labels& x, const Labels& y) {
  for (size_t i = 0; i < result.size(); ++i) {
    if (!Has(x, result[i]) && !Has(y, result[i])) {
      return InvalidArgument("einsum: dimension %d of the result is in no operand", i);
    }
    if (PlaceOf(result, result[i]) != static_cast<int64_t>(i)) {
      return InvalidArgument("einsum: a label occurs twice in the result");
    }
  }
  return absl::OkStatus();
}

// Where one operand has size 1 and the other not, the first does not need the dimension.
absl::Status DropRepeatedDimensions(Operand& x, Operand& y) {
  const Labels shared = x.labels();
  for (int64_t label : shared) {
    if (!Has(y.labels(), label) || x.SizeOf(label) == y.SizeOf(label)) continue;
    if (x.SizeOf(label) == 1) {
      HILO_RETURN_IF_ERROR(x.Drop(label));
    } else if (y.SizeOf(label) == 1) {
      HILO_RETURN_IF_ERROR(y.Drop(label));
    } else {
      return InvalidArgument("einsum: one label has sizes %d and %d", x.SizeOf(label),
                             y.SizeOf(label));
    }
  }
  return absl::OkStatus();
}

}  // namespace

XlaOp Einsum(XlaOp x, absl::Span<const int64_t> x_config, XlaOp y,
             absl::Span<const int64_t> y_config, absl::Span<const int64_t> output_config,
             PrecisionConfig::Precision precision,
             std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    const Labels result(output_config.begin(), output_config.end());
    HILO_ASSIGN_OR_RETURN(Operand left, Operand::Create(x, x_config));
    HILO_ASSIGN_OR_RETURN(Operand right, Operand::Create(y, y_config));
    HILO_RETURN_IF_ERROR(CheckResultLabels(result, left.labels(), right.labels()));
    HILO_RETURN_IF_ERROR(left.TakeDiagonals());
    HILO_RETURN_IF_ERROR(right.TakeDiagonals());
    HILO_RETURN_IF_ERROR(DropRepeatedDimensions(left, right));
    HILO_RETURN_IF_ERROR(left.SumUnless(right.labels(), result));
    HILO_RETURN_IF_ERROR(right.SumUnless(left.labels(), result));

    DotDimensionNumbers numbers;
    Labels labels;  // of the product: batch, then what only one operand has
    for (int64_t label : left.labels()) {
      if (!Has(right.labels(), label)) continue;
      const int64_t left_place = PlaceOf(left.labels(), label);
      const int64_t right_place = PlaceOf(right.labels(), label);
      if (Has(result, label)) {
        numbers.add_lhs_batch_dimensions(left_place);
        numbers.add_rhs_batch_dimensions(right_place);
        labels.push_back(label);
      } else {
        numbers.add_lhs_contracting_dimensions(left_place);
        numbers.add_rhs_contracting_dimensions(right_place);
      }
    }
    for (int64_t label : left.labels()) {
      if (!Has(right.labels(), label)) labels.push_back(label);
    }
    for (int64_t label : right.labels()) {
      if (!Has(left.labels(), label)) labels.push_back(label);
    }
    PrecisionConfig config;
    config.add_operand_precision(precision);
    config.add_operand_precision(precision);
    const XlaOp dot = DotGeneral(left.op(), right.op(), numbers, &config, preferred_element_type);
    HILO_RETURN_IF_ERROR(builder->first_error());
    if (grad_x) {
      HILO_RETURN_IF_ERROR(builder->SetInstructionFrontendAttribute(dot, "grad_x", "true"));
    }
    if (grad_y) {
      HILO_RETURN_IF_ERROR(builder->SetInstructionFrontendAttribute(dot, "grad_y", "true"));
    }
    if (labels == result) return dot;
    std::vector<int64_t> permutation;
    for (int64_t label : result) permutation.push_back(PlaceOf(labels, label));
    return Transpose(dot, permutation);
  });
}

XlaOp Einsum(XlaOp x, XlaOp y, absl::string_view einsum_config,
             PrecisionConfig::Precision precision,
             std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  XlaBuilder* builder = x.builder();
  return builder->ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
    const std::string normalized = NormalizeEinsumString(einsum_config);
    if (!normalized.empty()) einsum_config = normalized;
    HILO_ASSIGN_OR_RETURN(const Shape x_shape, builder->GetShape(x));
    HILO_ASSIGN_OR_RETURN(const Shape y_shape, builder->GetShape(y));
    HILO_ASSIGN_OR_RETURN(
        const auto labels,
        ParseEinsumString(einsum_config, x_shape.dimensions_size(), y_shape.dimensions_size()));
    return Einsum(x, labels[0], y, labels[1], labels[2], precision, preferred_element_type, grad_x,
                  grad_y);
  });
}

XlaOp Einsum(XlaOp x, absl::string_view einsum_config, PrecisionConfig::Precision precision) {
  return Einsum(ScalarLike(x, 1), x, absl::StrCat(",", einsum_config), precision);
}

XlaOp BatchDot(XlaOp x, XlaOp y, PrecisionConfig::Precision precision,
               std::optional<PrimitiveType> preferred_element_type) {
  return BatchDot(x, false, y, false, precision, preferred_element_type);
}

XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y,
               PrecisionConfig::Precision precision,
               std::optional<PrimitiveType> preferred_element_type, bool grad_x, bool grad_y) {
  const std::string config = absl::StrCat(transpose_x ? "...km" : "...mk", ",",
                                          transpose_y ? "...nk" : "...kn", "->...mn");
  return Einsum(x, y, config, precision, preferred_element_type, grad_x, grad_y);
}

absl::StatusOr<std::array<std::vector<int64_t>, 3>> ParseEinsumString(
    absl::string_view einsum_config, int64_t x_rank, int64_t y_rank) {
  const std::vector<std::string> sides = absl::StrSplit(einsum_config, "->");
  if (sides.size() != 2) {
    return InvalidArgument("einsum: \"%s\" needs one \"->\" before the result", einsum_config);
  }
  const std::vector<std::string> operands = absl::StrSplit(sides[0], ',');
  if (operands.size() != 2) {
    return InvalidArgument("einsum: \"%s\" names %d operands, not 2", einsum_config,
                           operands.size());
  }
  HILO_ASSIGN_OR_RETURN(const int64_t x_ellipsis, EllipsisRank(operands[0], x_rank));
  HILO_ASSIGN_OR_RETURN(const int64_t y_ellipsis, EllipsisRank(operands[1], y_rank));
  std::array<std::vector<int64_t>, 3> labels;
  HILO_ASSIGN_OR_RETURN(labels[0], ParseLabels(operands[0], x_ellipsis));
  HILO_ASSIGN_OR_RETURN(labels[1], ParseLabels(operands[1], y_ellipsis));
  HILO_ASSIGN_OR_RETURN(labels[2], ParseLabels(sides[1], std::max(x_ellipsis, y_ellipsis)));
  return labels;
}

std::string NormalizeEinsumString(absl::string_view einsum_config) {
  if (absl::StrContains(einsum_config, "->")) return "";
  std::map<char, int> counts;
  for (char c : einsum_config) {
    if (absl::ascii_isalpha(c)) ++counts[c];
  }
  std::string result = absl::StrCat(einsum_config, "->");
  if (absl::StrContains(einsum_config, "...")) result += "...";
  for (const auto& [letter, count] : counts) {
    if (count == 1) result += letter;
  }
  return result;
}

}  // namespace xla
