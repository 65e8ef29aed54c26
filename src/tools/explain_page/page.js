'use strict';
// The page: its views, what is chosen, the outline, the inspector, the search, keys and the
// address.

const VIEWS = [
  ['graph', 'Graph', GraphView],
  ['fusions', 'Fusions', FusionsView],
  ['memory', 'Memory', MemoryView],
  ['profile', 'Profile', ProfileView],
  ['text', 'Text', TextView],
];
const KEYS = [
  ['/', 'search'],
  ['1 \u2013 5', 'views'],
  ['Esc', 'choose nothing'],
  ['\u2191 \u2193', 'to operands, to users'],
  ['\u2190 \u2192', 'to neighbours; in time'],
  ['Enter', 'open or close a box'],
  ['+ \u2212 0', 'nearer, farther, all of it'],
  ['Page up, down', 'along the graph'],
  ['o', 'open or close the outline'],
  ['d', 'light or dark'],
];

class App {
  constructor(model) {
    this.model = model;
    this.selected = -1;
    this.views = {};
    this.find = (id) => document.getElementById(id);
    document.title = `${model.module} \u2013 Hilo`;
    this.find('module').textContent = model.module;
    this.tabs = VIEWS.map(
        ([name, title], i) => make(
            'button', {
              role: 'tab',
              title: `${title} (${i + 1})`,
              onclick: () => this.go({view: name}),
            },
            title));
    this.find('tabs').append(...this.tabs);
    this.setUpTheme();
    this.setUpKeys();
    new Search(this);
    this.outline = new Outline(this);
    addEventListener('hashchange', () => this.readAddress());
    this.readAddress();
  }

  // ---- Colours

  setUpTheme() {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const given = /theme=(dark|light)/.exec(location.hash);
    this.theme = given ? given[1] : '';
    const apply = () => {
      const name = this.theme || (dark.matches ? 'dark' : 'light');
      document.documentElement.dataset.theme = name;
      this.find('theme').textContent = name === 'dark' ? '\u2600' : '\u263e';
      this.palette = null;
      if (this.view) this.view.draw ? this.view.draw() : null;
    };
    dark.addEventListener('change', apply);
    this.switchTheme = () => {
      this.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
      apply();
    };
    this.find('theme').addEventListener('click', this.switchTheme);
    apply();
  }

  // Of the style, for canvases.
  colors() {
    if (this.palette) return this.palette;
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    const palette = {
      name: document.documentElement.dataset.theme,
      sans: getComputedStyle(document.body).fontFamily
    };
    for (const name
             of ['text', 'soft', 'faint', 'panel', 'page', 'sunken', 'line', 'accent', 'peak',
                 'wire', ...Object.keys(KIND_NAMES)])
      palette[name] = get(name);
    palette.wireIn = get('wire-in');
    palette.wireOut = get('wire-out');
    palette.fillStrength = parseFloat(get('tint')) / 100;
    const tints = new Map();
    palette.tint = (color, strength) => {
      const key = `${color} ${strength}`;
      if (!tints.has(key)) {
        const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
        tints.set(key, `rgb(${r} ${g} ${b} / ${strength})`);
      }
      return tints.get(key);
    };
    this.palette = palette;
    return palette;
  }

  // ---- What is shown

  // To a view, an instruction, a computation or a kernel, with an entry in the history.
  go({view, at, computation, kernel}) {
    const address = this.changedAddress({at, kernel, in : at === undefined ? computation : null});
    if (view) address.set('view', view);
    if (kernel === undefined) address.delete('kernel');
    history.pushState(null, '', `#${address}`);
    this.readAddress();
  }

  // Says in the address what is shown already.
  note(parts) {
    history.replaceState(null, '', `#${this.changedAddress(parts)}`);
  }

  // Parts that are null are left out, those that are undefined stay.
  changedAddress(parts) {
    const address = new URLSearchParams(location.hash.slice(1));
    for (const [name, value] of Object.entries(parts)) {
      if (value === undefined) continue;
      if (value === null)
        address.delete(name);
      else
        address.set(name, value);
    }
    return address;
  }

  // Its name, or its number where another one is called the same.
  addressOf(id) {
    const {name} = this.model.instructions[id];
    return this.model.byName.get(name) === id ? name : `#${id}`;
  }

