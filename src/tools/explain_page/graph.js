'use strict';
// The graph of a computation on a canvas, with boxes that open, and a map of all of it at the side.

const MAP_WIDTH = 72, READABLE = 0.42;

class GraphView {
  constructor(app) {
    this.app = app;
    this.model = app.model;
    this.root = 0;
    this.expanded = new Set();
    this.k = 1;
    this.x = this.y = 0;
    this.hover = -1;
    this.marked = null;  // instructions of a scope
    this.crumbs = make('div', {class: 'grow crumbs'});
    this.canvas =
        make('canvas', {tabindex: '0', role: 'img', 'aria-label': 'Graph of the program'});
    this.map = make('canvas', {class: 'map'});
    this.tip = make('div', {class: 'tip', hidden: true});
    const button = (text, title, action) => make('button', {title, onclick: action}, text);
    this.area = make(
        'div', {class: 'graph'}, this.canvas, this.map,
        make(
            'div', {class: 'tools'}, button('Fit', 'All of it (0)', () => this.fit()),
            button('+', 'Nearer (+)', () => this.zoom(1.4)),
            button('\u2212', 'Farther (-)', () => this.zoom(1 / 1.4)),
            button('Open all', 'Show what is in all boxes', () => this.expandAll(true)),
            button('Close all', 'Show boxes only', () => this.expandAll(false))),
        this.tip);
    this.element =
        make('div', {}, make('div', {class: 'bar'}, this.crumbs, this.legend()), this.area);
    this.listen();
  }

  legend() {
    return make(
        'div', {class: 'legend'},
        ...Object.entries(KIND_NAMES)
            .map(([kind, name]) => make('span', {}, make('i', {class: 'dot', hue: kind}), name)));
  }

  // ---- What is shown

  show(computation) {
    this.root = computation;
    this.arrange();
    this.home();
  }

  arrange() {
    const before = performance.now();
    this.layout = layOut(this.model, this.model.computations[this.root], this.expanded);
    this.boxes = [];
    this.wires = [];
    this.boxesOf = new Map();
    this.flatten(this.layout, 0, 0, 0, -1);
    this.layoutTime = performance.now() - before;
    this.mapImage = null;
    this.showCrumbs();
    this.draw();
  }

  flatten(layout, x, y, depth, parent) {
    const first = this.boxes.length;
    for (const node of layout.nodes) {
      const box = {
        id: node.id,
        x: x + node.x - node.w / 2,
        y: y + node.y,
        w: node.w,
        h: node.h,
        depth,
        parent,
        leaf: node.leaf,
        open: node.inner !== null,
      };
      const number = this.boxes.length;
      this.boxes.push(box);
      if (!this.boxesOf.has(node.id)) this.boxesOf.set(node.id, []);
      this.boxesOf.get(node.id).push(number);
      box.node = node;
    }
    const last = this.boxes.length;
    for (const edge of layout.edges) {
      if (!edge.points) continue;
      const points = edge.points.map((value, i) => value + (i % 2 === 0 ? x : y));
      let top = Infinity, bottom = -Infinity, left = Infinity, right = -Infinity;
      for (let i = 0; i < points.length; i += 2) {
        left = Math.min(left, points[i]);
        right = Math.max(right, points[i]);
        top = Math.min(top, points[i + 1]);
        bottom = Math.max(bottom, points[i + 1]);
      }
      this.wires.push({
        from: first + edge.from,
        to: first + edge.to,
        points,
        top,
        bottom,
        left,
        right,
        lane: edge.lane !== undefined
      });
    }
    for (let i = first; i < last; ++i) {
      const box = this.boxes[i];
      if (!box.open) continue;
      let at = box.x + BOX_PADDING;
      for (const inner of box.node.inner) {
        this.flatten(inner, at, box.y + TITLE_HEIGHT, depth + 1, i);
        at += inner.w + BOX_PADDING;
      }
    }
  }

