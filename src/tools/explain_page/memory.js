'use strict';
// Memory over time: how much of the arena is in use, by which arrays, and where these lie.

class MemoryView {
  constructor(app) {
    this.app = app;
    const {model} = app;
    this.peak = peakOf(model);
    this.begin = 0;
    this.end = model.lastTime + 1;
    this.time = this.peak[0];
    this.inArena =
        model.arrays
            .filter((each) => each.place === 'arena' && each.bytes > 0 && each.lives.length > 0)
            .sort((a, b) => b.bytes - a.bytes);
    this.canvas =
        make('canvas', {tabindex: '0', role: 'img', 'aria-label': 'Memory in use over time'});
    this.area = make('div', {class: 'chart'}, this.canvas);
    this.title = make('div', {class: 'grow'});
    this.table = new Table(
        [
          textColumn('Array', 'minmax(110px, 1.4fr)', (a) => a.name),
          softColumn('Shape', 'minmax(90px, 1.2fr)', (a) => a.shape),
          numberColumn('Size', '84px', (a) => a.bytes, bytesText),
          barColumn(
              'minmax(60px, 0.8fr)', (a) => a.bytes / Math.max(1, this.most),
              (a) => (a.instruction < 0 ? 'plain' : model.instructions[a.instruction].kind)),
          placeColumn('Place', '148px'),
          livesColumn(model, '104px'),
        ],
        {
          onpick: (a) => a.instruction >= 0 && app.select(a.instruction, {center: false}),
          isChosen: (a) => a.instruction === app.selected && app.selected >= 0,
          height: 26,
        });
    this.table.sorted = {column: 2, up: false};
    this.chips = make('div', {class: 'bar'});
    const which = switchOf(['Arena', 'All memory'], 0, (i) => {
      this.all = i === 1;
      this.at(this.time);
    });
    const below = make(
        'div', {class: 'stack below'}, make('div', {class: 'bar'}, this.title, which),
        this.table.element);
    this.element = make('div', {}, this.chips, this.area, below);
    this.showChips();
    this.listen();
    this.at(this.time);
  }

  showChips() {
    const {memory} = this.app.model;
    const parts = [
      make(
          'span', {}, 'Peak ', make('strong', {}, bytesText(this.peak[1])), ' at ',
          make('a', {onclick: () => this.at(this.peak[0])}, this.nameAt(this.peak[0]))),
      make(
          'span', {}, 'Arena ', make('strong', {}, bytesText(memory.arena)),
          this.peak[1] < 0.995 * memory.arena ?
              `, ${percentText(this.peak[1] / memory.arena)} of it then` :
              '')
    ];
    for (const place of ['parameter', 'result', 'constant'])
      if (memory.places[place])
        parts.push(make(
            'span', {}, `${place[0].toUpperCase()}${place.slice(1)}s `,
            make('strong', {}, bytesText(memory.places[place]))));
    this.chips.replaceChildren(...parts);
  }

  nameAt(time) {
    const {model} = this.app;
    const step = model.steps[stepAt(model, time)];
    if (!step) return 'the beginning';
    const name = step.instruction >= 0 ? model.instructions[step.instruction].name : step.kind;
    return `step ${withCommas(step.id)}, ${name}`;
  }

  at(time) {
    this.time = time;
    const alive =
        aliveAt(this.app.model, time).filter((each) => this.all || each.place === 'arena');
    this.most = alive.reduce((most, each) => Math.max(most, each.bytes), 0);
    const use = useAt(this.app.model, time);
    this.title.replaceChildren(
        make('strong', {}, `Alive at ${this.nameAt(time)}`),
        `   ${plural(alive.length, 'array')}, ${
            bytesText(this.all ? alive.reduce((sum, each) => sum + each.bytes, 0) : use[1])}`);
    this.table.setEntries(alive);
    this.draw();
  }

  toX(time) {
    return 64 + (time - this.begin) / (this.end - this.begin) * (this.area.clientWidth - 84);
  }
  toTime(x) {
    return this.begin + (x - 64) / (this.area.clientWidth - 84) * (this.end - this.begin);
  }

