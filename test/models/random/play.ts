// Plays a random stream to a step of the agent, with a given clock, and compares what the step makes of it with what a
// careful reader takes of it.

import { createCompletionsReader } from '../../../src/agents/model/completions-reader.ts'
import { createConfiguredEndpoint } from '../../../src/agents/model/configured-endpoint.ts'
import { createHttpEndpoint } from '../../../src/agents/model/http.ts'
import { model } from '../../../src/agents/model/model.ts'
import type { StepEnd, StepPart } from '../../../src/contract/agent.ts'
import { stepOf } from '../../agents/streams/replay.ts'
import fc from '../../support/fast-check.ts'
import { settle, type TestWorld, testWorld } from '../../support/world.ts'
import { outcomeOf } from '../kinds/outcome.ts'
import { type Expected, expectedOf, patienceAt } from './oracle.ts'
import { type Plan, plan } from './plan.ts'
import { eventsOf } from './write.ts'

export const limitMs = 5000
/** Between two repetitions of an endpoint that stays open. */
const betweenMs = 700

/**
 * `sizes`: the sizes of the pieces, in turn. `head`: milliseconds before the head. `again`: what comes again and again
 * while the connection stays open.
 */
type Sent = {
  bytes: Buffer
  sizes: number[]
  head?: number
  pause?: { at: number; ms: number }
  end: 'end' | 'break' | 'stay'
  again?: string | undefined
}

const aborted = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** An endpoint that sends these bytes in pieces of these sizes. */
export const fetchOf = (world: TestWorld, { bytes, sizes, head, pause, end, again }: Sent): typeof fetch => {
  const wait = (ms: number) => new Promise<void>(resolve => world.timers.after(ms, resolve))
  return async (_, init) => {
    if (head !== undefined) await Promise.race([wait(head), aborted(init?.signal)])
    let at = 0
    let turn = 0
    let isPaused = pause === undefined
    const pauseAt = pause?.at ?? bytes.length
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const { signal } = init ?? {}
          signal?.addEventListener('abort', () => controller.error(signal.reason))
        },
        async pull(controller) {
          if (!isPaused && at >= pauseAt) {
            isPaused = true
            await wait(pause?.ms ?? 0)
          }
          if (at < bytes.length) {
            const next = Math.min(at + (sizes[turn++ % sizes.length] ?? 1), isPaused ? bytes.length : pauseAt)
            controller.enqueue(bytes.subarray(at, next))
            at = next
            return
          }
          if (end === 'end') return controller.close()
          if (end === 'break') return controller.error(new TypeError('terminated'))
          for (;;) {
            await wait(betweenMs)
            if (again !== undefined) return controller.enqueue(Buffer.from(again))
          }
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** What the step says and how it ends, and the milliseconds that it takes on the given clock. */
export const played = async (world: TestWorld, fetch: ReturnType<typeof fetchOf>) => {
  const now = () => world.clock.now()
  const own = createConfiguredEndpoint(
    { baseUrl: 'http://model.example/v1', apiKey: undefined, model: 'any', silenceMs: limitMs },
    world.timers,
  )
  const http = {
    url: 'http://model.example/v1',
    headers: {},
    secrets: [],
    silenceMs: limitMs,
    createReader: createCompletionsReader,
  }
  const answer = createHttpEndpoint(http, world.timers, { fetch, now })
  const started = now()
  let result: { said: StepPart[]; end: StepEnd } | undefined
  let problem: unknown
  stepOf(model({ ...own, answer }, { steps: 0, tokens: 0, seconds: 0 }, world)).then(
    found => {
      result = found
    },
    error => {
      problem = error
    },
  )
  await settle()
  for (let passed = 0; result === undefined && problem === undefined && passed < 20_000; passed += 100)
    await world.advance(100)
  if (problem !== undefined) throw problem
  return { result, ms: now() - started }
}

/** The problems of one plan. */
const problemsOf = async (given: Plan): Promise<string[]> => {
  const events = eventsOf(given)
  const all = Buffer.from(given.first + events.map(({ written }) => written).join(''))
  const cut = given.cut ?? all.length
  const bytes = all.subarray(0, cut <= 1 && cut > 0 ? Math.floor(cut * all.length) : cut)
  const pause =
    given.pause === null ? undefined : { at: Math.floor(given.pause.at * bytes.length), ms: given.pause.ms }
  const { sizes } = given
  const end = given.end === 'comments' ? 'stay' : given.end
  // Whoever stops within an event sends no comments.
  const again = given.end === 'comments' && given.cut === null ? ': keep-alive\n\n' : undefined
  const world = testWorld()
  const { result, ms } = await played(
    world,
    fetchOf(world, { bytes, sizes, end, again, ...(pause && { pause }) }),
  )
  if (result === undefined) return ['the step waits beyond its limit']

  /** A reader may wait for the byte behind a CR, since an LF belongs to it, or take a CR for the end of its line. */
  const expectedOn = (waits: number): Expected => {
    const isLate = pause !== undefined && pause.ms >= patienceAt(given, events, pause.at - waits, limitMs)
    if (isLate) return expectedOf(given, events, { length: pause.at - waits, end: 'silent' })
    const length = bytes.length - (end === 'end' ? 0 : waits)
    return expectedOf(given, events, { length, end: end === 'stay' ? 'silent' : end })
  }
  const waits = { '\n': [0], '\r': [0, 1], '\r\n': [0, -1] }[given.newline]
  const expected = waits.map(expectedOn).map(each => JSON.stringify(each))
  const outcome = outcomeOf(result.said, result.end)
  const runs = (outcome.calls ?? []).filter(call => {
    try {
      JSON.parse(call.slice(call.indexOf(' ') + 1))
      return true
    } catch {
      return false
    }
  })
  const found = {
    text: outcome.text ?? '',
    thought: outcome.thought ?? '',
    runs: runs.sort(),
    again: outcome.end === 'again',
  }
  const most = (pause?.ms ?? 0) + limitMs + 100
  const wrong = `found ${JSON.stringify(found)} (${outcome.end}) in place of ${expected.join(' or ')}`
  return [
    ...(expected.includes(JSON.stringify(found)) ? [] : [`${wrong} in ${JSON.stringify(bytes.toString())}`]),
    ...(ms > most ? [`the step takes ${ms} ms in place of ${most}`] : []),
  ]
}

/** Plays this many plans. Returns the problems of the smallest one that has any, and how to play it again. */
export const playAll = async (count: number): Promise<string[]> => {
  const property = fc.asyncProperty(plan, async given => (await problemsOf(given)).length === 0)
  const { failed, counterexample, seed } = await fc.check(property, { numRuns: count })
  if (!failed) return []
  return [
    ...(await problemsOf(...(counterexample as [Plan]))),
    `SEED=${seed}: ${JSON.stringify(counterexample)}`,
  ]
}
