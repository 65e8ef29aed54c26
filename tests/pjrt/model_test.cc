// Random sequences of what clients do with buffers, against a model that knows what must come out.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/pjrt/pjrt_testing.h"
#include "tests/repetitions.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int kDevices = 3, kSize = 100;
constexpr float kForbidden = 3;

// Copies its argument, but fails where that is kForbidden.
void CopyUnlessForbidden(void* out, const void** in, XlaCustomCallStatus* status) {
  std::memcpy(out, in[0], kSize * sizeof(float));
  if (*static_cast<const float*>(in[0]) == kForbidden)
    XlaCustomCallStatusSetFailure(status, "forbidden", 9);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("model_copy_unless_forbidden", CopyUnlessForbidden);

constexpr const char* kPrograms[] = {R"(
HloModule add
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)  ROOT z = f32[100] add(x, y) })",
                                     R"(
HloModule donating_add, input_output_alias={ {}: 0 }
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)  ROOT z = f32[100] add(x, y) })",
                                     R"(
HloModule both, input_output_alias={ {0}: 1, {1}: 0 }
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)
  ROOT z = (f32[100], f32[100]) tuple(x, y) })",
                                     R"(
HloModule failing, input_output_alias={ {}: 0 }
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)
  c = f32[100] custom-call(x), custom_call_target="model_copy_unless_forbidden",
    api_version=API_VERSION_STATUS_RETURNING
  ROOT z = f32[100] add(c, y) })"};
constexpr char kAllReduce[] = R"(
HloModule all_reduce
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[100] parameter(0)
  ROOT r = f32[100] all-reduce(x), replica_groups={}, to_apply=add })";

// What all sequences use.
struct Programs {
  Programs() : client(MakeClient(kDevices)) {
    CompileOptions options;
    options.compile_portable_executable = true;
    for (const char* text : kPrograms)
      portable.push_back(client->CompileAndLoad(Parse(text), options).value());
    all_reduce = CompileText(*client, kAllReduce, kDevices);
  }
  std::unique_ptr<PjRtClient> client;
  std::vector<std::unique_ptr<PjRtLoadedExecutable>> portable;
  std::unique_ptr<PjRtLoadedExecutable> all_reduce;
};

// Does things a little later, in their order.
class Later {
 public:
  ~Later() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_closed_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void Do(std::function<void()> task) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      std::this_thread::yield();
      task();
      task = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_closed_ = false;
  std::thread thread_{[this] { Work(); }};
};

// Of all elements of a buffer: a number or an error, kUnknown for any error.
struct Value {
  float number = 0;
  absl::StatusCode error = absl::StatusCode::kOk;
  bool is_good() const { return error == absl::StatusCode::kOk; }
};
Value ErrorValue(absl::StatusCode error) { return {0, error}; }

struct Entry {
  std::unique_ptr<PjRtBuffer> buffer;
  int device;
  Value value;
  bool is_deleted = false;
  std::shared_ptr<int> references = std::make_shared<int>(0);  // external ones to its memory
};

struct Reference {
  std::unique_ptr<PjRtBuffer::ExternalReference> held;
  float number;
  std::shared_ptr<int> count;
};

// Memory that buffers borrow.
struct alignas(64) Host {
  float values[kSize];
};

class Model {
 public:
  Model(const Programs& programs, uint32_t seed) : random_(seed), programs_(programs) {}

  void Step() {
    switch (Number(20)) {
      case 0:
      case 1:
        return Create();
      case 2:
        return Borrow();
      case 3:
        return Transfer();
      case 4:
      case 5:
      case 6:
      case 7:
      case 8:
        return Execute();
      case 9:
        return AllReduce();
      case 10:
      case 11:
        return Copy();
      case 12:
        return CopyInto();
      case 13:
        return Depend();
      case 14:
        return Delete();
      case 15:
      case 16:
        return Check(Any());
      case 17:
        return Refer();
      case 18:
        return CheckReferences();
      default:
        return Forget();
    }
  }

  void CheckAll() {
    for (Entry& entry : entries_) Check(&entry);
    CheckReferences();
  }

