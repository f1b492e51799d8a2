// Random callers on a disk that fails at random, held against what they were told.
import t from 'tap'
import { type Recorded, RevisionConflict, StorageFailure } from '../../src/contract/stored.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'
import { faultyStore } from './faulty-store.ts'
import { all, openOn, places, to } from './support.ts'

let answers = 0

const play = async (seed: number, steps: number): Promise<string[]> => {
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const { store, faults } = faultyStore(memoryStore())
  const world = testWorld(seed)
  const log = await openOn(t, store, world)
  const wrong: string[] = []
  const told: string[] = []
  const answered: string[] = []
  const unexpected: string[] = []
  let lastTold = 0
  log.onCommit(events => {
    if ((events[0]?.position ?? 0) <= lastTold) wrong.push(`position ${lastTold} was told before`)
    lastTold = events.at(-1)?.position ?? 0
    told.push(...places(events))
  })
  const calls: Promise<void>[] = []
  const sent = new Map<string, number>()

  for (let step = 0; step < steps; step++) {
    const chance = random()
    if (chance < 0.02) faults.write = random() < 0.5 ? 'before' : 'after'
    else if (chance < 0.08) faults.write = undefined
    if (chance > 0.99) faults.reopen = true
    else if (chance > 0.93) faults.reopen = false
    if (chance > 0.4 && chance < 0.5) await settle(upTo(4))
    if (chance > 0.5 && chance < 0.52) await log.retry().catch(() => {})
    const streams = new Set(Array.from({ length: 1 + upTo(3) }, () => `s${upTo(6)}`))
    const appends = [...streams].map(stream => {
      const known = random() < 0.9 ? log.revisionOf(stream) : upTo(20) - 1
      return to(stream, known, ...Array.from({ length: 1 + upTo(3) }, (_, n) => ({ step, n })))
    })
    calls.push(
      log.append(appends).then(
        (events: Recorded[]) => {
          answered.push(...places(events))
          if ((events.at(-1)?.position ?? 0) > lastTold) wrong.push('answered before it was told')
          for (const { header } of events) sent.set(`${header.stream}@${header.revision}`, step)
        },
        error => {
          if (!(error instanceof StorageFailure) && !(error instanceof RevisionConflict))
            unexpected.push(String(error))
        },
      ),
    )
  }
  await Promise.all(calls)
  faults.write = undefined
  faults.reopen = false
  await log.retry()

  const stored = await all(log)
  const storedPlaces = places(stored)
  const known = new Set(storedPlaces)
  if (unexpected.length > 0) wrong.push(`other errors: ${unexpected[0]}`)
  if ([...answered].sort().join() !== [...told].sort().join()) wrong.push('answered otherwise than told')
  const lost = answered.filter(place => !known.has(place))
  if (lost.length > 0) wrong.push(`answered and lost: ${lost[0]}`)
  const revisions = new Map<string, number>()
  let time = ''
  for (const [n, { position, header, data }] of stored.entries()) {
    const expected = (revisions.get(header.stream) ?? -1) + 1
    revisions.set(header.stream, expected)
    if (position !== n + 1) wrong.push(`position ${position} stands at ${n + 1}`)
    if (header.revision !== expected) wrong.push(`${header.stream}@${header.revision} stands at ${expected}`)
    if (header.time < time) wrong.push(`time goes back at ${position}`)
    time = header.time
    const step = sent.get(`${header.stream}@${header.revision}`)
    if (step !== undefined && (data as { step: number }).step !== step)
      wrong.push(`another event at ${position}`)
  }
  for (const [stream, revision] of revisions) {
    if (log.revisionOf(stream) !== revision)
      wrong.push(`${stream} is said to be at ${log.revisionOf(stream)}`)
  }
  if (log.head() !== stored.length) wrong.push(`the head is said to be ${log.head()} of ${stored.length}`)
  answers += answered.length
  return wrong
}

t.setTimeout(0)
t.test('whatever fails when, what was answered stands, in order and without holes', async t => {
  const seeds = Number(process.env.SEEDS ?? 150)
  const first = Number(process.env.SEED ?? 1)
  const wrong: string[] = []
  for (let seed = first; seed < first + seeds; seed++) {
    wrong.push(...(await play(seed, 150)).map(what => `seed ${seed}: ${what}`))
  }
  t.same(wrong.slice(0, 10), [], `${seeds} runs`)
  t.ok(answers > 50 * seeds, `${answers} events were answered`)
})
