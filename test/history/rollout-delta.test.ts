// Rollouts as differences: who puts them together has the whole rollouts, byte for byte, in pages of any size. A page
// reads the events of its task twice at most, wherever it begins, and makes no other entries than its own.
import t, { type Test } from 'tap'
import type { Recorded } from '../../src/contract/stored.ts'
import { isTaskStream } from '../../src/contract/task-stream.ts'
import type { ReadStream } from '../../src/history/context.ts'
import type { Rollout } from '../../src/history/rollout.ts'
import { createDeltas, type Delta } from '../../src/history/rollout-delta.ts'
import { rolloutsOf } from '../../src/history/rollouts.ts'
import { decode } from '../../src/log/decode.ts'
import { byStream, simulate } from '../actors/simulation.ts'
import { randomHistory } from '../projections/histories.ts'
import { readRecording, recordingNames } from '../recorded/files.ts'
import { givenSystem, quiet } from '../support/system.ts'
import { randomOf } from '../support/world.ts'

type Entry = Record<string, unknown> & { rollout_id: string }

const listIn = (entry: Entry | undefined, name: string) => entry?.[name] as unknown[]

/** What a client does: puts the entries of one answer together again, from their JSON. */
const wholeOf = (answer: string[]): string[] => {
  const known = new Map<string, Entry>()
  return answer.map(line => {
    const entry = Object.fromEntries(
      Object.entries(JSON.parse(line) as Entry).map(([key, value]) => {
        const name = key.replace(/_delta$/, '')
        if (name === key) return [key, value]
        const { base, keep, append } = value as Delta
        const kept = base === null ? [] : listIn(known.get(base), name).slice(0, keep)
        return [name, [...kept, ...append]]
      }),
    ) as Entry
    known.set(entry.rollout_id, entry)
    return JSON.stringify(entry)
  })
}

const deltas = (entries: readonly Rollout[]): string[] => {
  const deltaOf = createDeltas()
  return entries.map(entry => JSON.stringify(deltaOf(entry)))
}
const lines = (entries: readonly Rollout[]): string[] => entries.map(entry => JSON.stringify(entry))

const readIn = (streams: Map<string, Recorded[]>): ReadStream =>
  async function* (stream, after = -1) {
    yield (streams.get(stream) ?? []).filter(({ header }) => header.revision > after)
  }

const collected = async (rollouts: AsyncIterable<Rollout>, limit = Number.POSITIVE_INFINITY) => {
  const found: Rollout[] = []
  for await (const rollout of rollouts) {
    found.push(rollout)
    if (found.length === limit) break
  }
  return found
}

