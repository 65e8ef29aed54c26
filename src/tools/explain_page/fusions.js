'use strict';
// Fusions, and why there is not more of it.

class FusionsView {
  constructor(app) {
    this.app = app;
    const {instructions, steps} = app.model;
    this.fusions = steps.filter(
        (step) => step.instruction >= 0 && instructions[step.instruction].opcode === 'fusion' &&
            step.kind !== 'return');
    this.decisions = FusionsView.decisionsOf(steps);
    this.tables = [this.fusionTable(), this.decisionTable()];
    this.note = make('div', {class: 'grow'});
    this.body = make('div', {class: 'stack'});
    this.reasons = make('div', {class: 'reasons'});
    this.element = make(
        'div', {},
        make(
            'div', {class: 'bar'}, switchOf(['Fusions', 'Kept apart'], 0, (i) => this.pick(i)),
            this.note),
        this.body);
    this.tables[0].setEntries(this.fusions);
    this.showReasons(null);
    this.pick(0);
  }

  // Which producers are no part of what reads them, and what is not in registers.
  static decisionsOf(steps) {
    const decisions = [];
    for (const {instruction, apart, not_in_registers} of steps) {
      for (const each of apart)
        if (each.why) decisions.push({instruction, producer: each.instruction, why: each.why});
      if (not_in_registers)
        decisions.push({instruction, producer: -1, why: `not in registers: ${not_in_registers}`});
    }
    return decisions;
  }

  nameOf(id) {
    return id < 0 ? '' : this.app.model.instructions[id].name;
  }

  picking() {
    return {
      onpick: (entry) => this.app.select(entry.instruction, {center: false}),
      isChosen: (entry) => entry.instruction === this.app.selected,
    };
  }

  fusionTable() {
    const {instructions, computations} = this.app.model;
    const size = (step) => instructions[step.instruction].calls.reduce(
        (sum, id) => sum + computations[id].members.length, 0);
    const runsAs = ({library, kernel, kind}) => {
      if (library) return kernel >= 0 ? `${library} + epilogue` : library;
      return kernel >= 0 ? `kernel ${kernel}` : kind;
    };
    return new Table(
        [
          textColumn('Fusion', 'minmax(110px, 1.1fr)', (step) => this.nameOf(step.instruction)),
          softColumn('Runs as', '110px', runsAs),
          numberColumn('Members', '64px', size, withCommas),
          textColumn('What is in it', 'minmax(120px, 2.2fr)', (step) => step.computes || ''),
          softColumn(
              'Source', 'minmax(80px, 0.9fr)',
              (step) => shortSource(instructions[step.instruction].source)),
          numberColumn('Apart', '48px', (step) => step.apart.length, (count) => count || ''),
        ],
        this.picking());
  }

  decisionTable() {
    const producer = textColumn('Producer', 'minmax(100px, 1fr)', (e) => this.nameOf(e.producer));
    producer.cell = (e) => (e.producer < 0 ? '' : this.app.link(e.producer));
    return new Table(
        [
          producer,
          textColumn('is apart from', 'minmax(100px, 1fr)', (e) => this.nameOf(e.instruction)),
          textColumn('because', 'minmax(160px, 2.4fr)', (e) => e.why),
        ],
        this.picking());
  }

  pick(index) {
    this.current = index;
    this.body.replaceChildren(...(index === 1 ? [this.reasons] : []), this.tables[index].element);
    this.note.textContent = index === 0 ?
        `${withCommas(this.fusions.length)} of ${plural(this.app.model.steps.length, 'step')}` :
        `${plural(this.decisions.length, 'decision')}; a reason filters the list`;
    this.select();
  }

  // How often each reason was given, numbers left out.
  showReasons(filter) {
    const kindOf = (why) => why.replace(/\b\d[\d.,e+]*\b/g, 'n');
    const counts = new Map();
    for (const {why} of this.decisions) counts.set(kindOf(why), (counts.get(kindOf(why)) || 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]);
    this.reasons.replaceChildren(...sorted.map(
        ([why, count]) => make(
            'div', {
              class: filter && filter !== why ? 'faded' : '',
              onclick: () => this.showReasons(filter === why ? null : why),
            },
            make('span', {class: 'number'}, withCommas(count)), bar(count / sorted[0][1], 'reduce'),
            make('span', {title: why}, why))));
    this.tables[1].setEntries(
        this.decisions.filter((each) => !filter || kindOf(each.why) === filter));
  }

  select() {
    this.tables[this.current].show((entry) => entry.instruction === this.app.selected);
  }
}
