// Convolutions, which are contractions whose depth goes over a window too.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "cpu/kernels/contraction.h"
#include "cpu/kernels/epilogue.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/store.h"
#include "data/sizes.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// A convolution along one spatial dimension. Tap k of result o reads the input at
// (o * stride + k * dilation - padding) / base_dilation, where that is a whole number.
struct Spatial {
  int64_t outputs, output_stride;  // strides in elements of the arrays
  int64_t taps, tap_stride, first_tap;
  int64_t inputs, input_stride;
  int64_t stride, dilation, padding, base_dilation;
};

// Where the input has holes, only some of the taps of a result hit elements, the same ones for
// every period-th result. Those results with those taps are a convolution without holes.
struct Phase {
  int64_t first_output, outputs, period;
  int64_t first_tap, taps, tap_period;
  int64_t start, step, tap_step;  // of the input's index
};

// How many results there are until they hit the same taps again.
int64_t PeriodOf(const Spatial& spatial) {
  const int64_t holes = spatial.base_dilation;
  return std::min(spatial.outputs, holes / std::gcd(holes, spatial.stride));
}

// Those that hit anything: not more than there are taps.
std::vector<Phase> PhasesOf(const Spatial& spatial) {
  const int64_t holes = spatial.base_dilation;
  const int64_t period = PeriodOf(spatial);
  const int64_t tap_period = holes / std::gcd(holes, spatial.dilation);
  const auto modulo = [&](int64_t x) { return (x % holes + holes) % holes; };
  absl::flat_hash_map<int64_t, int64_t> output_at;
  for (int64_t o = 0; o < period; ++o) output_at[modulo(o * spatial.stride - spatial.padding)] = o;
  std::vector<Phase> phases;
  for (int64_t k = 0; k < std::min(spatial.taps, tap_period); ++k) {
    const auto found = output_at.find(modulo(-k * spatial.dilation));
    if (found == output_at.end()) continue;
    const int64_t o = found->second;
    phases.push_back({o, (spatial.outputs - o + period - 1) / period, period, k,
                      (spatial.taps - k + tap_period - 1) / tap_period, tap_period,
                      (o * spatial.stride - spatial.padding + k * spatial.dilation) / holes,
                      period * spatial.stride / holes, tap_period * spatial.dilation / holes});
  }
  return phases;
}

bool HitsAllResults(const Spatial& spatial) {
  return static_cast<int64_t>(PhasesOf(spatial).size()) == PeriodOf(spatial);
}

class Convolution : public runtime::LibraryKernel {
 public:
  // Where the product does not write everything, the rest of the result is zero.
  Convolution(std::unique_ptr<Product> product, int64_t bytes_to_clear, int zero)
      : product_(std::move(product)), bytes_to_clear_(bytes_to_clear), zero_(zero) {}

  absl::Status Run(void* const* arrays, const runtime::Environment&) const override {
    std::memset(arrays[2], zero_, bytes_to_clear_);
    return product_->Run(arrays[0], arrays[1], arrays[2]);
  }

 private:
  std::unique_ptr<Product> product_;
  int64_t bytes_to_clear_;
  int zero_;
};

// A convolution without its spatial dimensions: the input is the left side.
Contraction WithoutSpatial(const runtime::LibraryCall& call) {
  const ConvolutionDimensionNumbers& numbers = call.instruction.convolution_dimension_numbers();
  const Shape &input = call.operands[0], &kernel = call.operands[1], &output = call.results[0];
  const DimensionVector in = RowMajorStrides(input), taps = RowMajorStrides(kernel),
                        out = RowMajorStrides(output);
  const int64_t feature_groups = std::max<int64_t>(1, call.instruction.feature_group_count());
  const int64_t batch_groups = std::max<int64_t>(1, call.instruction.batch_group_count());
  const int64_t in_batch = in[numbers.input_batch_dimension()];
  const int64_t in_feature = in[numbers.input_feature_dimension()];
  const int64_t out_feature = out[numbers.output_feature_dimension()];
  const int64_t tap_out = taps[numbers.kernel_output_feature_dimension()];
  const int64_t depth = kernel.dimensions(numbers.kernel_input_feature_dimension());
  const int64_t batch = output.dimensions(numbers.output_batch_dimension());
  const int64_t features =
      output.dimensions(numbers.output_feature_dimension()) / (feature_groups * batch_groups);
  Contraction contraction;
  contraction.instruction_set = call.instruction_set;
  contraction.factor_bytes = call.factor_bytes;
  contraction.types = {input.element_type(), kernel.element_type(), output.element_type()};
  contraction.counts = {ShapeUtil::ElementsIn(input), ShapeUtil::ElementsIn(kernel),
                        ShapeUtil::ElementsIn(output)};
  contraction.groups = {
      {batch_groups,
       {batch * in_batch, feature_groups * features * tap_out,
        feature_groups * features * out_feature}},
      {feature_groups, {depth * in_feature, features * tap_out, features * out_feature}}};
  contraction.rows = {{batch, {in_batch, 0, out[numbers.output_batch_dimension()]}}};
  contraction.columns = {{features, {0, tap_out, out_feature}}};
  contraction.depth = {{depth, {in_feature, taps[numbers.kernel_input_feature_dimension()], 0}}};
  return contraction;
}