  listen() {
    let drag = null;
    const clampRange = (begin, length) => {
      const last = this.app.model.lastTime + 1;
      length = Math.min(last, Math.max(8, length));
      this.begin = Math.min(Math.max(0, begin), last - length);
      this.end = this.begin + length;
      this.draw();
    };
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const length = this.end - this.begin;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        clampRange(this.begin + (event.deltaX || event.deltaY) / 800 * length, length);
        return;
      }
      const at = this.toTime(event.offsetX), next = length * Math.exp(event.deltaY * 0.002);
      clampRange(at - (at - this.begin) * next / length, next);
    }, {passive: false});
    this.canvas.addEventListener('pointerdown', (event) => {
      drag = {x: event.offsetX, begin: this.begin, moved: false};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (!drag) return;
      const length = this.end - this.begin;
      const moved = (event.offsetX - drag.x) / (this.area.clientWidth - 84) * length;
      if (Math.abs(event.offsetX - drag.x) > 4) drag.moved = true;
      if (drag.moved) clampRange(drag.begin - moved, length);
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (drag && !drag.moved) this.click(event.offsetX, event.offsetY);
      drag = null;
    });
    this.canvas.addEventListener('keydown', (event) => {
      const {steps} = this.app.model;
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!by) return;
      event.preventDefault();
      const next =
          steps[Math.min(steps.length - 1, Math.max(0, stepAt(this.app.model, this.time) + by))];
      if (next) this.at(next.time);
    });
    new ResizeObserver(() => this.draw()).observe(this.area);
  }

  click(x, y) {
    const time = Math.round(Math.min(this.app.model.lastTime, Math.max(0, this.toTime(x))));
    this.at(time);
    const {top, height} = this.mapBox();
    if (y < top) return;
    const address = (y - top) / height * this.app.model.memory.arena;
    const hit = this.inArena.find(
        (each) => each.offset <= address && address < each.offset + each.bytes &&
            each.lives.some(([begin, end]) => begin <= time && time <= end));
    if (hit && hit.instruction >= 0) this.app.select(hit.instruction, {center: false});
  }

  mapBox() {
    const height = this.area.clientHeight, chart = Math.round(height * 0.4);
    return {chart, top: chart + 30, height: height - chart - 54};
  }

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.area.clientWidth > 0) this.paint();
    });
  }

  paint() {
    const width = this.area.clientWidth, height = this.area.clientHeight;
    const context = GraphView.prepare(this.canvas, width, height);
    const colors = this.app.colors();
    const box = this.mapBox();
    context.font = `11px ${colors.sans}`;
    context.textBaseline = 'middle';
    this.paintChart(context, colors, box, width);
    this.paintPlaces(context, colors, box, width);
    this.paintTimes(context, colors, width, height);
    const x = this.toX(this.time);
    if (x < 64 || x > width - 20) return;
    context.strokeStyle = colors.accent;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, 12);
    context.lineTo(x, box.top + box.height);
    context.stroke();
  }

  paintChart(context, colors, {chart}, width) {
    const {memory} = this.app.model;
    const most = Math.max(1, memory.arena), top = 26, bottom = chart;
    const toY = (bytes) => bottom - bytes / most * (bottom - top);
    context.textAlign = 'right';
    for (const part of [0, 0.5, 1]) {
      context.strokeStyle = colors.line;
      context.beginPath();
      context.moveTo(64, toY(part * most));
      context.lineTo(width - 20, toY(part * most));
      context.stroke();
      context.fillStyle = colors.soft;
      context.fillText(bytesText(part * most), 57, toY(part * most));
    }
    context.save();
    context.beginPath();
    context.rect(64, 0, width - 84, chart + 1);
    context.clip();
    context.beginPath();
    context.moveTo(this.toX(0), bottom);
    let y = bottom;
    for (const [time, bytes] of memory.uses) {
      context.lineTo(this.toX(time), y);
      y = toY(bytes);
      context.lineTo(this.toX(time), y);
    }
    context.lineTo(this.toX(this.app.model.lastTime + 1), y);
    context.lineTo(this.toX(this.app.model.lastTime + 1), bottom);
    context.closePath();
    context.fillStyle = colors.tint(colors.fusion, 0.22);
    context.fill();
    context.strokeStyle = colors.fusion;
    context.lineWidth = 1;
    context.stroke();
    context.restore();
    const x = this.toX(this.peak[0]);
    if (x < 64 || x > width - 20) return;
    context.fillStyle = colors.peak;
    context.beginPath();
    context.arc(x, toY(this.peak[1]), 4, 0, 7);
    context.fill();
    context.textAlign = x > width / 2 ? 'right' : 'left';
    context.fillText(
        `peak ${bytesText(this.peak[1])}, ${this.nameAt(this.peak[0])}`,
        x + (x > width / 2 ? -9 : 9), 13);
  }

  // Time to the right, addresses in the arena downwards.
  paintPlaces(context, colors, {top, height}, width) {
    const {memory, instructions} = this.app.model;
    const most = Math.max(1, memory.arena);
    context.fillStyle = colors.soft;
    context.textAlign = 'left';
    context.fillText('arrays in the arena, by address', 64, top - 11);
    context.save();
    context.beginPath();
    context.rect(64, top, width - 84, height);
    context.fillStyle = colors.sunken;
    context.fill();
    context.clip();
    for (const array of this.inArena) {
      const each = array.instruction >= 0 ? instructions[array.instruction] : null;
      const isChosen = each !== null && each.id === this.app.selected;
      const y = top + array.offset / most * height, h = Math.max(0.5, array.bytes / most * height);
      for (const [begin, end] of array.lives) {
        const x = this.toX(begin), w = Math.max(0.75, this.toX(end + 1) - x);
        if (x > width || x + w < 64) continue;
        context.fillStyle =
            isChosen ? colors.accent : colors.tint(colors[each ? each.kind : 'plain'], 0.5);
        context.fillRect(x, y, w - (w > 3 ? 0.5 : 0), h - (h > 3 ? 0.5 : 0));
        if (w < 60 || h < 11) continue;
        context.fillStyle = isChosen ? colors.panel : colors.text;
        context.save();
        context.beginPath();
        context.rect(x, y, w, h);
        context.clip();
        context.fillText(array.name, Math.max(x, 64) + 5, y + Math.min(h / 2, 12));
        context.restore();
      }
    }
    context.restore();
  }

  paintTimes(context, colors, width, height) {
    const {steps} = this.app.model;
    context.fillStyle = colors.soft;
    context.textAlign = 'center';
    let last = -Infinity;
    const stride = Math.max(1, Math.round(steps.length / 4000));
    for (let i = 0; i < steps.length; i += stride) {
      const x = this.toX(steps[i].time);
      if (x < 64 || x > width - 24 || x < last + 90) continue;
      context.fillText(
          i === 0 || last === -Infinity ? `step ${withCommas(i)}` : withCommas(i), Math.max(x, 80),
          height - 11);
      last = x;
    }
  }

  select() {
    this.table.show((each) => each.instruction === this.app.selected && this.app.selected >= 0);
    this.draw();
  }
}

function placeColumn(title, width) {
  const column = softColumn(title, width, placeText);
  column.value = (a) => `${a.place} ${String(a.number + a.offset).padStart(16, '0')}`;
  return column;
}

// From the step that writes it first to the last one that needs it.
function livesText(model, array) {
  const [begin, end] = [array.lives[0][0], array.lives[array.lives.length - 1][1]];
  return `${withCommas(Math.max(0, stepAt(model, begin)))} \u2013 ${
      withCommas(stepAt(model, end))}`;
}

function livesColumn(model, width) {
  const column = numberColumn('Steps', width, (a) => a.lives[0][0]);
  column.cell = (a) => livesText(model, a);
  return column;
}

function placeText(array) {
  if (array.place === 'register') return 'register';
  if (array.place === 'arena') return `arena + ${withCommas(array.offset)}`;
  return `${array.place} ${array.number}${array.offset > 0 ? ` + ${array.offset}` : ''}`;
}