/** Checks every task of a history, in pages of every size up to eight. Returns what the entries showed. */
const checkAll = async (t: Test, events: Recorded[], name: string) => {
  const streams = byStream(events)
  const read = readIn(streams)
  const seen = { entries: 0, kept: 0, summaries: 0, subagents: 0, forks: 0, tokens: 0 }
  for (const stream of streams.keys()) {
    if (!isTaskStream(stream)) continue
    const wanted = { subagents: true, summaries: true }
    const whole = await collected(rolloutsOf(read, stream, wanted))
    seen.entries += whole.length
    seen.summaries += whole.filter(({ is_compress }) => is_compress).length
    seen.subagents += new Set(whole.map(({ task_id }) => task_id)).size > 1 ? 1 : 0
    seen.forks += whole.filter(({ fork_of }) => fork_of !== null).length
    seen.tokens += whole.filter(({ prompt_token_ids }) => prompt_token_ids !== undefined).length
    seen.kept += deltas(whole).filter(line => /"input_messages_delta":\{"base":"/.test(line)).length
    for (const size of [1, 2, 3, 8, whole.length]) {
      const told: string[] = []
      for (let after = 0; told.length < whole.length; after = whole[told.length - 1]?.position ?? 0) {
        const page = await collected(rolloutsOf(read, stream, { ...wanted, after }), Math.max(1, size))
        told.push(...wholeOf(deltas(page)))
      }
      if (told.join('\n') !== lines(whole).join('\n')) t.fail(`${name}, ${stream} in pages of ${size}`)
    }
  }
  return seen
}

t.test('recorded histories: models, summaries, subagents, forks and token ids', async t => {
  for (const name of recordingNames()) {
    const { rows } = readRecording(name)
    const events = rows.map(row => decode(row))
    const { entries, kept, ...others } = await checkAll(t, events, name)
    t.ok(entries > 50 && kept > 20, `${kept} of ${entries} keep something`)
    for (const [what, count] of Object.entries(others)) t.ok(count > 0, what)
  }
})

t.test('random histories', async t => {
  let kept = 0
  for (let seed = 1; seed <= 4; seed++) {
    kept += (await checkAll(t, await simulate(seed), `SEED=${seed}`)).kept
    kept += (await checkAll(t, await randomHistory(seed, 60), `SEED=${seed}`)).kept
  }
  t.ok(kept > 20, `${kept} keep something`)
})

t.test('random contexts: messages are added, taken back, changed, and give way to summaries', t => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed)
    const some = (most: number) => Math.floor(random() * most)
    const message = () => ({ role: 'user', content: [`m${some(4)}`, { n: some(3) }, null][some(3)] })
    let messages: unknown[] = []
    const entries = Array.from({ length: 12 }, (_, step) => {
      const kind = random()
      if (kind < 0.6) messages = [...messages, ...Array.from({ length: some(4) }, message)]
      else if (kind < 0.7) messages = messages.slice(0, some(messages.length + 1))
      else if (kind < 0.8) messages = messages.map((one, n) => (n === 2 ? message() : one))
      else messages = [message(), ...messages.slice(some(messages.length + 1))]
      return {
        rollout_id: `r${step}`,
        task_id: `t${some(12)}`,
        is_compress: random() < 0.1,
        ...(random() < 0.5 ? { prompt_token_ids: messages.map((_, n) => n) } : {}),
        input_messages: messages,
        output_messages: [],
      } as unknown as Rollout
    }).filter(({ input_messages }) => input_messages.length > 0)
    if (wholeOf(deltas(entries)).join('\n') !== lines(entries).join('\n')) t.fail(`SEED=${seed}`)
  }
  t.end()
})

const sum = { tool: 'calculator', arguments: { expression: '6*7' } }

t.test('the bytes of differences grow with the steps, and a page reads its task twice at most', async t => {
  const system = await givenSystem()
  t.teardown(system.close)
  const played = async (steps: number) => {
    const id = await system.play(Array.from({ length: steps }, () => sum))
    await quiet(system)
    const stream = `task-${id}`
    let events = 0
    const read: ReadStream = async function* (name, after) {
      for await (const page of system.log.readStream(name, after)) {
        for (let from = 0; from < page.length; from += 10) {
          const part = page.slice(from, from + 10)
          events += part.length
          yield part
        }
      }
    }
    const all = await collected(rolloutsOf(read, stream))
    t.equal(all.length, steps)
    const bytes = (texts: string[]) => texts.reduce((total, text) => total + text.length, 0)
    const pageAt = async (step: number) => {
      events = 0
      const after = all[step]?.position ?? 0
      const page = await collected(rolloutsOf(read, stream, { after }), 10)
      t.equal(page[0]?.step, step + 2)
      return events
    }
    const stored = (await system.factsOf(id)).length
    return { stored, whole: bytes(lines(all)), delta: bytes(deltas(all)), pageAt }
  }
  const few = await played(40)
  const many = await played(160)
  t.ok(many.delta < 4.4 * few.delta, `${few.delta} and ${many.delta} bytes for four times the steps`)
  t.ok(many.whole > 9 * few.whole, 'whole rollouts grow with the square')
  const [first, middle, last] = [await many.pageAt(0), await many.pageAt(75), await many.pageAt(140)]
  t.ok(first < middle && middle < last)
  t.ok(last <= 2 * many.stored, `${last} events are read for the last page, of ${many.stored}`)
  t.ok(first >= many.stored && first < 1.3 * many.stored, `${first} for the first page`)
})
