#include "cpu/kernels/isa/function_table.h"

namespace xla::cpu {
namespace {

template <FunctionTable (*kMake)()>
const FunctionTable& Table() {
  static const FunctionTable table = kMake();
  return table;
}

}  // namespace

const FunctionTable& FunctionTableOf(codegen::InstructionSet set) {
  using codegen::InstructionSet;
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return Table<avx2::MakeTable>();
    case InstructionSet::kAvx512:
      return Table<avx512::MakeTable>();
    case InstructionSet::kAvx512Narrow:
      return Table<avx512_narrow::MakeTable>();
    case InstructionSet::kAmx:
      return Table<amx::MakeTable>();
#elif defined(__aarch64__)
    case InstructionSet::kNeon:
      return Table<neon::MakeTable>();
#endif
    default:
      return Table<generic::MakeTable>();
  }
}

template <typename T>
const Tiles<T>& TilesOf(codegen::InstructionSet set) {
  return std::get<Tiles<T>>(FunctionTableOf(set));
}

template const Tiles<float>& TilesOf<float>(codegen::InstructionSet);
template const Tiles<double>& TilesOf<double>(codegen::InstructionSet);
template const Tiles<uint32_t>& TilesOf<uint32_t>(codegen::InstructionSet);
template const Tiles<uint64_t>& TilesOf<uint64_t>(codegen::InstructionSet);

template <typename T>
const FftFunctions<T>& FftFunctionsOf(codegen::InstructionSet set) {
  return std::get<FftFunctions<T>>(FunctionTableOf(set));
}

template const FftFunctions<float>& FftFunctionsOf<float>(codegen::InstructionSet);
template const FftFunctions<double>& FftFunctionsOf<double>(codegen::InstructionSet);

template <typename T>
const SmallMatrixFunctions<T>& SmallMatrixFunctionsOf(codegen::InstructionSet set) {
  return std::get<SmallMatrixFunctions<T>>(FunctionTableOf(set));
}

template const SmallMatrixFunctions<float>& SmallMatrixFunctionsOf<float>(codegen::InstructionSet);
template const SmallMatrixFunctions<double>& SmallMatrixFunctionsOf<double>(
    codegen::InstructionSet);

template <typename Key>
const KeySearch<Key>& KeySearchOf(codegen::InstructionSet set) {
  return std::get<KeySearch<Key>>(FunctionTableOf(set));
}

template const KeySearch<uint8_t>& KeySearchOf<uint8_t>(codegen::InstructionSet);
template const KeySearch<uint16_t>& KeySearchOf<uint16_t>(codegen::InstructionSet);
template const KeySearch<uint32_t>& KeySearchOf<uint32_t>(codegen::InstructionSet);
template const KeySearch<uint64_t>& KeySearchOf<uint64_t>(codegen::InstructionSet);

}  // namespace xla::cpu
