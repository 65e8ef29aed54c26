#include "linalg/lapack_call.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/sizes.h"
#include "runtime/ffi/attributes.h"
#include "runtime/parallel.h"
#include "xla/ffi/ffi_api.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::linalg {
namespace {

// An operand or a result: its type (t the routine's, r real, c complex, i s32) and the sizes of its
// last dimensions, a letter each. A letter stands for one number: m and n are the matrix, k is
// min(m, n), p is n - 1 or 0, others are what they are first seen as.
struct Value {
  char type;
  const char* sizes;
};

struct Routine {
  absl::string_view name;  // without the letter of the type
  LapackRoutine routine;
  const char* types;  // letters that may come before the name
  std::vector<Value> operands, results;
  std::vector<absl::string_view> attributes;
};

const std::vector<Routine>& Routines() {
  using R = LapackRoutine;
  // clang-format off
  static const auto* const routines = new std::vector<Routine>{
      {"potrf", R::kPotrf, "sdcz", {{'t', "nn"}}, {{'t', "nn"}, {'i', ""}}, {"uplo"}},
      {"trsm", R::kTrsm, "sdcz", {{'t', "ss"}, {'t', "mn"}}, {{'t', "mn"}},
       {"diag", "side", "trans_x", "uplo"}},
      {"getrf", R::kGetrf, "sdcz", {{'t', "mn"}}, {{'t', "mn"}, {'i', "k"}, {'i', ""}}, {}},
      {"geqrf", R::kGeqrf, "sdcz", {{'t', "mn"}}, {{'t', "mn"}, {'t', "k"}}, {}},
      {"geqp3", R::kGeqp3, "sdcz", {{'t', "mn"}, {'i', "n"}},
       {{'t', "mn"}, {'i', "n"}, {'t', "k"}}, {}},
      {"orgqr", R::kOrgqr, "sd", {{'t', "mn"}, {'t', "f"}}, {{'t', "mn"}}, {}},
      {"ungqr", R::kOrgqr, "cz", {{'t', "mn"}, {'t', "f"}}, {{'t', "mn"}}, {}},
      {"ormqr", R::kOrmqr, "sd", {{'t', "sf"}, {'t', "f"}, {'t', "mn"}}, {{'t', "mn"}},
       {"left", "transpose"}},
      {"unmqr", R::kOrmqr, "cz", {{'t', "sf"}, {'t', "f"}, {'t', "mn"}}, {{'t', "mn"}},
       {"left", "transpose"}},
      {"gesdd", R::kGesdd, "sdcz", {{'t', "mn"}},
       {{'t', "mn"}, {'r', "k"}, {'t', "mu"}, {'t', "vn"}, {'i', ""}}, {"mode"}},
      {"gesvd", R::kGesvd, "sdcz", {{'t', "mn"}},
       {{'t', "mn"}, {'r', "k"}, {'t', "mu"}, {'t', "vn"}, {'i', ""}}, {"mode"}},
      {"syevd", R::kSyevd, "sd", {{'t', "nn"}}, {{'t', "nn"}, {'r', "n"}, {'i', ""}},
       {"mode", "uplo"}},
      {"heevd", R::kSyevd, "cz", {{'t', "nn"}}, {{'t', "nn"}, {'r', "n"}, {'i', ""}},
       {"mode", "uplo"}},
      {"geev", R::kGeev, "sd", {{'t', "nn"}},
       {{'r', "n"}, {'r', "n"}, {'c', "nn"}, {'c', "nn"}, {'i', ""}},
       {"compute_left", "compute_right"}},
      {"geev", R::kGeev, "cz", {{'t', "nn"}},
       {{'t', "n"}, {'t', "nn"}, {'t', "nn"}, {'i', ""}}, {"compute_left", "compute_right"}},
      {"gees", R::kGees, "sd", {{'t', "nn"}},
       {{'t', "nn"}, {'t', "nn"}, {'r', "n"}, {'r', "n"}, {'i', ""}, {'i', ""}},
       {"mode", "sort"}},
      {"gees", R::kGees, "cz", {{'t', "nn"}},
       {{'t', "nn"}, {'t', "nn"}, {'t', "n"}, {'i', ""}, {'i', ""}}, {"mode", "sort"}},
      {"gehrd", R::kGehrd, "sdcz", {{'t', "nn"}}, {{'t', "nn"}, {'t', "p"}, {'i', ""}},
       {"high", "low"}},
      {"sytrd", R::kSytrd, "sd", {{'t', "nn"}},
       {{'t', "nn"}, {'r', "n"}, {'r', "p"}, {'t', "p"}, {'i', ""}}, {"uplo"}},
      {"hetrd", R::kSytrd, "cz", {{'t', "nn"}},
       {{'t', "nn"}, {'r', "n"}, {'r', "p"}, {'t', "p"}, {'i', ""}}, {"uplo"}},
      {"gtsv", R::kGtsv, "sdcz", {{'t', "n"}, {'t', "n"}, {'t', "n"}, {'t', "nw"}},
       {{'t', "n"}, {'t', "n"}, {'t', "n"}, {'t', "nw"}, {'i', ""}}, {}},
  };
  // clang-format on
  return *routines;
}

// Whose operands say the type.
const Routine& PerturbedSolve() {
  static const auto* const routine = new Routine{"tridiagonal_solve_perturbed",
                                                 LapackRoutine::kPerturbedTridiagonalSolve,
                                                 "",
                                                 {{'t', "n"}, {'t', "n"}, {'t', "n"}, {'t', "nw"}},
                                                 {{'t', "nw"}},
                                                 {}};
  return *routine;
}

struct Target {
  const Routine* routine;
  PrimitiveType type;  // invalid where the operands say it
};

std::optional<Target> FindTarget(absl::string_view target) {
  if (target == "tridiagonal_solve_perturbed_ffi")
    return Target{&PerturbedSolve(), PRIMITIVE_TYPE_INVALID};
  if (!absl::ConsumePrefix(&target, "lapack_") || !absl::ConsumeSuffix(&target, "_ffi") ||
      target.empty()) {
    return std::nullopt;
  }
  const char letter = target[0];
  const PrimitiveType type = letter == 's' ? F32 : letter == 'd' ? F64 : letter == 'c' ? C64 : C128;
  for (const Routine& routine : Routines()) {
    if (routine.name == target.substr(1) && std::strchr(routine.types, letter) != nullptr)
      return Target{&routine, type};
  }
  return std::nullopt;
}

// Makes a problem of shapes and attributes.
class Reader {
 public:
  Reader(absl::string_view target, const Routine& routine, PrimitiveType type)
      : target_(target), routine_(routine) {
    problem_.routine = routine.routine;
    problem_.type = type;
    numbers_.fill(-1);
  }