  // Whether everything has been given back, once all that goes on is over.
  void CheckThatNothingIsLost() {
    later_.reset();
    references_.clear();
    entries_.clear();
    EXPECT_EQ(BytesInUseInTheEnd(*programs_.client, 0), 0);
    for (int i = 0; i < 10000 && *borrowed_ > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(*borrowed_, 0) << "memory of the host was not given back";
    EXPECT_EQ(*changed_, 0) << "memory of the host was written";
  }

 private:
  int Number(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  PjRtClient& client() const { return *programs_.client; }
  Entry* Any() {
    return entries_.empty() ? nullptr : &entries_[Number(static_cast<int>(entries_.size()))];
  }
  // Most times one on that device, if there is one.
  Entry* AnyOn(int device) {
    Entry* entry = Any();
    for (int i = 0; i < 20 && entry->device != device && Number(10) > 0; ++i) entry = Any();
    return entry;
  }

  // Numbers stay small enough to be exact.
  void Add(std::unique_ptr<PjRtBuffer> buffer, int device, Value value) {
    if (value.is_good() && value.number > 1e6f) return;
    ASSERT_EQ(buffer->device(), client().devices()[device]);
    if (entries_.size() > 30) Forget();
    entries_.push_back({std::move(buffer), device, value});
  }

  void Create() {
    const int device = Number(kDevices);
    if (Number(8) == 0) {
      auto buffer =
          client().CreateErrorBuffer(absl::DataLossError("bad"), ShapeUtil::MakeShape(F32, {kSize}),
                                     SpaceOf(client(), device));
      return Add(*std::move(buffer), device, ErrorValue(absl::StatusCode::kDataLoss));
    }
    const float number = static_cast<float>(Number(5));
    Add(Put(client(), Filled(number), device), device, {number});
  }

  static Literal Filled(float number) {
    return LiteralUtil::CreateR1<float>(std::vector<float>(kSize, number));
  }

  // A buffer in memory of the host, which may be written if it is lent so.
  void Borrow() {
    const int device = Number(kDevices), kind = Number(3);
    const float number = static_cast<float>(Number(5));
    auto host = std::make_shared<Host>();
    std::fill(host->values, host->values + kSize, number);
    ++*borrowed_;
    const bool may_change = kind == 0;
    std::function<void()> release = [=, borrowed = borrowed_, changed = changed_] {
      if (!may_change && !IsFilled(host->values, number)) ++*changed;
      --*borrowed;
    };
    float* const data = host->values;
    if (kind == 2) {
      auto view = client().CreateViewOfDeviceBuffer(data, ShapeUtil::MakeShape(F32, {kSize}),
                                                    SpaceOf(client(), device), std::move(release));
      ASSERT_TRUE(view.ok()) << view.status();
      return Add(*std::move(view), device, {number});
    }
    using Semantics = PjRtClient::HostBufferSemantics;
    auto buffer = client().BufferFromHostBuffer(
        data, F32, {kSize}, std::nullopt,
        may_change ? Semantics::kMutableZeroCopy : Semantics::kImmutableZeroCopy,
        std::move(release), SpaceOf(client(), device), nullptr);
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    Add(*std::move(buffer), device, {number});
  }

  static bool IsFilled(const float* values, float number) {
    return std::all_of(values, values + kSize, [=](float value) { return value == number; });
  }

  // A buffer whose value comes later, or never.
  void Transfer() {
    const int device = Number(kDevices), kind = Number(5);
    const float number = static_cast<float>(Number(5));
    using Manager = PjRtClient::AsyncHostToDeviceTransferManager;
    const std::shared_ptr<Manager> manager =
        client()
            .CreateBuffersForAsyncHostToDevice({ShapeUtil::MakeShape(F32, {kSize})},
                                               SpaceOf(client(), device))
            .value();
    auto buffer = manager->RetrieveBuffer(0);
    if (kind == 0) {
      later_->Do([manager] { manager->SetBufferError(0, absl::DataLossError("lost")); });
      return Add(std::move(buffer), device, ErrorValue(absl::StatusCode::kDataLoss));
    }
    if (kind == 1) {
      later_->Do([manager] {});  // and it goes
      return Add(std::move(buffer), device, ErrorValue(absl::StatusCode::kCancelled));
    }
    later_->Do([manager, number] {
      const std::vector<float> half(kSize / 2, number);
      const int64_t bytes = kSize / 2 * sizeof(float);
      for (const int64_t place : {1, 0}) {
        const absl::Status status = manager->TransferRawDataToSubBuffer(
            0, half.data(), place * bytes, bytes, /*is_last_transfer=*/place == 0, [] {});
        EXPECT_TRUE(status.ok()) << status;
      }
    });
    Add(std::move(buffer), device, {number});
  }

  void Execute() {
    Entry* const x = Any();
    if (x == nullptr) return;
    Entry* const y = AnyOn(x->device);
    const int program = Number(std::size(kPrograms));
    ExecuteOptions options;
    if (Number(4) == 0) options.non_donatable_input_indices = {0, 1};
    const bool donates = options.non_donatable_input_indices.empty();
    const bool donates_x = donates && program > 0, donates_y = donates && program == 2;
    std::optional<Future<>> future;
    auto results = programs_.portable[program]->ExecutePortable(
        {x->buffer.get(), y->buffer.get()}, client().devices()[x->device], options, future,
        /*fill_future=*/Number(2) == 0);
    const bool is_wrong = x->is_deleted || y->is_deleted || x->device != y->device ||
                          (x == y && (donates_x || donates_y));
    ASSERT_EQ(results.ok(), !is_wrong) << results.status();
    ASSERT_EQ(x->buffer->IsDeleted(), x->is_deleted || (!is_wrong && donates_x));
    ASSERT_EQ(y->buffer->IsDeleted(), y->is_deleted || (!is_wrong && donates_y));
    if (is_wrong) return;
    x->is_deleted = donates_x;
    y->is_deleted = donates_y;
    const int device = x->device;
    const Value a = x->value, b = y->value;
    const Value error = a.is_good() ? b : a;
    if (program == 2) {
      const bool is_good = error.is_good();
      Add(std::move((*results)[0]), device, is_good ? a : error);
      Add(std::move((*results)[1]), device, is_good ? b : error);
    } else if (!error.is_good()) {
      Add(std::move((*results)[0]), device, error);
    } else if (program == 3 && a.number == kForbidden) {
      Add(std::move((*results)[0]), device, ErrorValue(absl::StatusCode::kInternal));
    } else {
      Add(std::move((*results)[0]), device, {a.number + b.number});
    }
  }

  // On one buffer of each device.
  void AllReduce() {
    std::vector<std::vector<PjRtBuffer*>> arguments(kDevices);
    Value values[kDevices];
    for (const Entry& entry : entries_) {
      if (entry.is_deleted || !arguments[entry.device].empty()) continue;
      arguments[entry.device] = {entry.buffer.get()};
      values[entry.device] = entry.value;
    }
    for (const auto& own : arguments) {
      if (own.empty()) return;
    }
    auto results = programs_.all_reduce->Execute(arguments, {});
    ASSERT_TRUE(results.ok()) << results.status();
    Value sum;
    for (const Value& value : values) {
      sum.number += value.number;
      if (!value.is_good()) sum.error = absl::StatusCode::kUnknown;
    }
    for (int device = 0; device < kDevices; ++device)
      Add(std::move((*results)[device][0]), device,
          values[device].is_good() ? sum : values[device]);
  }

  void Copy() {
    Entry* const entry = Any();
    if (entry == nullptr) return;
    const int device = Number(kDevices);
    auto copy = entry->buffer->CopyToMemorySpace(SpaceOf(client(), device));
    ASSERT_EQ(copy.ok(), !entry->is_deleted) << copy.status();
    if (copy.ok()) Add(*std::move(copy), device, entry->value);
  }

  // A copy in exchange for another buffer.
  void CopyInto() {
    Entry* const from = Any();
    Entry* const to = Any();
    if (from == nullptr) return;
    auto copy = from->buffer->CopyToMemorySpace(to->buffer.get());
    ASSERT_EQ(copy.ok(), from != to && !from->is_deleted && !to->is_deleted) << copy.status();
    if (!copy.ok()) return;
    to->is_deleted = true;
    ASSERT_TRUE(to->buffer->IsDeleted());
    Add(*std::move(copy), to->device, from->value);
  }

  // The same value, but not before something else has happened.
  void Depend() {
    Entry* const entry = Any();
    if (entry == nullptr) return;
    auto [promise, future] = MakePromise<>();
    auto later = entry->buffer->DonateWithControlDependency(future);
    ASSERT_EQ(later.ok(), !entry->is_deleted && *entry->references == 0) << later.status();
    if (!later.ok()) return;
    entry->is_deleted = true;
    const bool is_good = Number(4) > 0;
    const auto shared = std::make_shared<Promise<>>(std::move(promise));
    later_->Do([shared, is_good] {
      shared->Set(is_good ? absl::OkStatus() : absl::FailedPreconditionError("not now"));
    });
    const Value value = is_good || !entry->value.is_good()
                            ? entry->value
                            : ErrorValue(absl::StatusCode::kFailedPrecondition);
    Add(*std::move(later), entry->device, value);
  }

  // Takes hold of an array's memory. It cannot be taken for anything else then.
  void Refer() {
    Entry* const entry = Any();
    if (entry == nullptr) return;
    const bool takes_all = Number(3) == 0;
    auto held = takes_all ? entry->buffer->ReleaseDeviceMemoryOwnership(Number(2) == 0)
                          : entry->buffer->AcquireExternalReference();
    if (entry->is_deleted) {
      ASSERT_TRUE(takes_all ? held.ok() && *held == nullptr : !held.ok());
      return;
    }
    ASSERT_EQ(held.ok(), entry->value.is_good()) << held.status();
    entry->is_deleted = takes_all;
    if (!held.ok()) return;
    ++*entry->references;
    references_.push_back({*std::move(held), entry->value.number, entry->references});
  }

  void CheckReferences() {
    for (const Reference& reference : references_) {
      const void* const data = reference.held->OpaqueDeviceMemoryDataPointer();
      ASSERT_TRUE(IsFilled(static_cast<const float*>(data), reference.number));
    }
    while (references_.size() > static_cast<size_t>(Number(4))) {
      --*references_.back().count;
      references_.pop_back();
    }
  }

  void Delete() {
    if (Entry* const entry = Any()) {
      entry->buffer->Delete();
      entry->is_deleted = true;
    }
  }

  void Forget() {
    if (!entries_.empty())
      entries_.erase(entries_.begin() + Number(static_cast<int>(entries_.size())));
  }

  void Check(Entry* entry) {
    if (entry == nullptr) return;
    const auto literal = entry->buffer->ToLiteralSync();
    const absl::Status ready = entry->buffer->GetReadyFuture().Await();
    EXPECT_EQ(literal.status().code(), ready.code()) << literal.status() << ready;
    if (entry->is_deleted) {
      ASSERT_TRUE(absl::IsInvalidArgument(literal.status())) << literal.status();
    } else if (entry->value.error == absl::StatusCode::kUnknown) {
      ASSERT_FALSE(literal.ok());
    } else if (!entry->value.is_good()) {
      ASSERT_EQ(literal.status().code(), entry->value.error) << literal.status();
    } else {
      ASSERT_TRUE(literal.ok()) << literal.status();
      ASSERT_TRUE((*literal)->IsAllFloat(entry->value.number))
          << (*literal)->ToString() << " is not " << entry->value.number;
    }
  }

  std::mt19937 random_;
  const Programs& programs_;
  std::vector<Entry> entries_;
  std::vector<Reference> references_;
  std::shared_ptr<std::atomic<int>> borrowed_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> changed_ = std::make_shared<std::atomic<int>>(0);
  std::unique_ptr<Later> later_ = std::make_unique<Later>();
};

void RunSequence(const Programs& programs, uint32_t seed) {
  SCOPED_TRACE(absl::StrCat("HILO_TEST_SEED=", seed, " runs this sequence alone"));
  Model model(programs, seed);
  for (int i = 0; i < 100 && !::testing::Test::HasFailure(); ++i) model.Step();
  if (!::testing::Test::HasFailure()) model.CheckAll();
  model.CheckThatNothingIsLost();
}

TEST(PjRtModelTest, RandomSequences) {
  const Programs programs;
  if (const char* const seed = std::getenv("HILO_TEST_SEED"))
    return RunSequence(programs, static_cast<uint32_t>(std::atoll(seed)));
  const int64_t sequences = Repetitions("HILO_TEST_SEQUENCES", 1000);
  for (int64_t seed = 0; seed < sequences && !HasFailure(); ++seed)
    RunSequence(programs, static_cast<uint32_t>(seed));
}

}  // namespace
}  // namespace xla
