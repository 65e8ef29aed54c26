'use strict';
// Where time goes, if the page has a profile.

const NO_PROFILE = 'This page has no profile. Measure one, and make the page with it:';
const PROFILE_COMMANDS = `hilo profile --json MODULE > profile.json
hilo explain --html page.html --profile profile.json MODULE`;

class ProfileView {
  constructor(app) {
    this.app = app;
    const {profile} = app.model;
    if (!profile) {
      this.element = make(
          'div', {}, make('div', {class: 'empty'}, NO_PROFILE, make('code', {}, PROFILE_COMMANDS)));
      return;
    }
    this.tables = [this.stepTable(false), this.stepTable(true), this.sourceTable()];
    this.body = make('div', {class: 'stack'});
    this.element = make(
        'div', {},
        make(
            'div', {class: 'bar'},
            switchOf(['Longest first', 'As it runs', 'By source line'], 0, (i) => this.pick(i)),
            make(
                'div', {class: 'grow'}, make('strong', {}, timeText(profile.total)),
                ` in ${plural(profile.entries.length, 'step')}`)),
        this.body);
    this.pick(0);
  }

  pick(index) {
    this.current = index;
    this.body.replaceChildren(this.tables[index].element);
    this.select();
  }

  picking() {
    const {app} = this;
    return {
      onpick: (e) => e.instruction >= 0 && app.select(e.instruction, {center: false}),
      isChosen: (e) => e.instruction >= 0 && e.instruction === app.selected,
    };
  }

  // Time and what part of all it is; steps count without what is inside of them.
  timeColumns(time, most) {
    const {profile, instructions} = this.app.model;
    const hue = (e) => (e.instruction >= 0 ? instructions[e.instruction].kind : 'plain');
    const share = (e) => time(e) / Math.max(1, profile.total);
    return [
      numberColumn('Time', '74px', time, timeText),
      barColumn('minmax(70px, 1.2fr)', (e) => time(e) / Math.max(1, most), hue),
      numberColumn('Share', '54px', share, percentText),
    ];
  }

  stepTable(inOrder) {
    const {profile} = this.app.model;
    const step = textColumn('Step', 'minmax(100px, 1.3fr)', (e) => e.name);
    if (inOrder) {
      step.cell = ({name, depth}) =>
          make('span', {title: name, style: `padding-left:${14 * Math.min(8, depth)}px`}, name);
    }
    const limit = numberColumn('Of limit', '104px', (e) => e.share);
    limit.cell = (e) => (e.limit ? `${percentText(e.share)} ${e.limit}` : '');
    const table = new Table(
        [
          step,
          ...this.timeColumns((e) => e.own, profile.longest),
          numberColumn('Calls', '46px', (e) => e.calls, withCommas),
          numberColumn('Bytes', '72px', (e) => e.bytes, (bytes) => (bytes ? bytesText(bytes) : '')),
          numberColumn('Flops', '56px', (e) => e.flops, (flops) => (flops ? countText(flops) : '')),
          limit,
          softColumn('Source', 'minmax(60px, 0.7fr)', (e) => shortSource(e.source)),
        ],
        this.picking());
    if (!inOrder) table.sorted = {column: 1, up: false};
    table.setEntries(profile.entries);
    return table;
  }

  sourceTable() {
    const places = new Map();
    for (const each of this.app.model.profile.entries) {
      const name = each.source || 'unknown';
      if (!places.has(name))
        places.set(name, {name, time: 0, count: 0, longest: -1, instruction: -1});
      const place = places.get(name);
      place.time += each.own;
      ++place.count;
      if (each.own <= place.longest) continue;
      place.longest = each.own;
      place.instruction = each.instruction;
    }
    const most = [...places.values()].reduce((most, each) => Math.max(most, each.time), 1);
    const table = new Table(
        [
          textColumn('Source', 'minmax(160px, 1.5fr)', (e) => e.name),
          numberColumn('Steps', '60px', (e) => e.count, withCommas),
          ...this.timeColumns((e) => e.time, most),
        ],
        this.picking());
    table.sorted = {column: 2, up: false};
    table.setEntries([...places.values()]);
    return table;
  }

  select() {
    if (this.tables)
      this.tables[this.current].show(
          (e) => e.instruction >= 0 && e.instruction === this.app.selected);
  }
}