  showCrumbs() {
    const {computations, instructions} = this.model;
    const path = [];
    const seen = new Set();
    for (let id = this.root; id >= 0 && !seen.has(id);) {
      path.unshift(id);
      seen.add(id);
      const caller = computations[id].callers[0];
      id = caller === undefined ? -1 : instructions[caller].computation;
    }
    this.crumbs.replaceChildren();
    path.forEach((id, i) => {
      if (i > 0) this.crumbs.append(make('span', {class: 'faint'}, ' \u203a '));
      const name = id === 0 ? 'entry' : computations[id].name;
      this.crumbs.append(
          id === this.root ?
              make('strong', {}, name) :
              make('a', {onclick: () => this.app.go({view: 'graph', computation: id})}, name));
    });
    this.crumbs.append(make(
        'span', {class: 'faint'},
        `   ${plural(computations[this.root].members.length, 'instruction')}`));
  }

  expandAll(open) {
    const visit = (computation) => {
      for (const id of computation.members) {
        const each = this.model.instructions[id];
        if (!isExpandable(each) || this.expanded.has(id)) continue;
        this.expanded.add(id);
        for (const called of each.calls) visit(this.model.computations[called]);
      }
    };
    if (open)
      visit(this.model.computations[this.root]);
    else
      this.expanded.clear();
    this.keepPlace(this.boxes[this.topBox()], () => this.arrange());
  }

  topBox() {
    const middle = -this.y / this.k;
    let best = 0;
    this.boxes.forEach((box, i) => {
      const nearer = Math.abs(box.y - middle) < Math.abs(this.boxes[best].y - middle);
      if (box.depth === 0 && nearer) best = i;
    });
    return best;
  }

  // Lets a box stay where it is on the screen while the layout changes.
  keepPlace(box, change) {
    if (!box) return change();
    const at = {x: box.x * this.k + this.x, y: box.y * this.k + this.y};
    change();
    const now = this.boxes[(this.boxesOf.get(box.id) || [0])[0]];
    if (!now) return;
    this.x = at.x - now.x * this.k;
    this.y = at.y - now.y * this.k;
    this.draw();
  }

  toggle(id) {
    if (!isExpandable(this.model.instructions[id])) return;
    const number = (this.boxesOf.get(id) || [])[0];
    this.keepPlace(this.boxes[number], () => {
      if (!this.expanded.delete(id)) this.expanded.add(id);
      this.arrange();
    });
    const box = this.boxes[this.boxesOf.get(id)[0]];
    if (box.open && box.w * this.k > this.size().width) {
      const inner =
          this.boxes.filter((each) => each.parent >= 0 && this.boxes[each.parent] === box);
      this.x = this.size().width / 2 - this.middleOf(inner, box) * this.k;
      this.draw();
    }
  }

  // Of the boxes in `whole` that are in sight while its top is.
  middleOf(boxes, whole) {
    const seen = boxes.filter((box) => (box.y - whole.y) * this.k < this.size().height)
                     .map((box) => box.x + box.w / 2)
                     .sort((a, b) => a - b);
    return seen.length > 0 ? seen[seen.length >> 1] : whole.x + whole.w / 2;
  }

  // Opens what an instruction stands in, and brings it into view.
  reveal(id, center) {
    const {instructions, computations} = this.model;
    const path = [];
    const seen = new Set();
    let computation = instructions[id].computation;
    while (computation !== this.root && !seen.has(computation)) {
      seen.add(computation);
      const caller = computations[computation].callers[0];
      if (caller === undefined || !isExpandable(instructions[caller])) break;
      path.push(caller);
      computation = instructions[caller].computation;
    }
    if (computation !== this.root) {
      this.root = computation;
      this.expanded.clear();
      this.app.note({in : computation});
    }
    const missing = path.filter((each) => !this.expanded.has(each));
    if (missing.length > 0 || !this.boxesOf.has(id)) {
      for (const each of missing) this.expanded.add(each);
      this.arrange();
    }
    if (center)
      this.center(id);
    else
      this.draw();
  }

  center(id) {
    const numbers = this.boxesOf.get(id);
    if (!numbers) return;
    const box = this.boxes[numbers[0]];
    const {width, height} = this.size();
    if (this.k < READABLE) this.k = 0.9;
    const left = box.x * this.k + this.x, top = box.y * this.k + this.y;
    const inside = left > 20 && top > 20 && left + Math.min(box.w * this.k, 200) < width - 20 &&
        top + Math.min(box.h * this.k, 100) < height - 20;
    if (!inside) {
      this.x = width / 2 - (box.x + Math.min(box.w, width / this.k) / 2) * this.k;
      this.y = height / 2 - (box.y + Math.min(box.h, height / this.k * 0.8) / 2) * this.k;
    }
    this.draw();
  }

