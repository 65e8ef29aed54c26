// Random numbers that depend on a key and a counter only.
#ifndef XLA_HLO_BUILDER_LIB_PRNG_H_
#define XLA_HLO_BUILDER_LIB_PRNG_H_

#include <functional>
#include <utility>

#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

// An array of random values, and the state that the next ones are to be made from.
struct RngOutput {
  XlaOp value;
  XlaOp state;
};

// Gives an array of random bits: unsigned integers as wide as the elements of `shape` and of its
// dimensions. The key is a U64 scalar; what the state is depends on the generator.
using BitGeneratorTy = std::function<RngOutput(XlaOp key, XlaOp initial_state, const Shape& shape)>;

// Threefry-2x32 with 20 rounds (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC
// 2011). The state is a counter, a U64 scalar.
RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape);

// Philox-4x32 with 10 rounds, of the same authors. The state is a counter of 128 bits, U64[2], the
// lower half first.
RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape);

// A state and a key for Philox that keys which are close to each other do not share: the key
// encrypted by Philox. A pair (state U64[2], key U64).
std::pair<XlaOp, XlaOp> ScramblePhiloxKey(XlaOp key);

// Values of the type and dimensions of `shape` between two scalars of its type. Floating point
// values lie in [minval, maxval) but for rounding, on a grid of epsilon(type) times the size of the
// range: F16, BF16, F32, F64. Integers lie in [minval, maxval), which must not be
// empty; of 16, 32 and 64 bits. They are the bits modulo the size of the range, so that small ones
// are a little more likely where it is no power of two.
RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                           BitGeneratorTy bit_generator, XlaOp minval, XlaOp maxval,
                                           const Shape& shape);
RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state, BitGeneratorTy bit_generator,
                                 XlaOp minval, XlaOp maxval, const Shape& shape);

// Values of mean 0 and variance 1: the transformation of Box and Muller ("A Note on the Generation
// of Random Normal Deviates", 1958), in F32 for narrower types.
RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                          BitGeneratorTy bit_generator, const Shape& shape);

// A vector of scalars of one type.
XlaOp ConcatScalars(XlaBuilder* builder, absl::Span<const XlaOp> scalars);

// The counter of 128 bits, U64[2], the lower half first, plus a U64 scalar.
XlaOp PhiloxIncreaseCounter(XlaOp counter, XlaOp delta);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_PRNG_H_
