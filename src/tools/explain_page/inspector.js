'use strict';
// The inspector: what is known of an instruction, or of the program.

const MOST_LINKS = 60;

function fields(list) {
  return make(
      'dl', {},
      ...list.filter(([, value]) => value !== '' && value !== null && value !== undefined)
          .flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, ...[].concat(value))]));
}

function heading(text, count) {
  return make(
      'h3', {}, text,
      count === undefined ? '' : make('span', {class: 'faint'}, `  ${withCommas(count)}`));
}

function linkList(app, ids) {
  const items = ids.slice(0, MOST_LINKS)
                    .map(
                        (id) => make(
                            'li', {}, app.link(id),
                            make(
                                'span', {title: app.model.instructions[id].shape},
                                app.model.instructions[id].shape)));
  if (ids.length > MOST_LINKS)
    items.push(make('li', {class: 'soft'}, `and ${withCommas(ids.length - MOST_LINKS)} more`));
  return make('ul', {class: 'links'}, ...items);
}

function inspect(app, id) {
  return id < 0 ? inspectProgram(app) : inspectInstruction(app, id);
}

function inspectInstruction(app, id) {
  const {model} = app;
  const each = model.instructions[id];
  const steps = each.steps.map((step) => model.steps[step]);
  const step = steps.find((one) => one.computes || one.kernel >= 0) || steps[0];
  const arrays = each.arrays.map((array) => model.arrays[array]);
  const computation = model.computations[each.computation];
  const jump = (text, target) => make('button', {onclick: () => app.go(target)}, text);
  const parts = [
    make('h2', {}, each.name),
    make('div', {class: 'kind'}, make('i', {class: 'dot', hue: each.kind}), each.opcode),
    make(
        'div', {class: 'jumps'},
        ...VIEWS.filter(([name]) => name !== app.name && (name !== 'profile' || model.profile))
            .map(([name, title]) => jump(title, {view: name, at: app.addressOf(id)}))),
    fields([
      ['Shape', each.shape],
      ['Layout', each.layout],
      ['Source', each.source],
      ['Scope', each.scope],
      [
        'In',
        make(
            'a', {onclick: () => app.go({view: 'graph', computation: computation.id})},
            computation.id === 0 ? 'entry' : computation.name)
      ],
      [
        'Runs as',
        step                                             ? stepText(app, step) :
            each.computation !== 0 && computation.fusion ? 'part of a fusion' :
                                                           ''
      ],
      ['Time', timeFields(model, id)],
    ]),
  ];
  if (arrays.length > 0) {
    parts.push(
        heading('Memory'),
        make(
            'ul', {class: 'links'},
            ...arrays.slice(0, MOST_LINKS)
                .map(
                    (array) => make(
                        'li', {}, make('span', {}, placeText(array)),
                        make('span', {}, whenText(model, array))))));
  }
  const apart = steps.flatMap((one) => one.apart);
  if (apart.length > 0) {
    parts.push(
        heading('Not fused with'),
        make(
            'ul', {class: 'links'},
            ...apart.map(
                (one) => make(
                    'li', {class: 'why'}, one.instruction >= 0 ? app.link(one.instruction) : '',
                    one.why || 'nothing was tried'))));
  }
  const refused = model.steps.filter(
      (one) => one.instruction !== id &&
          one.apart.some((other) => other.instruction === id && other.why));
  if (refused.length > 0) {
    parts.push(
        heading('Not fused into'),
        make(
            'ul', {class: 'links'},
            ...refused.slice(0, MOST_LINKS)
                .map(
                    (one) => make(
                        'li', {class: 'why'}, app.link(one.instruction),
                        one.apart.find((other) => other.instruction === id).why))));
  }
  for (const one of steps)
    if (one.not_in_registers)
      parts.push(heading('Not in registers'), make('div', {}, one.not_in_registers));
  if (step && step.computes) parts.push(heading('What is fused'), make('div', {}, step.computes));
  if (each.calls.length > 0) {
    parts.push(
        heading('Calls'),
        make(
            'ul', {class: 'links'},
            ...each.calls.map(
                (called) => make(
                    'li', {},
                    make(
                        'a', {onclick: () => app.go({view: 'graph', computation: called})},
                        model.computations[called].name),
                    make(
                        'span', {},
                        plural(model.computations[called].members.length, 'instruction'))))));
  }
  if (each.operands.length > 0)
    parts.push(heading('Operands', each.operands.length), linkList(app, each.operands));
  if (each.users.length > 0)
    parts.push(heading('Users', each.users.length), linkList(app, each.users));
  parts.push(heading('Text'), make('pre', {class: 'block'}, each.text.slice(0, 20000)));
  if (step && step.kernel >= 0)
    parts.push(heading('Loops'), make('pre', {class: 'block'}, model.kernels[step.kernel].loops));
  return parts;
}

