#include "runtime/object_code.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/perf_map.h"
#include "runtime/relocation.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

// Displacements in code have 32 bits.
constexpr uint64_t kMaxImageBytes = uint64_t{1} << 30;
#if defined(__aarch64__)
constexpr uint16_t kThisMachine = EM_AARCH64;
#else
constexpr uint16_t kThisMachine = EM_X86_64;
#endif
constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();

absl::Status Damaged(absl::string_view what) {
  return InvalidArgument("the object file is damaged: %s", what);
}

// What is at an offset of a file, if it lies within it.
template <typename T>
absl::Status Read(absl::string_view file, uint64_t offset, T* value) {
  if (offset > file.size() || sizeof(T) > file.size() - offset)
    return Damaged("something lies behind its end");
  std::memcpy(value, file.data() + offset, sizeof(T));
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> Part(absl::string_view file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset)
    return Damaged("a section lies behind its end");
  return file.substr(section.sh_offset, section.sh_size);
}

absl::StatusOr<absl::string_view> StringAt(absl::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return Damaged("a name lies outside of the names");
  const absl::string_view rest = strings.substr(offset);
  const size_t end = rest.find('\0');
  if (end == absl::string_view::npos) return Damaged("a name has no end");
  return rest.substr(0, end);
}

enum Kind { kCode, kConstantData, kData, kKinds };

Kind KindOf(const Elf64_Shdr& section) {
  if (section.sh_flags & SHF_EXECINSTR) return kCode;
  return section.sh_flags & SHF_WRITE ? kData : kConstantData;
}

struct ObjectFile {
  absl::string_view bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<uint64_t> places;  // of the sections in the image, or kNowhere
  std::vector<Elf64_Sym> symbols;
  absl::string_view symbol_names;

  absl::Status Parse();
  absl::StatusOr<absl::string_view> NameOf(const Elf64_Sym& symbol) const {
    return StringAt(symbol_names, symbol.st_name);
  }
};

absl::Status ObjectFile::Parse() {
  Elf64_Ehdr header;
  HILO_RETURN_IF_ERROR(Read(bytes, 0, &header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Damaged("it is no ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kThisMachine || header.e_type != ET_REL) {
    return Unimplemented("object files other than relocatable ones for this machine");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return Damaged("its sections have another size");
  sections.resize(header.e_shnum);
  places.assign(header.e_shnum, kNowhere);
  for (size_t i = 0; i < sections.size(); ++i)
    HILO_RETURN_IF_ERROR(Read(bytes, header.e_shoff + i * sizeof(Elf64_Shdr), &sections[i]));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!symbols.empty()) return Damaged("it has two tables of symbols");
    HILO_ASSIGN_OR_RETURN(const absl::string_view table, Part(bytes, section));
    symbols.resize(table.size() / sizeof(Elf64_Sym));
    std::memcpy(symbols.data(), table.data(), symbols.size() * sizeof(Elf64_Sym));
    if (section.sh_link >= sections.size()) return Damaged("symbols have no names");
    HILO_ASSIGN_OR_RETURN(symbol_names, Part(bytes, sections[section.sh_link]));
  }
  return absl::OkStatus();
}

}  // namespace

class ObjectCode::Linker {
 public:
  Linker(absl::Span<const std::string> files, absl::string_view program) : program_(program) {
    for (const std::string& file : files) files_.push_back({file});
  }

  absl::StatusOr<std::shared_ptr<const ObjectCode>> Link() {
    for (ObjectFile& file : files_) HILO_RETURN_IF_ERROR(file.Parse());
    HILO_RETURN_IF_ERROR(LayOut());
    HILO_RETURN_IF_ERROR(Map());
    HILO_RETURN_IF_ERROR(DefineSymbols());
    for (const ObjectFile& file : files_) HILO_RETURN_IF_ERROR(Relocate(file));
    HILO_RETURN_IF_ERROR(Protect());
    if (WantsPerfMap()) HILO_RETURN_IF_ERROR(ShowFunctions());
    return std::shared_ptr<const ObjectCode>(std::move(code_));
  }

 private:
  absl::Status LayOut();
  absl::Status Map();
  absl::Status DefineSymbols();
  absl::Status Relocate(const ObjectFile& file);
  absl::Status Apply(const ObjectFile& file, const Elf64_Rela& relocation, size_t section);
  absl::Status Protect();
  absl::Status ShowFunctions();

