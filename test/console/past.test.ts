// What the console derives from stored events: the view at every position, rows, spans, and checks of proofs.
import t from 'tap'
import { checkEvent, type Evidence, type StoredEvent } from '../../console/proof/check-event.ts'
import { createJournal } from '../../console/task/journal.ts'
import { createPast } from '../../console/task/past.ts'
import { createRows } from '../../console/task/rows.ts'
import { createSpans } from '../../console/task/spans.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Header, Recorded } from '../../src/contract/stored.ts'
import { taskOf } from '../../src/history/task-object.ts'
import { emptyShown, evolveShown } from '../../src/history/task-view.ts'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { seed } from './seed.ts'

const { api } = await serveHere(t)
const { tools } = await seed(api)
type Stored = StoredEvent & { data: unknown }
const page = await read(api('GET', `/audit/events?stream=task-${tools}&limit=1000`))
const stored = (page.body as unknown as { data: Stored[] }).data
const recorded: Recorded[] = stored.map(({ position, header, data }) => ({
  position,
  header: JSON.parse(header) as Header,
  data,
}))

/** A history of any length: the stored one, with one piece of its text again and again before its last events. */
const long = (pieces: number): Recorded[] => {
  const at = recorded.findIndex(({ header }) => header.type === 'ItemDelta') + 1
  const piece = recorded.find(
    ({ header, data }) => header.type === 'ItemDelta' && (data as { item?: string }).item === undefined,
  ) as Recorded
  const all = [
    ...recorded.slice(0, at),
    ...Array.from({ length: pieces }, () => piece),
    ...recorded.slice(at),
  ]
  return all.map((event, revision) => ({ ...event, header: { ...event.header, revision } }))
}

t.test('the view at any position is that of a fold from the start, in any order of looking', async t => {
  const events = long(8_600)
  const past = createPast()
  for (let n = 0; n < events.length; n += 700) past.add(events.slice(Math.max(0, n - 3), n + 700))
  t.equal(past.events.length, events.length, 'an event that comes twice counts once')
  t.ok(past.copies() > 4)
  const folded = (count: number) => {
    const view = emptyShown()
    for (const event of events.slice(0, count)) evolveShown(view, taskEvents.read(event))
    return view
  }
  const positions = [
    1,
    2,
    700,
    2_000,
    1_999,
    4_001,
    4_000,
    3_999,
    40,
    41,
    events.length - 5,
    1,
    events.length,
  ]
  for (const count of positions) {
    const view = past.viewAfter(count)
    t.equal(view.revision, count - 1)
    t.same(taskOf(view), taskOf(folded(count)), `after ${count}`)
    t.same(view.state, folded(count).state)
    t.same([...view.calls.values()], [...folded(count).calls.values()])
  }
  t.same(taskOf(past.newest), taskOf(folded(events.length)), 'and the newest view is as it was')
})

t.test('pieces of one text are one row, and every event has a row', async t => {
  const rows = createRows()
  const events = long(500)
  for (const event of events) rows.add(taskEvents.read(event))
  t.ok(rows.all.length < 60)
  t.match(rows.all.find(({ last, first }) => last - first > 400)?.detail, /^50\d pieces, \d+ characters$/)
  for (const n of [0, 1, 200, events.length - 1]) {
    const row = rows.all[rows.indexOf(n)]
    t.ok(row !== undefined && row.first <= n && n <= row.last, `event ${n}`)
  }
})

t.test('each call and each step is a span with a beginning and an end', async t => {
  const spans = createSpans(createJournal())
  for (const event of recorded) spans.add(taskEvents.read(event))
  const names = (kind: string) => spans.all.filter(span => span.kind === kind).map(({ name }) => name)
  t.same(names('tool').sort(), ['calculator', 'calculator', 'run_javascript', 'write_file'])
  t.same(names('child'), ['agent_demo'])
  t.equal(names('model').length, 8)
  t.ok(spans.all.every(({ from, to }) => to !== undefined && to >= from))
})

t.test('a proof is right for what is stored, and names what does not fit', async t => {
  const event = stored[5] as Stored
  const [note, keys] = await Promise.all(
    ['checkpoint', 'public-key'].map(async name => (await api('GET', `/audit/${name}`)).text()),
  )
  const size = (note ?? '').split('\n')[1]
  const { body } = await read(api('GET', `/audit/proof?position=${event.position}&tree_size=${size}`))
  const { leaf_index, hashes } = body as unknown as { leaf_index: number; hashes: string[] }
  const evidence: Evidence = { event, note: note ?? '', keys: keys ?? '', leafIndex: leaf_index, hashes }
  const wrongIn = (changed: Partial<Evidence>) =>
    checkEvent({ ...evidence, ...changed })
      .filter(({ isRight }) => !isRight)
      .map(({ name }) => name)
  t.same(wrongIn({}), [])
  t.same(wrongIn({ event: { ...event, payload: `${event.payload} ` } }), ['Payload'])
  t.same(wrongIn({ event: { ...event, header: event.header.replace('"revision":5', '"revision":6') } }), [
    'Leaf',
    'Tree',
  ])
  t.same(wrongIn({ hashes: hashes.slice(1) }), ['Tree'])
  t.same(wrongIn({ hashes: hashes.toReversed() }), ['Tree'])
  t.same(
    wrongIn({ note: (note ?? '').replace(`\n${size}\n`, `\n${Number(size) + 1}\n`) }).includes('Signature'),
    true,
  )
  const other = (keys ?? '').replace(/\+[\w+/=]+ /, match => `${match.slice(0, 12)}A${match.slice(13)}`)
  t.ok(wrongIn({ keys: other }).includes('Signature'))
})