  atAddress(address) {
    const number = /^#(\d+)$/.exec(address);
    const id = number ? Number(number[1]) : this.model.byName.get(address);
    return this.model.instructions[id] ? id : undefined;
  }

  readAddress() {
    const address = () => new URLSearchParams(location.hash.slice(1));
    const number = (name, list) => {
      const value = address().get(name);
      return value !== null && list[Number(value)] ? Number(value) : -1;
    };
    const at = this.atAddress(address().get('at') || '');
    const changed = at !== undefined && at !== this.selected;
    if (changed) this.selected = at;
    this.show(address().get('view') || 'graph');
    if (changed || !this.inspector) this.select(this.selected, {center: true});
    const computation = number('in', this.model.computations);
    if (this.name === 'graph' && Math.max(0, computation) !== this.view.root)
      this.view.show(Math.max(0, computation));
    if (this.name !== 'text') return;
    const kernel = number('kernel', this.model.kernels);
    if (kernel >= 0) this.view.showKernel(kernel);
    if (computation >= 0) this.view.showComputation(computation);
  }

  show(name) {
    const index = Math.max(0, VIEWS.findIndex((each) => each[0] === name));
    [name] = VIEWS[index];
    if (this.name === name) return;
    this.name = name;
    const isNew = !this.views[name];
    if (isNew) this.views[name] = new VIEWS[index][2](this);
    this.view = this.views[name];
    this.find('view').replaceChildren(this.view.element);
    if (this.inspector) this.showInspector();
    this.tabs.forEach((tab, i) => tab.setAttribute('aria-selected', String(i === index)));
    if (name === 'graph') {
      if (isNew) this.view.show(0);
      if (this.selected >= 0) this.view.reveal(this.selected, true);
      this.view.draw();
    } else {
      this.view.select();
      if (this.view.draw) this.view.draw();
    }
  }

  // Chooses an instruction, or none, everywhere.
  select(id, {center = true} = {}) {
    if (id !== this.selected) this.note({at: id < 0 ? null : this.addressOf(id)});
    this.selected = id;
    this.showInspector();
    this.find('inspector').scrollTop = 0;
    if (this.name === 'graph') {
      if (id >= 0)
        this.view.reveal(id, center);
      else
        this.view.draw();
    } else {
      this.view.select();
    }
  }

  showInspector() {
    this.inspector = inspect(this, this.selected);
    this.find('inspector').replaceChildren(...this.inspector);
  }

  link(id) {
    return make(
        'a', {
          title: this.model.instructions[id].shape,
          onclick: (event) => {
            event.stopPropagation();
            this.select(id);
          },
        },
        this.model.instructions[id].name);
  }

  // An instruction by its name, first among those of a computation.
  lookUp(name, scope) {
    const id = this.model.byName.get(name);
    if (id === undefined || scope < 0 || this.model.instructions[id].computation === scope)
      return id === undefined ? -1 : id;
    const inside = this.model.computations[scope].members.find(
        (each) => this.model.instructions[each].name === name);
    return inside === undefined ? id : inside;
  }

  setUpKeys() {
    const keys = this.find('keys');
    keys.append(
        make('h2', {}, 'Keys'),
        make(
            'dl', {},
            ...KEYS.flatMap(
                ([key,
                  meaning]) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, meaning)])));
    keys.addEventListener('click', () => keys.close());
    this.find('help').addEventListener('click', () => keys.showModal());
    addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      const index = Number(event.key) - 1;
      if (event.key === '/') {
        event.preventDefault();
        this.find('search').focus();
      } else if (event.key === '?')
        keys.showModal();
      else if (event.key === 'd')
        this.switchTheme();
      else if (event.key === 'o')
        this.find('outline').hidden = !this.find('outline').hidden;
      else if (event.key === 'Escape') {
        if (this.views.graph) this.views.graph.marked = null;
        this.select(-1);
      } else if (VIEWS[index])
        this.go({view: VIEWS[index][0]});
      else if (this.name === 'graph' && event.target === document.body)
        this.view.key(event);
    });
  }
}

const app = new App(readModel(JSON.parse(document.getElementById('data').textContent)));
requestAnimationFrame(() => requestAnimationFrame(() => {
                        document.documentElement.dataset.opened =
                            String(Math.round(performance.now()));
                      }));