  // Where a symbol lies in this process.
  absl::StatusOr<uint64_t> AddressOf(const ObjectFile& file, const Elf64_Sym& symbol) const;
  // A table entry with the address, and code that jumps there.
  absl::StatusOr<uint64_t> TableEntry(uint64_t address);
  absl::StatusOr<uint64_t> Stub(uint64_t address);

  uint64_t AddressIn(uint64_t place) const {
    return reinterpret_cast<uint64_t>(code_->image_) + place;
  }

  const absl::string_view program_;
  std::vector<ObjectFile> files_;
  const LinkedMachine& machine_ = *FindLinkedMachine(kThisMachine);
  std::unique_ptr<ObjectCode> code_{new ObjectCode()};
  uint64_t begin_[kKinds + 1] = {};                          // of each kind of section, on a page
  uint64_t next_stub_ = 0, next_entry_ = 0;                  // in the image
  absl::flat_hash_map<uint64_t, uint64_t> entries_, stubs_;  // by address
};

absl::Status ObjectCode::Linker::LayOut() {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  // At most one stub and one table entry for each symbol.
  uint64_t indirect = 0;
  for (const ObjectFile& file : files_) indirect += file.symbols.size();
  uint64_t at = 0;
  const auto align = [&](uint64_t alignment) { at = (at + alignment - 1) / alignment * alignment; };
  for (int kind = 0; kind < kKinds; ++kind) {
    align(page);
    begin_[kind] = at;
    for (ObjectFile& file : files_) {
      for (size_t i = 0; i < file.sections.size(); ++i) {
        const Elf64_Shdr& section = file.sections[i];
        // Nobody unwinds the stack through compiled code.
        if (!(section.sh_flags & SHF_ALLOC) || section.sh_type == SHT_X86_64_UNWIND ||
            KindOf(section) != kind) {
          continue;
        }
        if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS)
          return Unimplemented("sections of type %d in object files", section.sh_type);
        if (section.sh_addralign > page || section.sh_size > kMaxImageBytes)
          return Damaged("a section is too large");
        align(std::max<uint64_t>(section.sh_addralign, 1));
        file.places[i] = at;
        at += section.sh_size;
        if (at > kMaxImageBytes) return ResourceExhausted("compiled code is larger than 1 GB");
      }
    }
    if (kind == kCode) {
      align(16);
      next_stub_ = at;
      at += indirect * kStubBytes;
    } else if (kind == kConstantData) {
      align(16);
      next_entry_ = at;
      at += indirect * sizeof(uint64_t);
    }
  }
  align(page);
  begin_[kKinds] = at;
  return absl::OkStatus();
}

absl::Status ObjectCode::Linker::Map() {
  const uint64_t bytes = begin_[kKinds];
  if (bytes == 0) return Damaged("it has no code");
  void* image = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED) return ResourceExhausted("there is no memory left for compiled code");
  code_->image_ = static_cast<char*>(image);
  code_->bytes_ = bytes;
  for (const ObjectFile& file : files_) {
    for (size_t i = 0; i < file.sections.size(); ++i) {
      if (file.places[i] == kNowhere || file.sections[i].sh_type == SHT_NOBITS) continue;
      HILO_ASSIGN_OR_RETURN(const absl::string_view contents, Part(file.bytes, file.sections[i]));
      std::memcpy(code_->image_ + file.places[i], contents.data(), contents.size());
    }
  }
  return absl::OkStatus();
}