function stepText(app, step) {
  const parts =
      [`step ${withCommas(step.id)}, ${step.library ? `call of ${step.library}` : step.kind}`];
  if (step.kernel >= 0) {
    parts.push(
        ', ',
        make(
            'a', {onclick: () => app.go({view: 'text', kernel: step.kernel})},
            `kernel ${step.kernel}`));
    const others = app.model.kernels[step.kernel].steps.length - 1;
    if (others > 0) parts.push(make('span', {class: 'faint'}, ` (of ${others + 1} fusions)`));
  }
  return parts;
}

function timeFields(model, id) {
  const time = model.profile && model.profile.timeOf.get(id);
  if (!time) return '';
  const entry = model.profile.entries.find((each) => each.instruction === id);
  const limit =
      entry && entry.limit ? `, ${percentText(entry.share)} of what ${entry.limit} allows` : '';
  return `${timeText(time)}, ${percentText(time / model.profile.total)}${limit}`;
}

function whenText(model, array) {
  const size = bytesText(array.bytes);
  return array.lives.length === 0 ? size : `${size}, steps ${livesText(model, array)}`;
}

function inspectProgram(app) {
  const {model} = app;
  const {instructions, steps, memory, stages, computations} = model;
  const peak = peakOf(model);
  const figure = (value, name) => make('div', {}, make('b', {}, value), make('span', {}, name));
  const counts = new Map();
  for (const each of instructions) counts.set(each.opcode, (counts.get(each.opcode) || 0) + 1);
  const frequent = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 12);
  const launches = steps.filter((each) => each.kind === 'launch').length;
  const calls = steps.filter((each) => each.kind === 'call').length;
  const slowest = [...stages].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 8);
  const all = stages.reduce((sum, each) => sum + each.milliseconds, 0);
  const parts = [
    make('h2', {}, model.module),
    make('div', {class: 'kind'}, `compiled for ${model.target}`),
    make(
        'div', {class: 'figures'}, figure(withCommas(instructions.length), 'instructions'),
        figure(withCommas(computations.length), 'computations'),
        figure(withCommas(steps.length), 'steps of the plan'),
        figure(withCommas(model.kernels.length), 'different kernels'),
        figure(withCommas(launches), 'kernel launches'), figure(withCommas(calls), 'library calls'),
        figure(bytesText(peak[1]), 'peak of the arena'),
        figure(bytesText(memory.places.parameter || 0), 'parameters'),
        ...(model.profile ? [figure(timeText(model.profile.total), 'a run')] : [])),
  ];
  if (model.profile) {
    const longest = [...model.profile.entries].sort((a, b) => b.own - a.own).slice(0, 10);
    parts.push(
        heading('Where time goes'),
        make(
            'div', {class: 'meters'},
            ...longest.flatMap(
                (each) =>
                    [each.instruction >= 0 ? make('span', {}, app.link(each.instruction)) :
                                             make('span', {}, each.name),
                     bar(each.own / Math.max(1, model.profile.longest),
                         each.instruction >= 0 ? instructions[each.instruction].kind : 'plain'),
                     make('span', {class: 'number'}, timeText(each.own))])));
  }
  parts.push(
      heading('Operations'),
      make(
          'div', {class: 'meters'},
          ...frequent.flatMap(
              ([opcode, count]) =>
                  [make('span', {class: 'name'}, opcode),
                   bar(count / frequent[0][1], kindOfOpcode.get(opcode) || 'plain'),
                   make('span', {class: 'number'}, withCommas(count))])));
  if (memory.copies.length > 0) {
    parts.push(
        heading('Copies', memory.copies.length),
        make(
            'ul', {class: 'links'},
            ...memory.copies.slice(0, 20).map(
                (copy) => make(
                    'li', {class: 'why'},
                    make(
                        'span', {},
                        `${model.arrays[copy.from].name} to ${model.arrays[copy.to].name}`),
                    copy.why))));
  }
  const missed = memory.aliases.filter((each) => each.why_not);
  if (missed.length > 0) {
    parts.push(
        heading('Results that do not take the place of a parameter', missed.length),
        make(
            'ul', {class: 'links'},
            ...missed.slice(0, 20).map(
                (each) => make(
                    'li', {class: 'why'},
                    make('span', {}, `result ${each.result}, parameter ${each.parameter}`),
                    each.why_not))));
  }
  parts.push(
      heading(`The compile, ${timeText(all * 1e6)}`),
      make(
          'div', {class: 'meters'},
          ...slowest.flatMap(
              (each) =>
                  [make('span', {class: 'name'}, each.name),
                   bar(each.milliseconds / Math.max(1e-9, slowest[0].milliseconds), 'plain'),
                   make('span', {class: 'number'}, timeText(each.milliseconds * 1e6))])));
  return parts;
}