std::vector<Spatial> SpatialDimensions(const runtime::LibraryCall& call) {
  const ConvolutionDimensionNumbers& numbers = call.instruction.convolution_dimension_numbers();
  const Shape &input = call.operands[0], &kernel = call.operands[1], &output = call.results[0];
  const DimensionVector in = RowMajorStrides(input), taps = RowMajorStrides(kernel),
                        out = RowMajorStrides(output);
  std::vector<Spatial> all;
  for (int i = 0; i < numbers.input_spatial_dimensions_size(); ++i) {
    const WindowDimension& window = call.instruction.window().dimensions(i);
    const int64_t from = numbers.input_spatial_dimensions(i);
    const int64_t tap = numbers.kernel_spatial_dimensions(i);
    const int64_t to = numbers.output_spatial_dimensions(i);
    Spatial spatial = {output.dimensions(to),
                       out[to],
                       kernel.dimensions(tap),
                       taps[tap],
                       0,
                       input.dimensions(from),
                       in[from],
                       window.stride(),
                       window.window_dilation(),
                       window.padding_low(),
                       window.base_dilation()};
    if (window.window_reversal()) {
      spatial.first_tap = (spatial.taps - 1) * spatial.tap_stride;
      spatial.tap_stride = -spatial.tap_stride;
    }
    all.push_back(spatial);
  }
  return all;
}

// Adds the spatial dimensions from number `dimension` on, in all their phases.
void AddParts(const std::vector<Spatial>& spatial, size_t dimension, const Contraction& contraction,
              std::vector<Contraction>& parts) {
  if (dimension == spatial.size()) {
    parts.push_back(contraction);
    return;
  }
  const Spatial& along = spatial[dimension];
  const int bound = static_cast<int>(dimension);
  for (const Phase& phase : PhasesOf(along)) {
    Contraction part = contraction;
    part.bounds.push_back({along.inputs, along.input_stride, phase.start});
    part.rows.push_back(
        {phase.outputs, {0, 0, along.output_stride * phase.period}, bound, phase.step});
    part.depth.push_back(
        {phase.taps, {0, along.tap_stride * phase.tap_period, 0}, bound, phase.tap_step});
    part.offsets[kRight] += along.first_tap + phase.first_tap * along.tap_stride;
    part.offsets[kResult] += phase.first_output * along.output_stride;
    AddParts(spatial, dimension + 1, part, parts);
  }
}

}  // namespace

KernelOrStatus MakeConvolution(const runtime::LibraryCall& call) {
  if (call.epilogue_columns > 0) {
    HILO_ASSIGN_OR_RETURN(const runtime::LibraryCall product, ProductOf(call));
    std::vector<Contraction> parts;
    AddParts(SpatialDimensions(product), 0, WithoutSpatial(product), parts);
    if (parts.size() != 1)
      return Unimplemented("an epilogue of convolution %s", call.instruction.name());
    return MakeProductWithEpilogue(call, product.results[0], std::move(parts[0]));
  }
  if (call.operands.size() != 2)
    return Unimplemented("convolution %s with sparse operands", call.instruction.name());
  std::vector<Contraction> parts;
  const std::vector<Spatial> spatial = SpatialDimensions(call);
  AddParts(spatial, 0, WithoutSpatial(call), parts);
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<Product> product, MakeProductInParts(std::move(parts)));
  const bool is_whole = absl::c_all_of(spatial, HitsAllResults);
  return std::make_unique<Convolution>(std::move(product),
                                       is_whole ? 0 : ShapeUtil::ByteSizeOf(call.results[0]),
                                       ZeroByte(call.results[0].element_type()));
}

}  // namespace xla::cpu
