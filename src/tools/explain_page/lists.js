'use strict';
// Lists of any length: only the rows in sight are in the document.

class List {
  // `row(index)` makes an element.
  constructor(height, row, className = '') {
    this.height = height;
    this.row = row;
    this.count = 0;
    this.space = make('div', {class: 'space'});
    this.element = make('div', {class: `list ${className}`, tabindex: '0'}, this.space);
    this.element.addEventListener('scroll', () => this.refresh(false), {passive: true});
    this.observer = new ResizeObserver(() => this.refresh(true));
    this.observer.observe(this.element);
  }

  setCount(count) {
    this.count = count;
    this.space.style.height = `${count * this.height}px`;
    this.refresh(true);
  }

  refresh(anew) {
    const top = this.element.scrollTop, height = this.element.clientHeight;
    const first = Math.max(0, Math.floor(top / this.height) - 6);
    const last = Math.min(this.count, Math.ceil((top + height) / this.height) + 6);
    if (!anew && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let i = first; i < last; ++i) {
      const row = this.row(i);
      row.classList.add('row');
      row.style.top = `${i * this.height}px`;
      row.style.height = `${this.height}px`;
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
  }

  show(index) {
    const top = index * this.height, {scrollTop, clientHeight} = this.element;
    if (top < scrollTop + this.height || top > scrollTop + clientHeight - 2 * this.height)
      this.element.scrollTop = Math.max(0, top - clientHeight / 3);
    this.refresh(true);
  }
}

// Columns of tables: a width as style has it, a value to sort by, and what stands in a cell.
function textColumn(title, width, value) {
  return {title, width, value, cell: value};
}
function softColumn(title, width, value) {
  return {title, width, value, cell: value, soft: true};
}
function numberColumn(title, width, value, text = String) {
  return {title, width, value, cell: (entry) => String(text(value(entry))), number: true};
}
function barColumn(width, share, hue) {
  return {title: '', width, cell: (entry) => bar(share(entry), hue(entry))};
}

class Table {
  constructor(columns, {onpick, isChosen, height = 28}) {
    this.columns = columns;
    this.entries = [];
    this.sorted = null;
    const template = columns.map((each) => each.width).join(' ');
    this.list = new List(height, (i) => {
      const entry = this.entries[i];
      const row =
          make('div', {class: isChosen(entry) ? 'chosen' : '', onclick: () => onpick(entry)});
      row.style.gridTemplateColumns = template;
      for (const column of columns) {
        const cell = column.cell(entry);
        row.append(
            cell instanceof Node ?
                cell :
                make(
                    'span',
                    {class: column.number ? 'number' :
                         column.soft      ? 'soft' :
                                            '',
                     title: cell},
                    cell));
      }
      return row;
    });
    this.headings = columns.map(
        (column, i) => make(
            'span', {
              class: column.number ? 'number' : '',
              onclick: () => column.value && this.sortBy(i),
            },
            column.title));
    const heading = make('div', {class: 'heading'}, ...this.headings);
    heading.style.gridTemplateColumns = template;
    this.element = make('div', {class: 'stack'}, heading, this.list.element);
  }

  setEntries(entries) {
    this.original = entries;
    this.sort();
  }

  sortBy(column) {
    const again = this.sorted && this.sorted.column === column;
    this.sorted = again && this.sorted.up === !this.columns[column].number ?
        {column, up: !this.sorted.up} :
        again ? null :
                {column, up: !this.columns[column].number};
    this.sort();
  }

  sort() {
    this.entries = [...this.original];
    this.headings.forEach((heading, i) => {
      const mark =
          this.sorted && this.sorted.column === i ? (this.sorted.up ? ' \u2191' : ' \u2193') : '';
      heading.textContent = this.columns[i].title + mark;
    });
    if (this.sorted) {
      const {value} = this.columns[this.sorted.column], sign = this.sorted.up ? 1 : -1;
      const keys = new Map(this.entries.map((entry) => [entry, value(entry)]));
      this.entries.sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        return sign * (x < y ? -1 : x > y ? 1 : 0);
      });
    }
    this.list.setCount(this.entries.length);
  }

  show(isWanted) {
    const index = this.entries.findIndex(isWanted);
    if (index >= 0)
      this.list.show(index);
    else
      this.list.refresh(true);
  }
}

function bar(share, hue) {
  const width = `width:${(100 * Math.min(1, share)).toFixed(1)}%`;
  return make('div', {class: 'fill', hue}, make('i', {style: width}));
}

function switchOf(names, chosen, onpick) {
  const buttons = names.map(
      (name, i) => make(
          'button', {
            'aria-pressed': String(i === chosen),
            onclick: () => {
              buttons.forEach((each, j) => each.setAttribute('aria-pressed', String(i === j)));
              onpick(i);
            },
          },
          name));
  return make('div', {class: 'switch'}, ...buttons);
}
