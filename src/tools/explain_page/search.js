'use strict';
// The search, which finds instructions by words.

class Search {
  constructor(app) {
    this.app = app;
    this.input = app.find('search');
    this.box = app.find('found');
    this.found = [];
    this.at = 0;
    this.count = make('div', {class: 'count'});
    this.list = new List(26, (i) => {
      const each = app.model.instructions[this.found[i]];
      return make(
          'div', {
            class: i === this.at ? 'chosen' : '',
            onpointerdown: (event) => {
              event.preventDefault();
              this.pick(i);
            }
          },
          make('i', {class: 'dot', hue: each.kind}), make('span', {}, each.name),
          make('span', {class: 'soft', style: 'max-width:240px'}, each.shape));
    });
    this.box.append(this.count, this.list.element);
    this.input.addEventListener('input', () => this.search());
    this.input.addEventListener('focus', () => this.search());
    this.input.addEventListener('blur', () => {
      this.box.hidden = true;
    });
    this.input.addEventListener('keydown', (event) => this.key(event));
  }

  // All words must occur in the name, the operation, the shape, the source or the scope.
  search() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter((word) => word);
    this.box.hidden = words.length === 0;
    if (words.length === 0) return;
    const {instructions} = this.app.model;
    if (!this.haystacks) {
      this.haystacks = instructions.map(
          (each) => `${each.name} ${each.opcode} ${each.shape} ${each.source} ${each.scope}`
                        .toLowerCase());
    }
    const ranked = [];
    this.haystacks.forEach((haystack, id) => {
      if (!words.every((word) => haystack.includes(word))) return;
      const {name} = instructions[id];
      const rank = name === words[0] ? 0 : name.toLowerCase().startsWith(words[0]) ? 1 : 2;
      ranked.push([rank, id]);
    });
    ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    this.found = ranked.map((each) => each[1]);
    this.at = 0;
    this.count.textContent = plural(this.found.length, 'instruction');
    this.box.style.height = `${Math.min(400, 36 + 26 * this.found.length)}px`;
    this.list.element.scrollTop = 0;
    this.list.setCount(this.found.length);
  }

  key(event) {
    const move = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (move) {
      event.preventDefault();
      this.at = Math.min(this.found.length - 1, Math.max(0, this.at + move));
      this.list.show(this.at);
    } else if (event.key === 'Enter')
      this.pick(this.at);
    else if (event.key === 'Escape') {
      this.input.blur();
      this.box.hidden = true;
    }
  }

  pick(i) {
    if (this.found[i] === undefined) return;
    this.input.blur();
    this.box.hidden = true;
    this.app.select(this.found[i]);
  }
}