  // Brings a set of instructions into view.
  mark(ids) {
    this.marked = new Set(ids);
    const boxes =
        this.boxes.filter((box) => box.depth === 0 && !box.leaf && this.marked.has(box.id))
            .sort((a, b) => a.y - b.y);
    if (boxes.length === 0) return this.draw();
    // Where most of them are together.
    const {width, height} = this.size();
    let most = [0, 0];
    for (let i = 0, first = 0; i < boxes.length; ++i) {
      if (i > first && boxes[i].y > boxes[i - 1].y + 400) first = i;
      if (i + 1 - first > most[1] - most[0]) most = [first, i + 1];
    }
    const best = boxes.slice(...most);
    const left = best.reduce((left, box) => Math.min(left, box.x), Infinity);
    const right = best.reduce((right, box) => Math.max(right, box.x + box.w), 0);
    const bottom = best.reduce((bottom, box) => Math.max(bottom, box.y + box.h), 0);
    const whole = Math.min((width - 48) / (right - left), (height - 64) / (bottom - best[0].y));
    this.k = Math.min(1.1, Math.max(READABLE, whole));
    this.y = 32 - best[0].y * this.k;
    this.x = width / 2 - (left + right) / 2 * this.k;
    this.draw();
  }

  size() {
    const map = this.map.hidden ? 0 : MAP_WIDTH;
    return {width: this.area.clientWidth - map, height: this.area.clientHeight};
  }

  // From the top, as wide as the view where that is readable.
  home() {
    const {width, height} = this.size();
    if (width <= 0) return;
    this.k = Math.min(1.1, Math.max(0.72, (width - 48) / this.layout.w));
    const whole = {x: 0, y: 0, w: this.layout.w};
    const outer =
        this.layout.w * this.k <= width ? [] : this.boxes.filter((box) => box.depth === 0);
    this.x = width / 2 - this.middleOf(outer, whole) * this.k;
    this.y = Math.max(28, (height - this.layout.h * this.k) / 2);
    this.draw();
  }

  fit() {
    const {width, height} = this.size();
    this.k = Math.min(1.5, (width - 48) / this.layout.w, (height - 64) / this.layout.h);
    this.x = (width - this.layout.w * this.k) / 2;
    this.y = (height - this.layout.h * this.k) / 2;
    this.draw();
  }

  zoom(factor, x, y) {
    const {width, height} = this.size();
    const at = {x: x === undefined ? width / 2 : x, y: y === undefined ? height / 2 : y};
    const k = Math.min(3, Math.max(0.005, this.k * factor));
    this.x = at.x - (at.x - this.x) * (k / this.k);
    this.y = at.y - (at.y - this.y) * (k / this.k);
    this.k = k;
    this.draw();
  }

  // ---- Pointer and keys

