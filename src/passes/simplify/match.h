// What rules ask of instructions.
#ifndef HILO_PASSES_SIMPLIFY_MATCH_H_
#define HILO_PASSES_SIMPLIFY_MATCH_H_

#include <cstdint>
#include <optional>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"

namespace xla::passes {

// The value that all elements have, as a literal with one element; null when that is not known.
const Literal* KnownElement(const HloInstruction& x);

// The same as a number, where the type is an integer or PRED, or real. A U64 beyond S64 is none.
std::optional<int64_t> KnownInteger(const HloInstruction& x);
std::optional<double> KnownReal(const HloInstruction& x);

bool IsAllInteger(const HloInstruction& x, int64_t number);
// The sign of a zero counts.
bool IsAllReal(const HloInstruction& x, double number);

bool HasIntegers(const HloInstruction& x);  // PRED left out
bool HasReals(const HloInstruction& x);

// How many numbers an iota of integers counts, if they surely fit its type and every other one of
// 32 bits or more: nothing where they would wrap, or for any other instruction.
std::optional<int64_t> CountOfIota(const HloInstruction& x);

// Whether a dot or a convolution has elements, and two arrays of static sizes as operands.
bool IsProductOfArrays(const HloInstruction& product);

bool SameSizes(const HloInstruction& x, const HloInstruction& y);

// What an instruction is a reshape of, through any number of them; itself otherwise.
const HloInstruction& WithoutReshapes(const HloInstruction& x);

// A broadcast of a scalar.
bool IsSplat(const HloInstruction& x);

}  // namespace xla::passes

#endif  // HILO_PASSES_SIMPLIFY_MATCH_H_
