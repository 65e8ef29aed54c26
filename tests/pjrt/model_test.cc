// Random sequences of what clients do with buffers, against a model that knows what must come out.
#include <random>

#include "tests/pjrt/pjrt_testing.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr int kSize = 100;

// A buffer and the value that all its elements should have; nothing where it carries an error.
struct Entry {
  std::unique_ptr<PjRtBuffer> buffer;
  std::optional<float> value;
  bool is_deleted = false;
};

class Model {
 public:
  explicit Model(int seed) : random_(seed), client_(MakeClient(2)) {
    const char* const texts[] = {R"(
HloModule add
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)  ROOT z = f32[100] add(x, y) })",
                                 R"(
HloModule donating_add, input_output_alias={ {}: 0 }
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)  ROOT z = f32[100] add(x, y) })",
                                 R"(
HloModule twice, input_output_alias={ {0}: 1, {1}: 0 }
ENTRY e { x = f32[100] parameter(0)  y = f32[100] parameter(1)
  ROOT z = (f32[100], f32[100]) tuple(x, y) })"};
    for (const char* text : texts) executables_.push_back(CompileText(*client_, text));
  }

  void Step() {
    switch (Number(10)) {
      case 0:
      case 1:
        return Create();
      case 2:
      case 3:
      case 4:
      case 5:
        return Execute();
      case 6:
        return Copy();
      case 7:
        return Delete();
      case 8:
        return Check(Any());
      default:
        return Forget();
    }
  }

  void CheckAll() {
    for (Entry& entry : entries_) Check(&entry);
  }

 private:
  int Number(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Entry* Any() { return entries_.empty() ? nullptr : &entries_[Number(entries_.size())]; }

  void Create() {
    if (entries_.size() > 30) return Forget();
    if (Number(8) == 0) {
      auto buffer = client_->CreateErrorBuffer(
          absl::DataLossError("bad"), ShapeUtil::MakeShape(F32, {kSize}), SpaceOf(*client_));
      entries_.push_back({*std::move(buffer), std::nullopt});
      return;
    }
    const float value = static_cast<float>(Number(5));
    entries_.push_back(
        {Put(*client_, LiteralUtil::CreateR1<float>(std::vector<float>(kSize, value))), value});
  }

  void Execute() {
    Entry* const x = Any();
    Entry* const y = Any();
    if (x == nullptr) return;
    const int program = Number(3);
    ExecuteOptions options;
    if (Number(4) == 0) options.non_donatable_input_indices = {0, 1};
    const bool donates = options.non_donatable_input_indices.empty();
    const bool donates_x = donates && program > 0, donates_y = donates && program == 2;
    auto results = RunProgram(*executables_[program], {x->buffer.get(), y->buffer.get()}, options);
    const bool is_wrong = x->is_deleted || y->is_deleted || (x == y && (donates_x || donates_y));
    ASSERT_EQ(results.ok(), !is_wrong) << results.status();
    ASSERT_EQ(x->buffer->IsDeleted(), x->is_deleted || (!is_wrong && donates_x));
    ASSERT_EQ(y->buffer->IsDeleted(), y->is_deleted || (!is_wrong && donates_y));
    if (is_wrong) return;
    const std::optional<float> a = x->value, b = y->value;
    const bool is_good = a.has_value() && b.has_value();
    x->is_deleted = donates_x;
    y->is_deleted = donates_y;
    if (program == 2) {
      Add(std::move((*results)[0]), is_good ? a : std::nullopt);
      Add(std::move((*results)[1]), is_good ? b : std::nullopt);
    } else {
      Add(std::move((*results)[0]), is_good ? std::optional<float>(*a + *b) : std::nullopt);
    }
  }

  // Values stay small enough to be exact.
  void Add(std::unique_ptr<PjRtBuffer> buffer, std::optional<float> value) {
    if (value.has_value() && *value > 1e6f) return;
    entries_.push_back({std::move(buffer), value});
  }

  void Copy() {
    Entry* const entry = Any();
    if (entry == nullptr) return;
    auto there = entry->buffer->CopyToMemorySpace(SpaceOf(*client_, 1));
    ASSERT_EQ(there.ok(), !entry->is_deleted);
    if (!there.ok()) return;
    auto back = (*there)->CopyToMemorySpace(SpaceOf(*client_, 0));
    ASSERT_TRUE(back.ok());
    Add(*std::move(back), entry->value);
  }

  void Delete() {
    if (Entry* const entry = Any()) {
      entry->buffer->Delete();
      entry->is_deleted = true;
    }
  }

  void Forget() {
    if (!entries_.empty()) entries_.erase(entries_.begin() + Number(entries_.size()));
  }

  void Check(Entry* entry) {
    if (entry == nullptr) return;
    const auto literal = entry->buffer->ToLiteralSync();
    if (entry->is_deleted) {
      EXPECT_TRUE(absl::IsInvalidArgument(literal.status())) << literal.status();
    } else if (!entry->value.has_value()) {
      EXPECT_TRUE(absl::IsDataLoss(literal.status())) << literal.status();
    } else {
      ASSERT_TRUE(literal.ok()) << literal.status();
      EXPECT_TRUE((*literal)->IsAllFloat(*entry->value))
          << (*literal)->ToString() << " is not " << *entry->value;
    }
  }

  std::mt19937 random_;
  const std::unique_ptr<PjRtClient> client_;
  std::vector<std::unique_ptr<PjRtLoadedExecutable>> executables_;
  std::vector<Entry> entries_;
};

TEST(PjRtModelTest, RandomSequences) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed);
    for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) model.Step();
    model.CheckAll();
  }
}

}  // namespace
}  // namespace xla