  listen() {
    const point = (event) => {
      const {left, top} = this.canvas.getBoundingClientRect();
      return {x: event.clientX - left, y: event.clientY - top};
    };
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.ctrlKey || event.metaKey) {
        const {x, y} = point(event);
        this.zoom(Math.exp(-event.deltaY * lines * 0.0035), x, y);
      } else {
        this.x -= (event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX) * lines;
        this.y -= event.shiftKey ? 0 : event.deltaY * lines;
        this.draw();
      }
    }, {passive: false});
    let drag = null;
    this.canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      drag = {...point(event), moved: false};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      const at = point(event);
      if (!drag) return this.hoverAt(at, event);
      const dx = at.x - drag.x, dy = at.y - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag.moved = true;
      this.x += dx;
      this.y += dy;
      drag.x = at.x;
      drag.y = at.y;
      this.draw();
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (drag && !drag.moved) this.click(point(event));
      drag = null;
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
    });
    this.canvas.addEventListener('dblclick', (event) => {
      const box = this.boxAt(point(event));
      if (box && isExpandable(this.model.instructions[box.id])) this.toggle(box.id);
    });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    const jump = (event) => {
      if (event.buttons !== 1) return;
      const {top, height} = this.map.getBoundingClientRect();
      const at = (event.clientY - top) / height * this.layout.h;
      this.y = this.size().height / 2 - at * this.k;
      this.draw();
    };
    this.map.addEventListener('pointerdown', (event) => {
      this.map.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.map.addEventListener('pointermove', jump);
    new ResizeObserver(() => this.draw()).observe(this.area);
  }

  boxAt({x, y}) {
    const gx = (x - this.x) / this.k, gy = (y - this.y) / this.k;
    for (let i = this.boxes.length - 1; i >= 0; --i) {
      const box = this.boxes[i];
      if (gx >= box.x && gx <= box.x + box.w && gy >= box.y && gy <= box.y + box.h) return box;
    }
    return null;
  }

  hoverAt(at, event) {
    const box = this.boxAt(at);
    const id = box ? box.id : -1;
    this.canvas.style.cursor = box ? 'pointer' : 'default';
    if (id !== this.hover) {
      this.hover = id;
      this.draw();
    }
    this.tip.hidden = !box || (box.open && this.k >= READABLE);
    if (this.tip.hidden) return;
    const each = this.model.instructions[id];
    const lines = [`${each.name}   ${each.opcode}`, each.shape];
    const step = each.steps.map((step) => this.model.steps[step]).find((step) => step.computes);
    if (step) lines.push(step.computes);
    if (each.source) lines.push(shortSource(each.source));
    this.tip.textContent = lines.join('\n');
    this.tip.style.left = `${Math.min(event.clientX + 14, innerWidth - 440)}px`;
    this.tip.style.top = `${Math.min(event.clientY + 16, innerHeight - 90)}px`;
  }

  click(at) {
    const box = this.boxAt(at);
    this.canvas.focus();
    this.marked = null;
    if (!box) return this.app.select(-1);
    const onTurn =
        at.x < (box.x + 22) * this.k + this.x && at.y < (box.y + TITLE_HEIGHT) * this.k + this.y;
    if (onTurn && isExpandable(this.model.instructions[box.id])) this.toggle(box.id);
    this.app.select(box.id, {center: false});
  }

  key(event) {
    const selected = this.app.selected;
    const keys = {
      '+': () => this.zoom(1.4),
      '=': () => this.zoom(1.4),
      '-': () => this.zoom(1 / 1.4),
      0: () => this.fit(),
      Home: () => this.home(),
      Enter: () => selected >= 0 && this.toggle(selected),
      PageDown: () => this.pan(-0.8),
      PageUp: () => this.pan(0.8),
      ArrowUp: () => this.step('up'),
      ArrowDown: () => this.step('down'),
      ArrowLeft: () => this.beside(-1),
      ArrowRight: () => this.beside(1),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  pan(share) {
    this.y += share * this.size().height;
    this.draw();
  }

  selectedBox() {
    const numbers = this.boxesOf.get(this.app.selected);
    return numbers ? this.boxes[numbers[0]] : null;
  }

  step(side) {
    const box = this.selectedBox();
    if (!box) return this.pan(side === 'up' ? 0.25 : -0.25);
    const each = this.model.instructions[box.id];
    const near = (side === 'up' ? each.operands : each.users).filter((id) => this.boxesOf.has(id));
    if (near.length > 0) this.app.select(near[0], {center: true});
  }

  beside(direction) {
    const box = this.selectedBox();
    if (!box) {
      this.x -= direction * 120;
      return this.draw();
    }
    let best = null;
    for (const other of this.boxes) {
      const distance = (other.x - box.x) * direction;
      if (other.y !== box.y || other.parent !== box.parent || distance <= 0) continue;
      if (!best || distance < (best.x - box.x) * direction) best = other;
    }
    if (best) this.app.select(best.id, {center: true});
  }

  // ---- Drawing

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.paint();
    });
  }

  static prepare(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return context;
  }

  paint() {
    if (!this.layout || this.area.clientWidth === 0) return;
    const whole = Math.min(
        (this.area.clientWidth - 48) / this.layout.w,
        (this.area.clientHeight - 64) / this.layout.h);
    this.map.hidden = whole > READABLE;
    const {width, height} = this.size();
    this.keepInView(width, height);
    const context = GraphView.prepare(this.canvas, width, height);
    const colors = this.app.colors();
    const view = {
      left: -this.x / this.k,
      top: -this.y / this.k,
      right: (width - this.x) / this.k,
      bottom: (height - this.y) / this.k,
    };
    context.save();
    context.translate(this.x, this.y);
    context.scale(this.k, this.k);
    const open = this.boxes.filter((box) => box.open);
    for (const box of open) this.paintOpen(context, box, view, colors);
    this.paintWires(context, view, colors);
    for (const box of this.boxes)
      if (!box.open) this.paintBox(context, box, view, colors);
    context.restore();
    if (!this.map.hidden) this.paintMap(colors, view);
  }

  keepInView(width, height) {
    const margin = 80;
    const clamp = (value, low, high) =>
        Math.min(Math.max(value, Math.min(low, high)), Math.max(low, high));
    this.x = clamp(this.x, margin - this.layout.w * this.k, width - margin);
    this.y = clamp(this.y, margin - this.layout.h * this.k, height - margin);
  }

  isFaded(box) {
    return this.marked !== null && !this.marked.has(box.id) &&
        (box.parent < 0 || !this.marked.has(this.boxes[box.parent].id));
  }

  static isOutside(box, view) {
    return box.x > view.right || box.x + box.w < view.left || box.y > view.bottom ||
        box.y + box.h < view.top;
  }

  paintOpen(context, box, view, colors) {
    if (GraphView.isOutside(box, view)) return;
    const each = this.model.instructions[box.id];
    const hue = colors[each.kind];
    context.fillStyle = colors.tint(hue, 0.06 + 0.03 * (box.depth % 3));
    context.strokeStyle = box.id === this.app.selected ? colors.accent : colors.tint(hue, 0.55);
    context.lineWidth = box.id === this.app.selected ? 2 : 1;
    context.beginPath();
    context.roundRect(box.x, box.y, box.w, box.h, 9);
    context.fill();
    context.stroke();
    if (this.k < READABLE * 0.8) return;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    context.fillStyle = hue;
    context.font = `11px ${colors.sans}`;
    context.fillText('\u25be', box.x + 9, box.y + TITLE_HEIGHT / 2);
    context.fillStyle = colors.text;
    context.font = `${NAME_FONT} ${colors.sans}`;
    const names = box.node.inner.length > 1 ?
        `: ${box.node.inner.map((inner) => inner.computation.name).join(', ')}` :
        '';
    this.text(context, each.name + names, box.x + 24, box.y + TITLE_HEIGHT / 2 + 0.5, box.w - 32);
  }

  paintWires(context, view, colors) {
    if (this.k < 0.03) return;
    const selected = this.app.selected;
    const trace = (wire) => {
      const {points} = wire;
      context.moveTo(points[0], points[1]);
      for (let i = 2; i < points.length; i += 2) {
        const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
        if (wire.lane || x0 === x1)
          context.lineTo(x1, y1);
        else
          context.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
      }
    };
    const inView = (wire) => wire.top <= view.bottom && wire.bottom >= view.top &&
        wire.left <= view.right && wire.right >= view.left;
    const thin = Math.min(1.2, Math.max(1, 0.5 / this.k));
    for (const lane of [true, false]) {
      context.beginPath();
      for (const wire of this.wires)
        if (wire.lane === lane && inView(wire)) trace(wire);
      const strength = (lane ? 0.45 : 1) * (this.marked ? 0.5 : 1);
      context.strokeStyle = colors.tint(colors.wire, strength);
      context.lineWidth = thin;
      context.stroke();
    }
    const strong = [[], []];
    for (const wire of this.wires) {
      if (this.boxes[wire.to].id === selected)
        strong[0].push(wire);
      else if (this.boxes[wire.from].id === selected)
        strong[1].push(wire);
    }
    strong.forEach((wires, side) => {
      context.beginPath();
      for (const wire of wires) trace(wire);
      context.strokeStyle = side === 0 ? colors.wireIn : colors.wireOut;
      context.lineWidth = Math.max(1.8, 1 / this.k);
      context.stroke();
    });
    if (this.k < READABLE) return;
    context.fillStyle = colors.wire;
    for (const wire of this.wires) {
      if (!inView(wire)) continue;
      const x = wire.points[wire.points.length - 2], y = wire.points[wire.points.length - 1];
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - 3, y - 5);
      context.lineTo(x + 3, y - 5);
      context.fill();
    }
  }

  paintBox(context, box, view, colors) {
    if (GraphView.isOutside(box, view)) return;
    const each = this.model.instructions[box.id];
    const hue = colors[each.kind];
    const isChosen = box.id === this.app.selected, isHovered = box.id === this.hover;
    context.globalAlpha = this.isFaded(box) ? 0.28 : 1;
    if (this.k < 0.18) {
      context.fillStyle = isChosen ? colors.accent : colors.tint(hue, 0.75);
      context.fillRect(box.x, box.y, box.w, box.h);
      context.globalAlpha = 1;
      return;
    }
    context.fillStyle = colors.panel;
    context.beginPath();
    context.roundRect(box.x, box.y, box.w, box.h, box.leaf ? 11 : 6);
    context.fill();
    context.fillStyle = colors.tint(hue, box.leaf ? 0.08 : colors.fillStrength);
    context.fill();
    context.strokeStyle = isChosen ? colors.accent : isHovered ? hue : colors.tint(hue, 0.5);
    context.lineWidth = isChosen ? 2.5 : 1;
    context.stroke();
    if (this.k >= READABLE * 0.8) this.paintLabel(context, box, each, hue, colors);
    context.globalAlpha = 1;
  }

  paintLabel(context, box, each, hue, colors) {
    context.textBaseline = 'middle';
    if (box.leaf) {
      context.textAlign = 'center';
      context.fillStyle = colors.soft;
      context.font = `${LEAF_FONT} ${colors.sans}`;
      this.text(context, labelOf(each), box.x + box.w / 2, box.y + box.h / 2 + 0.5, box.w - 14);
      return;
    }
    let left = box.x + 10;
    context.textAlign = 'left';
    if (isExpandable(each)) {
      context.fillStyle = hue;
      context.font = `11px ${colors.sans}`;
      context.fillText('\u25b8', left, box.y + 13.5);
      left += 13;
    }
    context.fillStyle = colors.text;
    context.font = `${NAME_FONT} ${colors.sans}`;
    this.text(context, each.name, left, box.y + 13.5, box.x + box.w - left - 8);
    context.fillStyle = colors.soft;
    context.font = `${SHAPE_FONT} ${colors.sans}`;
    this.text(context, each.shape, box.x + 10, box.y + 29, box.w - 18);
    const {profile} = this.model;
    const time = profile && profile.timeOf.get(box.id);
    if (!time) return;
    context.fillStyle = colors.peak;
    context.fillRect(
        box.x + 1, box.y + box.h - 3,
        Math.max(2, (box.w - 2) * Math.min(1, time / profile.longest)), 2.5);
  }

  text(context, text, x, y, width) {
    if (text.length * 5.2 > width && context.measureText(text).width > width) {
      let length =
          Math.max(1, Math.floor(text.length * width / context.measureText(text).width) - 1);
      text = `${text.slice(0, length)}\u2026`;
    }
    context.fillText(text, x, y);
  }

  // All of it, squeezed; the frame is what the view shows.
  paintMap(colors, view) {
    const height = this.area.clientHeight, width = MAP_WIDTH;
    const key = `${colors.name} ${width} ${height}`;
    const sx = (width - 12) / this.layout.w, sy = height / this.layout.h;
    if (!this.mapImage || this.mapImage.key !== key) {
      const image = document.createElement('canvas');
      image.key = key;
      const context = GraphView.prepare(image, width, height);
      for (const box of this.boxes) {
        if (box.leaf) continue;
        context.fillStyle =
            colors.tint(colors[this.model.instructions[box.id].kind], box.open ? 0.1 : 0.6);
        context.fillRect(
            6 + box.x * sx, box.y * sy, Math.max(2, box.w * sx), Math.max(0.8, box.h * sy));
      }
      this.mapImage = image;
    }
    const context = GraphView.prepare(this.map, width, height);
    context.drawImage(this.mapImage, 0, 0, width, height);
    if (this.marked) {
      context.fillStyle = colors.accent;
      for (const box of this.boxes)
        if (this.marked.has(box.id) && !box.leaf)
          context.fillRect(1, box.y * sy, 3, Math.max(1, box.h * sy));
    }
    const chosen = this.selectedBox();
    if (chosen) {
      context.fillStyle = colors.accent;
      context.fillRect(0, chosen.y * sy - 1.5, width, 3);
    }
    const top = view.top * sy, bottom = view.bottom * sy;
    context.fillStyle = colors.tint(colors.accent, 0.14);
    context.strokeStyle = colors.accent;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(1.5, top, width - 3, Math.max(8, bottom - top), 3);
    context.fill();
    context.stroke();
  }
}
