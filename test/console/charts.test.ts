// The statechart of an agent as the console draws it: whatever a host tells, and wherever its states are.
import t from 'tap'
import { createMachine } from 'xstate'
import { layoutOf } from '../../console/task/agent-layout.ts'
import { type Box, bottom, type Layout, right } from '../../console/task/chart-layout.ts'
import { eventWords, pathsOf, placeWords, readChart } from '../../console/task/chart-tree.ts'
import { drawingOf } from '../../library/agent/machine/drawing.ts'
import fc from '../support/fast-check.ts'

const order = createMachine({
  id: 'order',
  initial: 'checking',
  on: { note: {}, stop: '.refused' },
  states: {
    checking: { invoke: { src: 'run:find', onDone: 'delivery', onError: 'refused' } },
    delivery: {
      type: 'parallel',
      on: { cancel: 'refused', again: 'checking', inside: '.parcel' },
      states: {
        payment: { initial: 'open', states: { open: { on: { pay: 'paid' } }, paid: { type: 'final' } } },
        parcel: {
          initial: 'packing',
          states: {
            packing: { after: { 604800000: 'shipped' }, on: { weigh: 'packing', drop: '#order.refused' } },
            shipped: { type: 'final' },
          },
        },
      },
      onDone: 'done',
    },
    done: { type: 'final' },
    refused: { type: 'final' },
  },
})

/** Boxes that lie over each other though neither is around the other, and boxes that leave the drawing or their outer state. */
const faultsOf = ({ states, width, height, edges }: Layout): string[] => {
  const isIn = (inner: Box, outer: Box) =>
    inner.x >= outer.x && inner.y >= outer.y && right(inner) <= right(outer) && bottom(inner) <= bottom(outer)
  const overlaps = (a: Box, b: Box) => a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a)
  const whole = { x: 0, y: 0, width, height }
  const faults = states.filter(({ box }) => !isIn(box, whole)).map(({ path }) => `${path} is outside`)
  for (const [n, a] of states.entries())
    for (const b of states.slice(n + 1)) {
      const isInner = b.path.startsWith(`${a.path}.`)
      if (isInner && !isIn(b.box, a.box)) faults.push(`${b.path} leaves ${a.path}`)
      if (!isInner && overlaps(a.box, b.box)) faults.push(`${b.path} lies over ${a.path}`)
    }
  for (const { from, to, path } of edges)
    if (/NaN|undefined/.test(path)) faults.push(`${from} → ${to}: ${path}`)
  return faults
}

t.test('a chart has all its states and moves, in words', async t => {
  const tree = readChart(drawingOf(order as never))
  if (tree === undefined) throw new Error('no chart')
  t.same(tree.anywhere, ['note', 'stop → refused'])
  t.same(
    tree.links.map(({ from, to, labels }) => `${from} → ${to}: ${labels.join(', ')}`).sort(),
    [
      'checking → delivery: done',
      'checking → refused: error',
      'delivery → checking: again',
      'delivery → done: done',
      'delivery → refused: cancel',
      'delivery.parcel.packing → refused: drop',
      'delivery.parcel.packing → delivery.parcel.shipped: after 7 d',
      'delivery.payment.open → delivery.payment.paid: pay',
    ].sort(),
  )
  const layout = layoutOf(tree)
  t.same(faultsOf(layout), [])
  const looks = new Map(layout.states.map(state => [state.path, state]))
  t.same(looks.get('checking')?.notes, ['calls run:find'])
  t.same(looks.get('delivery')?.notes, ['inside → parcel'])
  t.same(looks.get('delivery.parcel.packing')?.notes, ['weigh ↺'])
  t.same(looks.get('delivery.parcel')?.looks, ['outer', 'region'])
  t.same(looks.get('done')?.looks, ['final'])
  t.equal(layout.edges.length, tree.links.length)
  t.equal(layout.starts.length, 3, 'the chart and both regions begin somewhere')
  const tops = ['checking', 'delivery', 'done'].map(path => looks.get(path)?.box.y ?? 0)
  t.same(
    tops,
    tops.toSorted((a, b) => a - b),
    'from top to bottom',
  )
})

t.test('a value lights its states, outer ones first', async t => {
  const value = { delivery: { payment: 'open', parcel: 'packing' } }
  t.same(pathsOf(value), [
    'delivery',
    'delivery.payment',
    'delivery.payment.open',
    'delivery.parcel',
    'delivery.parcel.packing',
  ])
  t.equal(placeWords(value), 'delivery.payment.open, delivery.parcel.packing')
  t.equal(placeWords('waiting'), 'waiting')
  for (const odd of [undefined, null, 7, []]) t.same(pathsOf(odd), [])
})

t.test('events have the words of a person', async t => {
  t.same(
    ['after 604800000', 'after week', 'done 0.order.checking', 'error book', 'always', 'pay'].map(eventWords),
    ['after 7 d', 'after week', 'done', 'error', 'always', 'pay'],
  )
})

t.test('what is no chart is not drawn, and a chart of another host may be of any form', async t => {
  for (const odd of [undefined, null, 1, 'chart', [], {}, { id: 'x', states: {} }, { id: 'x', states: [1] }])
    t.equal(readChart(odd), undefined)
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`s${n}`, {}]))
  t.equal(readChart({ id: 'many', states: many }), undefined, 'too large to be read')
  const odd = {
    id: 7,
    states: {
      'a.b': {
        on: { go: 'c', no: [null, 4, { target: '#nowhere' }, { target: 'c', guard: { type: 'x' } }] },
      },
      c: { type: 'unknown', invoke: [1, 'model'], on: 'x', states: null },
    },
  }
  const tree = readChart(odd)
  t.same(tree?.links, [{ from: 'a.b', to: 'c', labels: ['go', 'no'] }])
  t.same(tree && faultsOf(layoutOf(tree)), [])
})

t.test('no state lies over another, in any chart', async t => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'a state with a very long name of its own')
  const moves = fc.dictionary(fc.constantFrom('go', 'back', 'after 60000'), fc.record({ target: name }), {
    maxKeys: 3,
  })
  const { state } = fc.letrec(tie => ({
    state: fc.record(
      {
        type: fc.constantFrom('parallel', 'final', 'history', undefined),
        initial: name,
        invoke: fc.constantFrom(['model'], undefined),
        on: moves,
        states: fc.oneof(
          { depthSize: 'small' },
          fc.constant(undefined),
          fc.dictionary(name, tie('state'), { maxKeys: 4 }),
        ),
      },
      { requiredKeys: [] },
    ),
  }))
  fc.assert(
    fc.property(state, fc.constant('x'), (given, id) => {
      const tree = readChart({ ...(given as object), id })
      t.same(tree === undefined ? [] : faultsOf(layoutOf(tree)), [])
    }),
    { numRuns: 200 },
  )
})
