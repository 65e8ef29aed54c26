'use strict';
// The texts of the module, the plan and the loops of kernels, line by line.

const WORD = /[A-Za-z_][\w.\-$]*(?:\{\d+\})?/g;
const TITLE_WORDS = new Set([
  'launch', 'call',   'while',  'select', 'update', 'copy',    'exchange', 'return',
  'grid',   'vector', 'reduce', 'store',  'tile',   'product', 'scan',     'scatter',
  'when',   'for',    'kernel', 'entry',  'do',     'test',    'branch',   'function'
]);

// Lines { text, id: what they are about, -1 for nothing, scope: where names are looked up, title }.
class TextPane {
  constructor(app, lines) {
    this.app = app;
    this.lines = lines;
    this.lineOf = new Map();
    lines.forEach((line, i) => {
      if (line.id >= 0 && !this.lineOf.has(line.id)) this.lineOf.set(line.id, i);
    });
    this.list = new List(19, (i) => this.row(i), 'lines');
    this.element = this.list.element;
    this.list.setCount(lines.length);
  }

  row(i) {
    const line = this.lines[i], {app} = this;
    const row = make(
        'div',
        {class: this.lineOf.get(app.selected) === i ? 'chosen' :
             line.title                             ? 'title' :
                                                      ''},
        make('span', {class: 'at'}, String(i + 1)));
    const text = line.text.length > 2000 ? `${line.text.slice(0, 2000)}\u2026` : line.text;
    let end = 0;
    for (const match of text.matchAll(WORD)) {
      const id = app.lookUp(match[0].replace(/\{\d+\}$/, ''), line.scope);
      const isWord = id < 0 && line.words && TITLE_WORDS.has(match[0]);
      if (id < 0 && !isWord) continue;
      row.append(text.slice(end, match.index));
      row.append(
          id < 0 ? make('span', {class: 'word'}, match[0]) :
                   make(
                       'a', {
                         class: id === app.selected ? 'chosen' : '',
                         onclick: () => app.select(id, {center: true})
                       },
                       match[0]));
      end = match.index + match[0].length;
    }
    row.append(text.slice(end));
    return row;
  }

  select() {
    const line = this.lineOf.get(this.app.selected);
    if (line !== undefined)
      this.list.show(line);
    else
      this.list.refresh(true);
  }

  showLine(line) {
    this.list.show(line);
  }
}

function hloLines(model) {
  const lines = [{text: `HloModule ${model.module}`, id: -1, scope: -1, title: true}];
  for (const each of model.computations) {
    lines.push({text: '', id: -1, scope: -1});
    lines.push({
      text: `${each.id === 0 ? 'ENTRY ' : ''}${each.name} {`,
      id: -1,
      scope: -1,
      title: true,
      computation: each.id
    });
    for (const id of each.members) {
      const root = id === each.root ? 'ROOT ' : '';
      lines.push({text: `  ${root}${model.instructions[id].text}`, id, scope: each.id});
    }
    lines.push({text: '}', id: -1, scope: -1, title: true});
  }
  return lines;
}

function planLines(model) {
  return model.lines.map(([depth, step, text]) => {
    const id = step >= 0 ? model.steps[step].instruction : -1;
    return {
      text: '  '.repeat(depth) + text,
      id,
      scope: 0,
      words: step >= 0,
      title: depth === 0,
      step
    };
  });
}

// Of instructions, the line in which they run rather than what is copied for them.
function linesOfSteps(model) {
  const lineOf = new Map();
  model.lines.forEach(([, step, text], i) => {
    const id = step < 0 ? -1 : model.steps[step].instruction;
    if (id < 0) return;
    const isStep = /\(| = while| = select|^return/.test(text);
    if (!lineOf.has(id) || (isStep && !lineOf.get(id).isStep)) lineOf.set(id, {i, isStep});
  });
  return new Map([...lineOf].map(([id, {i}]) => [id, i]));
}

function loopLines(model) {
  const lines = [];
  model.kernels.forEach((kernel, number) => {
    const launched =
        kernel.steps.map((step) => model.steps[step].instruction).filter((id) => id >= 0);
    const names = launched.slice(0, 8).map((id) => model.instructions[id].name).join(', ');
    const more = launched.length > 8 ? ` and ${launched.length - 8} more` : '';
    if (number > 0) lines.push({text: '', id: -1, scope: -1});
    const first = launched[0] === undefined ? -1 : launched[0];
    const scope = first >= 0 && model.instructions[first].calls.length > 0 ?
        model.instructions[first].calls[0] :
        -1;
    lines.push({
      text: `kernel ${number}, for ${names}${more}`,
      id: first,
      scope: 0,
      title: true,
      kernel: number,
      launched
    });
    for (const text of`${kernel.computation}\n${kernel.loops}`.split('\n'))
      if (text) lines.push({text: `  ${text}`, id: -1, scope, words: true});
  });
  return lines;
}

class TextView {
  constructor(app) {
    this.app = app;
    const {model} = app;
    this.hlo = new TextPane(app, hloLines(model));
    this.hlo.lines.forEach((line, i) => {
      if (line.computation !== undefined) model.computations[line.computation].line = i;
    });
    this.plan = new TextPane(app, planLines(model));
    this.plan.lineOf = linesOfSteps(model);
    this.loops = new TextPane(app, loopLines(model));
    this.loops.lines.forEach((line, i) => {
      for (const id of line.launched || []) this.loops.lineOf.set(id, i);
    });
    this.right = make('div', {class: 'pane'});
    this.element = make(
        'div', {},
        make(
            'div', {class: 'panes'},
            make(
                'div', {class: 'pane'},
                make('div', {class: 'bar'}, make('strong', {}, 'HLO'), 'behind all passes'),
                this.hlo.element),
            this.right));
    this.pick(0);
  }

  pick(index) {
    this.current = index;
    const pane = [this.plan, this.loops][index];
    this.right.replaceChildren(
        make(
            'div', {class: 'bar'}, switchOf(['Plan', 'Loops'], index, (i) => this.pick(i)),
            make(
                'span', {class: 'grow'},
                index === 0 ? 'what runs, in order' : 'of kernels, dimensions merged')),
        pane.element);
    pane.select();
  }

  showKernel(kernel) {
    this.pick(1);
    const line = this.loops.lines.findIndex((each) => each.kernel === kernel);
    if (line >= 0) this.loops.showLine(line);
  }

  showComputation(id) {
    this.hlo.showLine(this.app.model.computations[id].line);
  }

  select() {
    this.hlo.select();
    [this.plan, this.loops][this.current].select();
  }
}
