// Ranges that walk containers of owning pointers as plain pointers.
#ifndef XLA_ITERATOR_UTIL_H_
#define XLA_ITERATOR_UTIL_H_

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

namespace xla {

// Two iterators as a range.
template <typename Iterator>
class iterator_range {
 public:
  iterator_range(Iterator begin, Iterator end) : begin_(std::move(begin)), end_(std::move(end)) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  bool empty() const { return begin_ == end_; }

 private:
  Iterator begin_;
  Iterator end_;
};

template <typename Iterator>
iterator_range<Iterator> make_range(Iterator begin, Iterator end) {
  return iterator_range<Iterator>(std::move(begin), std::move(end));
}

// Walks `Container` (of unique_ptr) by position, so that elements may be appended during the walk.
template <typename Container, typename Element>
class UnwrappingRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Element*;
    using difference_type = std::ptrdiff_t;
    using pointer = Element**;
    using reference = Element*;

    Iterator() = default;
    Iterator(Container* container, size_t position) : container_(container), position_(position) {}
    Element* operator*() const { return (*container_)[position_].get(); }
    Iterator& operator++() {
      ++position_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++position_;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.position_ == b.position_;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) {
      return a.position_ != b.position_;
    }

   private:
    Container* container_ = nullptr;
    size_t position_ = 0;
  };

  explicit UnwrappingRange(Container* container) : container_(container) {}
  Iterator begin() const { return Iterator(container_, 0); }
  Iterator end() const { return Iterator(container_, container_->size()); }
  size_t size() const { return container_->size(); }
  bool empty() const { return container_->empty(); }

 private:
  Container* container_;
};

}  // namespace xla

#endif  // XLA_ITERATOR_UTIL_H_