  absl::Status ReadShapes(absl::Span<const Shape> operands, const Shape& result) {
    std::vector<const Shape*> results;
    if (result.IsTuple()) {
      for (const Shape& element : result.tuple_shapes()) results.push_back(&element);
    } else {
      results.push_back(&result);
    }
    if (operands.size() != routine_.operands.size() || results.size() != routine_.results.size()) {
      return InvalidArgument("%s takes %d operands and has %d results, not %d and %d", target_,
                             routine_.operands.size(), routine_.results.size(), operands.size(),
                             results.size());
    }
    if (problem_.type == PRIMITIVE_TYPE_INVALID) problem_.type = operands[0].element_type();
    for (size_t i = 0; i < operands.size(); ++i)
      HILO_RETURN_IF_ERROR(Read(routine_.operands[i], operands[i], absl::StrCat("operand ", i)));
    for (size_t i = 0; i < results.size(); ++i)
      HILO_RETURN_IF_ERROR(Read(routine_.results[i], *results[i], absl::StrCat("result ", i)));
    problem_.m = Number('m') < 0 ? Number('n') : Number('m');
    problem_.n = Number('n');
    problem_.reflections = Number('f');
    problem_.right_sides = Number('w');
    problem_.u_columns = Number('u');
    problem_.v_rows = Number('v');
    if (std::max(problem_.m, problem_.n) > std::numeric_limits<int32_t>::max() / 8)
      return InvalidArgument("%s: matrices of %d x %d are too large", target_, problem_.m,
                             problem_.n);
    return absl::OkStatus();
  }

