#include "passes/work.h"

#include <algorithm>
#include <cmath>

#include "ir/op_info.h"
#include "xla/shape_util.h"

namespace xla::passes {
namespace {

// Elements of all arrays of a shape.
double CountOf(const Shape& shape) {
  double count = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray()) count += static_cast<double>(ShapeUtil::ElementsIn(part));
  });
  return count;
}

double ElementsOf(const Shape& array) {
  return array.IsArray() ? static_cast<double>(ShapeUtil::ElementsIn(array)) : 0;
}

// The first array of a result: several reductions at once are one each.
const Shape& FirstArray(const Shape& shape) {
  return shape.IsTuple() && !shape.tuple_shapes().empty() ? shape.tuple_shapes(0) : shape;
}

double WindowSize(const Window& window) {
  double size = 1;
  for (const WindowDimension& dimension : window.dimensions())
    size *= static_cast<double>(dimension.size());
  return size;
}

// A multiplication and an addition for each element of the result and of what is summed over.
double FlopsOfDot(const HloInstruction& dot) {
  double depth = 1;
  for (const int64_t dimension : dot.dot_dimension_numbers().lhs_contracting_dimensions())
    depth *= static_cast<double>(dot.operand(0)->shape().dimensions(static_cast<int>(dimension)));
  return 2 * ElementsOf(dot.shape()) * depth;
}

double FlopsOfConvolution(const HloInstruction& convolution) {
  const int feature = static_cast<int>(
      convolution.convolution_dimension_numbers().kernel_output_feature_dimension());
  const Shape& kernel = convolution.operand(1)->shape();
  const double features = static_cast<double>(kernel.dimensions(feature));
  return features == 0 ? 0 : 2 * ElementsOf(convolution.shape()) * ElementsOf(kernel) / features;
}

double FlopsOfFft(const HloInstruction& fft) {
  double length = 1;
  for (const int64_t size : fft.fft_length()) length *= static_cast<double>(size);
  const double count = std::max(ElementsOf(fft.shape()), ElementsOf(fft.operand(0)->shape()));
  return length <= 1 ? 0 : 5 * count * std::log2(length);
}

// A third of the cube of the number of rows of each matrix.
double FlopsOfCholesky(const HloInstruction& cholesky) {
  const Shape& shape = cholesky.shape();
  const double rows = static_cast<double>(shape.dimensions(shape.dimensions_size() - 1));
  return ElementsOf(shape) * rows / 3;
}

double FlopsOfTriangularSolve(const HloInstruction& solve) {
  const Shape& matrix = solve.operand(0)->shape();
  return ElementsOf(solve.shape()) *
         static_cast<double>(matrix.dimensions(matrix.dimensions_size() - 1));
}

}  // namespace

Operations OwnOperations(const HloInstruction& hlo) {
  switch (hlo.opcode()) {
    case HloOpcode::kCopy:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kReal:
    case HloOpcode::kImag:
    case HloOpcode::kComplex:
      return {};
    case HloOpcode::kDot:
    case HloOpcode::kScaledDot:
      return {FlopsOfDot(hlo)};
    case HloOpcode::kConvolution:
      return {FlopsOfConvolution(hlo)};
    case HloOpcode::kFft:
      return {FlopsOfFft(hlo)};
    case HloOpcode::kCholesky:
      return {FlopsOfCholesky(hlo)};
    case HloOpcode::kTriangularSolve:
      return {FlopsOfTriangularSolve(hlo)};
    case HloOpcode::kBatchNormInference:
      return {4 * ElementsOf(hlo.operand(0)->shape())};
    case HloOpcode::kBatchNormTraining:
    case HloOpcode::kBatchNormGrad:
      return {8 * ElementsOf(hlo.operand(0)->shape())};
    case HloOpcode::kRng:
    case HloOpcode::kRngBitGenerator:
      return {0, CountOf(hlo.shape())};
    default:
      if (HasTrait(hlo.opcode(), kAccuracy)) return {0, ElementsOf(hlo.shape())};
      if (HasTrait(hlo.opcode(), kElementwise)) return {ElementsOf(hlo.shape())};
      return {};
  }
}

double Applications(const HloInstruction& hlo, size_t callee) {
  switch (hlo.opcode()) {
    case HloOpcode::kReduce:
      return std::max(0.0,
                      ElementsOf(hlo.operand(0)->shape()) - ElementsOf(FirstArray(hlo.shape())));
    case HloOpcode::kReduceWindow:
      return ElementsOf(FirstArray(hlo.shape())) * std::max(0.0, WindowSize(hlo.window()) - 1);
    case HloOpcode::kScatter:
      return ElementsOf(hlo.operand(hlo.operand_count() - 1)->shape());
    case HloOpcode::kSort: {
      const Shape& keys = hlo.operand(0)->shape();
      const double length =
          static_cast<double>(keys.dimensions(static_cast<int>(hlo.dimensions(0))));
      return length <= 1 ? 0 : ElementsOf(keys) * std::log2(length);
    }
    case HloOpcode::kSelectAndScatter: {
      const double sources = ElementsOf(hlo.operand(1)->shape());
      return callee == 0 ? sources * std::max(0.0, WindowSize(hlo.window()) - 1) : sources;
    }
    case HloOpcode::kMap:
      return ElementsOf(hlo.shape());
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kReduceScatter:
      return CountOf(hlo.shape());
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kWhile:
    case HloOpcode::kAsyncStart:
    case HloOpcode::kScan:
      return 1;
    default:
      return 0;
  }
}

}  // namespace xla::passes
