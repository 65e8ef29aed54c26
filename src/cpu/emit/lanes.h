// Values of several elements at once, and how elements of each type are kept in registers and in
// memory.
//
// In registers an element has its *computing type*: i1 for pred, i8 to i64 for integers (narrower
// ones in i8), float for floating-point types of up to 32 bits, double for f64, and two of these
// for complex types. A value of W lanes is an LLVM vector of W such elements; of one lane, a
// scalar. After each operation values are rounded to the element type, so that what is in a
// register is what memory would hold.
#ifndef HILO_CPU_EMIT_LANES_H_
#define HILO_CPU_EMIT_LANES_H_

#include <cstdint>

#include "codegen/loops/schedule.h"
#include "cpu/emit/builder.h"
#include "llvm/IR/Module.h"
#include "xla/xla_data.pb.h"

namespace xla::cpu {

// Real and imaginary part; the second is null unless the type is complex.
struct Lanes {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;

  explicit operator bool() const { return re != nullptr; }
};

// The number of lanes of a value or type: 1 for a scalar.
int LaneCount(const llvm::Type* type);
int LaneCount(const Lanes& value);

// `lanes` of an element; `element` itself for one lane.
llvm::Type* WithLanes(llvm::Type* element, int lanes);

// The computing type of one part of an element.
llvm::Type* ComputingType(llvm::LLVMContext& context, PrimitiveType type);
using loops::ComputingBits;
// What an element is in memory: bytes of it, or of one part if it is complex.
llvm::Type* MemoryType(llvm::LLVMContext& context, PrimitiveType type);

// The lanes [begin, begin + count); a scalar if it is one.
llvm::Value* LaneRange(Builder& b, llvm::Value* vector, int begin, int count);
// The same element in all lanes.
Lanes Splat(Builder& b, const Lanes& scalar, int lanes);

// A constant of the type: the number as exactly as the type allows. Numbers of integers wrap.
Lanes IntegerConstant(Builder& b, PrimitiveType type, int64_t number, int lanes);
llvm::Value* RealConstant(Builder& b, PrimitiveType type, double number, int lanes);

// Elements `pointer[0]`, `pointer[step]`, ... ; step 0 repeats one, 1 reads neighbours. Lanes whose
// bit in `mask` (null: all) is off are not read and have any value.
Lanes Load(Builder& b, PrimitiveType type, llvm::Value* pointer, int64_t step, int lanes,
           llvm::Value* mask);
// Elements `pointer[offsets]`.
Lanes Gather(Builder& b, PrimitiveType type, llvm::Value* pointer, llvm::Value* offsets,
             llvm::Value* mask);
// The same where offsets are so close together that what lies between is read and elements are
// picked from it; empty where they are not, or the mask is not known.
Lanes LoadNear(Builder& b, PrimitiveType type, llvm::Value* pointer, llvm::Constant* offsets,
               llvm::Value* mask);
// Where they are streamed, whole vectors of adjacent elements are written past the caches: they lie
// at multiples of their size, or of a line of the cache if they are longer.
void Store(Builder& b, PrimitiveType type, const Lanes& value, llvm::Value* pointer, int64_t step,
           llvm::Value* mask, bool is_streamed = false);
// To elements `pointer[offsets]`, which are different ones.
void Scatter(Builder& b, PrimitiveType type, const Lanes& value, llvm::Value* pointer,
             llvm::Value* offsets, llvm::Value* mask);

// Excess precision: values of BF16 keep the digits of floats and are rounded when they are stored,
// in those functions of a module that allows it that say so before anything is in them.
void AllowExcessPrecision(llvm::Module& module);
bool AllowsExcessPrecision(const llvm::Module& module);
void KeepExcessPrecision(llvm::Function& function);
bool KeepsExcessPrecision(Builder& b);

// Whether a module's programs compute with subnormal numbers (codegen::KeepsSubnormals).
void KeepSubnormals(llvm::Module& module);
bool KeepsSubnormals(const Builder& b);

// Rounds a value in the computing type to the element type, unless it may keep its digits.
Lanes Round(Builder& b, PrimitiveType type, const Lanes& value);
// The same without exception.
Lanes RoundNow(Builder& b, PrimitiveType type, const Lanes& value);

// The bits of elements as integers of as many bits as bitcast-convert counts: of s4 four, of
// complex numbers those of both parts.
llvm::Value* ToBits(Builder& b, PrimitiveType type, const Lanes& value);
Lanes FromBits(Builder& b, PrimitiveType type, llvm::Value* bits);
// The same bits, or the low ones, as elements of another type.
Lanes Reinterpret(Builder& b, PrimitiveType from, PrimitiveType to, const Lanes& value);

// lanes[i] = i, in 64 bits.
llvm::Constant* LaneNumbers(Builder& b, int lanes);

// A mask that is on for the first `count` lanes.
llvm::Constant* FirstLanes(Builder& b, int lanes, int64_t count);
// The same where the program says how many, at least one.
llvm::Value* FirstLanes(Builder& b, int lanes, llvm::Value* count);

// A mask as blocks pass it to each other: as bytes, where LLVM would take it to that many scalars.
// Other values stay what they are.
llvm::Value* PassedMask(Builder& b, llvm::Value* value);
llvm::Value* MaskOfPassed(Builder& b, llvm::Value* passed);
// A lane-wise mask of both; null stands for all lanes.
llvm::Value* And(Builder& b, llvm::Value* x, llvm::Value* y);

// The one condition of a mask that is on in all lanes or in none; null for others.
llvm::Value* OneCondition(llvm::Value* mask);
// Whether a mask is on in any lane.
llvm::Value* AnyLane(Builder& b, llvm::Value* mask);

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_LANES_H_