  absl::Status ReadAttributes(absl::string_view text) {
    problem_.high = problem_.n;
    HILO_ASSIGN_OR_RETURN(const runtime::FfiAttributes attributes,
                          runtime::ParseFfiAttributes(text));
    if (attributes.size() != routine_.attributes.size()) {
      return InvalidArgument("%s has %d attributes, not %d", target_, routine_.attributes.size(),
                             attributes.size());
    }
    for (absl::string_view name : routine_.attributes) {
      const auto found = attributes.find(std::string(name));
      if (found == attributes.end())
        return InvalidArgument("%s: attribute %s is missing", target_, name);
      HILO_RETURN_IF_ERROR(ReadAttribute(name, found->second));
    }
    return Check();
  }

  const LapackProblem& problem() const { return problem_; }
  int64_t batch() const { return ShapeUtil::ElementsIn(ShapeUtil::MakeShape(PRED, batch_)); }

 private:
  int64_t& Number(char letter) { return numbers_[letter - 'a']; }
  int64_t Wanted(char letter) {
    if (letter == 'k') return std::min(Number('m'), Number('n'));
    if (letter == 'p') return std::max<int64_t>(Number('n') - 1, 0);
    return Number(letter);
  }

  PrimitiveType TypeOf(char letter) const {
    const bool is_double = problem_.type == F64 || problem_.type == C128;
    if (letter == 'i') return S32;
    if (letter == 'r') return is_double ? F64 : F32;
    if (letter == 'c') return is_double ? C128 : C64;
    return problem_.type;
  }

