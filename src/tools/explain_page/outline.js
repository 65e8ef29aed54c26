'use strict';
// The outline: scopes of the source, or computations, as a tree with one row each.

const MOST_SCOPES = 40;  // of an instruction

class Outline {
  constructor(app) {
    this.app = app;
    this.list = new List(25, (i) => this.row(this.rows[i]));
    this.trees = [this.scopes(), this.computations()];
    const first = this.trees[0].children.length > 0 ? 0 : 1;
    app.find('outline').append(
        make(
            'div', {class: 'bar'},
            switchOf(['Scopes', 'Computations'], first, (i) => this.pick(i))),
        this.list.element);
    this.pick(first);
  }

  pick(index) {
    this.tree = this.trees[index];
    this.refresh();
  }

  refresh() {
    this.rows = [];
    const visit = (node, depth) => {
      for (const child of node.children) {
        child.depth = depth;
        this.rows.push(child);
        if (child.open) visit(child, depth + 1);
      }
    };
    visit(this.tree, 0);
    this.list.setCount(this.rows.length);
  }

  row(node) {
    const turn = make(
        'span', {
          class: 'turn',
          onclick: (event) => {
            event.stopPropagation();
            this.toggle(node);
          }
        },
        node.children.length === 0 ? '' :
            node.open              ? '\u25be' :
                                     '\u25b8');
    const label = make(
        'div', {class: 'label', style: `padding-left:${Math.min(node.depth, 10) * 12}px`}, turn,
        make('span', {title: node.title || node.name}, node.name));
    return make(
        'div', {
          class: this.chosen === node ? 'chosen' : '',
          onclick: () => {
            this.chosen = node;
            if (node.children.length > 0 && !node.open)
              this.toggle(node);
            else
              this.list.refresh(true);
            node.pick();
          }
        },
        label, make('span', {class: 'faint'}, node.note));
  }

  toggle(node) {
    node.open = !node.open;
    this.refresh();
  }

  // Of what the entry computes and of what is fused there, by the names that stand in op_name.
  scopes() {
    const {app} = this, {instructions, profile} = app.model;
    const root = {name: '', children: [], byName: new Map(), ids: [], open: true};
    for (const each of instructions) {
      const parts = each.scope.split('/', MOST_SCOPES).filter((part) => part);
      if (parts.length < 2) continue;
      let node = root;
      for (const part of parts.slice(0, -1)) {
        if (!node.byName.has(part)) {
          const child = {name: part, children: [], byName: new Map(), ids: [], open: false};
          node.byName.set(part, child);
          node.children.push(child);
        }
        node = node.byName.get(part);
      }
      node.ids.push(each.id);
    }
    const finish = (node) => {
      // A scope that only has one other is no step of its own.
      while (node.children.length === 1 && node.ids.length === 0 && node.name) {
        const [only] = node.children;
        Object.assign(
            node, {name: `${node.name}/${only.name}`, children: only.children, ids: only.ids});
      }
      for (const child of node.children) finish(child);
      node.all = node.children.flatMap((child) => child.all).concat(node.ids);
      node.children.sort((a, b) => a.all[0] - b.all[0] || 0);
      node.children = Outline.inNaturalOrder(node.children);
      node.pick = () => {
        const graph = app.views.graph;
        if (app.name !== 'graph') app.go({view: 'graph'});
        app.views.graph.mark(node.all);
        if (graph) graph.canvas.focus();
      };
      const time =
          profile ? node.all.reduce((sum, id) => sum + (profile.timeOf.get(id) || 0), 0) : 0;
      node.time = time;
      node.note = profile && time > 0 ? timeText(time) : withCommas(node.all.length);
    };
    finish(root);
    while (root.children.length === 1 && root.children[0].children.length > 0 &&
           !root.children[0].open)
      root.children[0].open = true;
    return root;
  }

  // layer_2 before layer_10.
  static inNaturalOrder(nodes) {
    const collator = new Intl.Collator('en', {numeric: true});
    const stem = (name) => name.replace(/\d+$/, '');
    const groups = new Map();
    for (const node of nodes) {
      if (!groups.has(stem(node.name))) groups.set(stem(node.name), []);
      groups.get(stem(node.name)).push(node);
    }
    return [...groups.values()].flatMap(
        (group) => group.sort((a, b) => collator.compare(a.name, b.name)));
  }

  computations() {
    const {app} = this, {computations, instructions} = app.model;
    const seen = new Set([0]);
    const nodeOf = (id) => {
      const each = computations[id];
      const children = [];
      const stack = [];
      for (const member of each.members)
        for (const called of instructions[member].calls) {
          if (seen.has(called)) continue;
          seen.add(called);
          stack.push(called);
        }
      for (const called of stack) children.push(nodeOf(called));
      return {
        name: id === 0 ? `entry ${each.name}` : each.name,
        children,
        open: id === 0,
        note: withCommas(each.members.length),
        pick: () =>
            app.go(app.name === 'text' ? {computation: id} : {view: 'graph', computation: id}),
      };
    };
    return {children: [nodeOf(0)]};
  }
}