absl::Status ObjectCode::Linker::DefineSymbols() {
  for (const ObjectFile& file : files_) {
    for (const Elf64_Sym& symbol : file.symbols) {
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      HILO_ASSIGN_OR_RETURN(const absl::string_view name, file.NameOf(symbol));
      HILO_ASSIGN_OR_RETURN(const uint64_t address, AddressOf(file, symbol));
      code_->symbols_.emplace(name, reinterpret_cast<void*>(address));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ObjectCode::Linker::AddressOf(const ObjectFile& file,
                                                       const Elf64_Sym& symbol) const {
  if (symbol.st_shndx == SHN_UNDEF) {
    HILO_ASSIGN_OR_RETURN(const absl::string_view name, file.NameOf(symbol));
    const auto own = code_->symbols_.find(name);
    void* const address = own != code_->symbols_.end() ? own->second : FindLibrarySymbol(name);
    if (address == nullptr) return NotFound("compiled code asks for the unknown function %s", name);
    return reinterpret_cast<uint64_t>(address);
  }
  if (symbol.st_shndx >= file.sections.size() || file.places[symbol.st_shndx] == kNowhere)
    return Damaged("a symbol lies in no section that is loaded");
  if (symbol.st_value > file.sections[symbol.st_shndx].sh_size)
    return Damaged("a symbol lies outside of its section");
  return AddressIn(file.places[symbol.st_shndx] + symbol.st_value);
}

absl::StatusOr<uint64_t> ObjectCode::Linker::TableEntry(uint64_t address) {
  const auto [found, is_new] = entries_.try_emplace(address, next_entry_);
  if (is_new) {
    std::memcpy(code_->image_ + next_entry_, &address, sizeof address);
    next_entry_ += sizeof address;
  }
  return AddressIn(found->second);
}

absl::StatusOr<uint64_t> ObjectCode::Linker::Stub(uint64_t address) {
  const auto [found, is_new] = stubs_.try_emplace(address, next_stub_);
  if (is_new) {
    HILO_ASSIGN_OR_RETURN(const uint64_t entry, TableEntry(address));
    machine_.write_stub(AddressIn(next_stub_), entry, code_->image_ + next_stub_);
    next_stub_ += kStubBytes;
  }
  return AddressIn(found->second);
}

absl::Status ObjectCode::Linker::Relocate(const ObjectFile& file) {
  for (const Elf64_Shdr& section : file.sections) {
    if (section.sh_type == SHT_REL) return Unimplemented("relocations without addends");
    if (section.sh_type != SHT_RELA) continue;
    if (section.sh_info >= file.sections.size()) return Damaged("relocations of no section");
    if (file.places[section.sh_info] == kNowhere) continue;
    HILO_ASSIGN_OR_RETURN(const absl::string_view table, Part(file.bytes, section));
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela relocation;
      std::memcpy(&relocation, table.data() + at, sizeof relocation);
      HILO_RETURN_IF_ERROR(Apply(file, relocation, section.sh_info));
    }
  }
  return absl::OkStatus();
}

absl::Status ObjectCode::Linker::Apply(const ObjectFile& file, const Elf64_Rela& relocation,
                                       size_t section) {
  if (ELF64_R_SYM(relocation.r_info) >= file.symbols.size())
    return Damaged("a relocation names no symbol");
  HILO_ASSIGN_OR_RETURN(const uint64_t s,
                        AddressOf(file, file.symbols[ELF64_R_SYM(relocation.r_info)]));
  const uint64_t size = file.sections[section].sh_size;
  if (relocation.r_offset > size) return Damaged("a relocation lies outside of its section");
  const uint64_t place = file.places[section] + relocation.r_offset;
  return machine_.relocate(
      {ELF64_R_TYPE(relocation.r_info), s, static_cast<uint64_t>(relocation.r_addend),
       AddressIn(place), code_->image_ + place, size - relocation.r_offset},
      [&](uint64_t address) { return TableEntry(address); },
      [&](uint64_t address) { return Stub(address); });
}

absl::Status ObjectCode::Linker::Protect() {
  __builtin___clear_cache(code_->image_, code_->image_ + code_->bytes_);
  constexpr int kAccess[kKinds] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
  for (int kind = 0; kind < kKinds; ++kind) {
    const uint64_t bytes = begin_[kind + 1] - begin_[kind];
    if (bytes != 0 && mprotect(code_->image_ + begin_[kind], bytes, kAccess[kind]) != 0)
      return Internal("memory cannot be made executable");
  }
  return absl::OkStatus();
}

absl::Status ObjectCode::Linker::ShowFunctions() {
  std::vector<PerfFunction> functions;
  for (const ObjectFile& file : files_) {
    for (const Elf64_Sym& symbol : file.symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      HILO_ASSIGN_OR_RETURN(const absl::string_view name, file.NameOf(symbol));
      HILO_ASSIGN_OR_RETURN(const uint64_t address, AddressOf(file, symbol));
      functions.push_back({address, symbol.st_size, absl::StrCat(program_, ":", name)});
    }
  }
  AddToPerfMap(functions);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const ObjectCode>> ObjectCode::Load(
    absl::Span<const std::string> files, absl::string_view program) {
  return Linker(files, program).Link();
}

ObjectCode::~ObjectCode() {
  if (image_ != nullptr) munmap(image_, bytes_);
}

absl::StatusOr<void*> ObjectCode::Find(absl::string_view symbol) const {
  const auto found = symbols_.find(symbol);
  if (found != symbols_.end()) return found->second;
  return NotFound("compiled code has no function %s", symbol);
}

}  // namespace xla::runtime