  absl::Status Read(const Value& value, const Shape& shape, const std::string& what) {
    const int own = static_cast<int>(std::strlen(value.sizes));
    if (!shape.IsArray() || !shape.is_static() || shape.element_type() != TypeOf(value.type) ||
        shape.dimensions_size() < own) {
      return InvalidArgument("%s: %s cannot be %s", target_, what, ShapeUtil::HumanString(shape));
    }
    const auto sizes = shape.dimensions();
    const std::vector<int64_t> batch(sizes.begin(), sizes.end() - own);
    if (!has_batch_) batch_ = batch;
    has_batch_ = true;
    if (batch != batch_) {
      return InvalidArgument("%s: %s, %s, has not the batch dimensions of operand 0", target_, what,
                             ShapeUtil::HumanString(shape));
    }
    for (int i = 0; i < own; ++i) {
      const int64_t size = sizes[batch.size() + i];
      const char letter = value.sizes[i];
      if (Wanted(letter) < 0) Number(letter) = size;
      if (Wanted(letter) != size) {
        return InvalidArgument("%s: dimension %d of %s, %s, must be %d", target_, batch.size() + i,
                               what, ShapeUtil::HumanString(shape), Wanted(letter));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadAttribute(absl::string_view name, const runtime::FfiAttribute& attribute) {
    const auto* scalar = std::get_if<runtime::FfiScalar>(&attribute.value);
    const PrimitiveType wanted = name == "left" || name == "transpose" ? PRED
                                 : name == "low" || name == "high"     ? S32
                                                                       : U8;
    if (scalar == nullptr || scalar->type != wanted) {
      return InvalidArgument("%s: attribute %s must be of type %s", target_, name,
                             primitive_util::LowercasePrimitiveTypeName(wanted));
    }
    const char letter = scalar->bytes[0];
    if (name == "low" || name == "high") {
      int32_t number;
      std::memcpy(&number, scalar->bytes.data(), sizeof(number));
      (name == "low" ? problem_.low : problem_.high) = number;
      return absl::OkStatus();
    }
    if (name == "left") return Set(problem_.side, letter ? 'L' : 'R', "LR", name);
    if (name == "transpose") return Set(problem_.transpose, letter ? 'C' : 'N', "NC", name);
    if (name == "uplo") return Set(problem_.uplo, letter, "LU", name);
    if (name == "side") return Set(problem_.side, letter, "LR", name);
    if (name == "trans_x") return Set(problem_.transpose, letter, "NTC", name);
    if (name == "diag") return Set(problem_.diagonal, letter, "NU", name);
    if (name == "compute_left") return Set(problem_.mode, letter, "NV", name);
    if (name == "compute_right") return Set(problem_.right, letter, "NV", name);
    if (name == "sort") {
      if (letter == 'N') return absl::OkStatus();
      return Unimplemented("%s: eigenvalues cannot be sorted", target_);
    }
    const bool is_svd =
        routine_.routine == LapackRoutine::kGesdd || routine_.routine == LapackRoutine::kGesvd;
    return Set(problem_.mode, letter, is_svd ? "ASN" : "VN", name);
  }

  absl::Status Set(char& member, char letter, const char* allowed, absl::string_view name) {
    member = letter;
    if (letter != '\0' && std::strchr(allowed, letter) != nullptr) return absl::OkStatus();
    return InvalidArgument("%s: attribute %s is %d, not the code of one of the letters %s", target_,
                           name, static_cast<int>(static_cast<uint8_t>(letter)), allowed);
  }

  // What sizes and attributes must be to one another.
  absl::Status Check() {
    const int64_t m = problem_.m, n = problem_.n, k = std::min(m, n);
    switch (routine_.routine) {
      case LapackRoutine::kTrsm:
      case LapackRoutine::kOrmqr:
        if (Number('s') != (problem_.side == 'L' ? m : n) ||
            (routine_.routine == LapackRoutine::kOrmqr && problem_.reflections > Number('s'))) {
          return InvalidArgument("%s: operand 0 does not fit to a matrix of %d x %d", target_, m,
                                 n);
        }
        return absl::OkStatus();
      case LapackRoutine::kOrgqr:
        if (problem_.reflections <= n && n <= m) return absl::OkStatus();
        return InvalidArgument("%s: %d reflections do not fit to a matrix of %d x %d", target_,
                               problem_.reflections, m, n);
      case LapackRoutine::kGesdd:
      case LapackRoutine::kGesvd: {
        const bool are_few = problem_.u_columns == k && problem_.v_rows == k;
        const bool are_all = problem_.u_columns == m && problem_.v_rows == n;
        // None are written, into arrays that are made for few or for all.
        if ((are_few && problem_.mode != 'A') || (are_all && problem_.mode != 'S'))
          return absl::OkStatus();
        return InvalidArgument("%s: %d and %d singular vectors are not those of mode %c", target_,
                               problem_.u_columns, problem_.v_rows, problem_.mode);
      }
      case LapackRoutine::kGehrd:
        if ((n == 0 && problem_.low == 1 && problem_.high == 0) ||
            (1 <= problem_.low && problem_.low <= problem_.high && problem_.high <= n)) {
          return absl::OkStatus();
        }
        return InvalidArgument("%s: rows %d to %d are not in a matrix of %d rows", target_,
                               problem_.low, problem_.high, n);
      default:
        return absl::OkStatus();
    }
  }

  const absl::string_view target_;
  const Routine& routine_;
  LapackProblem problem_;
  std::array<int64_t, 26> numbers_;  // that letters stand for; -1 where that is not known
  std::vector<int64_t> batch_;
  bool has_batch_ = false;
};

bool IsFactorization(LapackRoutine routine) {
  return routine == LapackRoutine::kPotrf || routine == LapackRoutine::kGetrf;
}

// Whether threads share one matrix (cpu/lapack/factorize_in_parts.h,
// cpu/kernels/triangular_solve.h).
bool SharesOne(LapackRoutine routine) {
  return IsFactorization(routine) || routine == LapackRoutine::kTrsm;
}

// Cubes of sizes that are worth a thread.
constexpr double kWorkOfAPart = 1 << 14;

class LapackCall : public runtime::TypedCall {
 public:
  LapackCall(const LapackProblem& problem, int64_t batch, LapackFunction solve)
      : problem_(problem), batch_(batch), solve_(solve) {}

  void AddOperand(const Shape& shape) { problem_.operand_bytes.push_back(BytesOf(shape)); }
  void AddResult(const Shape& shape) { problem_.result_bytes.push_back(BytesOf(shape)); }

  absl::Status Run(absl::Span<void* const> operands, absl::Span<void* const> results,
                   runtime::FfiRun&) const override {
    const double size = static_cast<double>(std::max(problem_.m, problem_.n));
    const int64_t together = ProblemsTogether();
    const int64_t least =
        static_cast<int64_t>(kWorkOfAPart / (size * size * size + 1)) / together + 1;
    runtime::ParallelFor(CeilOfRatio(batch_, together), least, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * together, count = std::min(batch_, end * together) - first;
      const LapackArrays arrays(problem_, first, operands.data(), results.data());
      solve_(problem_, count, arrays.operands(), arrays.results());
    });
    return absl::OkStatus();
  }

 private:
  // Those that are factorized in lanes stay together, in as many as the longest vectors have.
  int64_t ProblemsTogether() const {
    constexpr int64_t kBytesOfVector = 64;
    const bool is_complex = primitive_util::IsComplexType(problem_.type);
    if (!IsFactorization(problem_.routine) ||
        std::max(problem_.m, problem_.n) >
            (is_complex ? kMostRowsOfComplexInLanes : kMostRowsInLanes)) {
      return 1;
    }
    return kBytesOfVector * (is_complex ? 2 : 1) / primitive_util::ByteWidth(problem_.type);
  }

  int64_t BytesOf(const Shape& shape) const {
    return batch_ == 0 ? 0 : ShapeUtil::ByteSizeOf(shape) / batch_;
  }

  LapackProblem problem_;
  const int64_t batch_;
  const LapackFunction solve_;
};

}  // namespace

bool IsLapackTarget(absl::string_view target) {
  return FindTarget(target).has_value() && !ffi::FindHandler(target, "Host").ok();
}

bool IsOwnLapackCall(absl::string_view target, absl::Span<const Shape> operands) {
  constexpr int64_t kMostRowsOfOne = 128;
  const std::optional<Target> found = FindTarget(target);
  if (!found.has_value()) return false;
  if (SharesOne(found->routine->routine) || !ffi::FindHandler(target, "Host").ok()) return true;
  // Schur vectors have a phase of their own with each way to compute them, and come in an order of
  // its own: those of handlers are those that their users know from elsewhere.
  if (found->routine->routine == LapackRoutine::kGees) return false;
  const bool is_qr = found->routine->routine == LapackRoutine::kGeqrf ||
                     found->routine->routine == LapackRoutine::kOrgqr;
  return absl::c_all_of(operands, [&](const Shape& operand) {
    const absl::Span<const int64_t> sizes = operand.dimensions();
    const size_t batch = sizes.size() - std::min<size_t>(2, sizes.size());
    const bool is_tall = is_qr && !ShapeUtil::ElementIsComplex(operand) && sizes.size() == 2 &&
                         IsTall(sizes[0], sizes[1]);
    return is_tall || Product(sizes.first(batch)) > 1 ||
           absl::c_all_of(sizes.subspan(batch),
                          [](int64_t size) { return size <= kMostRowsOfOne; });
  });
}

absl::StatusOr<std::unique_ptr<runtime::TypedCall>> MakeLapackCall(
    absl::string_view name, absl::string_view target, absl::string_view attributes,
    absl::Span<const Shape> operands, const Shape& result, LapackFunction solve) {
  const std::optional<Target> found = FindTarget(target);
  if (!found.has_value()) return NotFound("custom-call %s: LAPACK has no %s", name, target);
  Reader reader(target, *found->routine, found->type);
  absl::Status status = reader.ReadShapes(operands, result);
  const PrimitiveType type = reader.problem().type;
  if (status.ok() && type != F32 && type != F64 && type != C64 && type != C128) {
    status = InvalidArgument("%s: elements cannot be %s", target,
                             primitive_util::LowercasePrimitiveTypeName(type));
  }
  if (status.ok()) status = reader.ReadAttributes(attributes);
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat("custom-call ", name, ": ", status.message()));
  }
  auto call = std::make_unique<LapackCall>(reader.problem(), reader.batch(), solve);
  for (const Shape& operand : operands) call->AddOperand(operand);
  ShapeUtil::ForEachSubshape(result, [&](const Shape& leaf, const ShapeIndex&) {
    if (leaf.IsArray()) call->AddResult(leaf);
  });
  return call;
}

}  // namespace xla::linalg
