// Clients that step environment sessions on a server that is killed again and again, and retry in every way there is;
// then the log is read: each step that was answered stands there once, and no request was answered by another's step.
// Used by step-kill.test.ts and by the soak test.
import { counter, type EnvBody, envCalls, kept, modules } from '../http/env-calls.ts'
import { launch, type ServerProcess } from '../support/server.ts'
import { randomOf } from '../support/world.ts'
import { type StoredEvent, storedEvents } from './stored-log.ts'
import { sleep } from './wire.ts'

/** How a request is told from others: by a key, by its own id, by its text, or by the number that the step must have. */
const ways = ['key', 'key and id', 'id', 'id and number', 'text'] as const
/** One step that a client wanted. */
type Wish = {
  id: string
  session: string
  way: (typeof ways)[number]
  body: Record<string, unknown>
  /** What it was answered, as text, and how often it was asked. */
  answer: string | undefined
  asked: number
}

const stepsOfSession = 40
const levels = [counter, kept, 'gridworld', 'sql']
const gridworld = { max_steps: 1_000_000, map: '###\n#@#\n#.#\n#G#\n###' }

class Unexpected extends Error {}

export const stepKills = async (options: {
  dataDir: string
  seed: number
  rounds: number
  sessions: number
  onRound?: (round: number) => void
}) => {
  const { dataDir, seed, rounds, sessions } = options
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  const pick = <T>(from: readonly T[]) => from[upTo(from.length)] as T
  const env = { ENV_PATH: modules, LOG_LEVEL: 'error' }
  const problems: string[] = []
  const wishes: Wish[] = []
  let server: ServerProcess = await launch(dataDir, env)
  let isUp = Promise.resolve()
  let over = false
  let arrived = 0
  let cuts = 0

  /** Asks until an answer arrives, however often the server dies meanwhile. */
  const insist = async (ask: (attempt: number) => Promise<{ status: number; text: string }>) => {
    for (let attempt = 0; ; attempt++) {
      await isUp
      const { status, text } = await ask(attempt).catch(error => {
        if (!(error instanceof TypeError)) throw error // what fetch says of a connection that broke
        return { status: 0, text: '' }
      })
      if (status === 200) {
        arrived++
        return text
      }
      if (status !== 0 && status !== 503) throw new Unexpected(`${status} ${text}`)
      cuts++
      await sleep(5)
    }
  }

  /** Most texts are equal to the letter, so that only what tells requests apart tells them apart. */
  const textOf = (kind: string, id: string, isOwn: boolean): { tool_name: string; tool_args: object } => {
    if (kind === 'gridworld') return { tool_name: 'look', tool_args: {} }
    if (kind === 'sql') return { tool_name: 'query', tool_args: { sql: `SELECT '${isOwn ? id : 'x'}'` } }
    if (isOwn) return { tool_name: 'say', tool_args: { words: id } }
    return upTo(4) === 0 ? { tool_name: 'draw', tool_args: {} } : { tool_name: 'add', tool_args: { by: 3 } }
  }
  const wishFor = (session: string, kind: string, id: string, number: number): Wish => {
    const chosen = pick(ways)
    const way = chosen === 'text' && kind === 'gridworld' ? 'id' : chosen // a look is a look
    const body = {
      session_id: session,
      ...textOf(kind, id, way === 'text'),
      ...(way.includes('id') ? { request_id: id } : {}),
      ...(way === 'id and number' ? { expected_step: number } : {}),
    }
    return { id, session, way, body, answer: undefined, asked: 0 }
  }

  const step = async (wish: Wish): Promise<void> => {
    const hasKey = wish.way === 'key' || wish.way === 'key and id'
    wish.answer = await insist(attempt => {
      wish.asked = attempt + 1
      return envCalls(server.api).call('POST', '/env/step', wish.body, {
        'x-request-id': wish.id,
        ...(hasKey ? { 'idempotency-key': wish.id } : {}),
        ...(attempt > 0 ? { 'x-stainless-retry-count': `${attempt}` } : {}),
      })
    })
  }

  const work = async (client: number): Promise<void> => {
    for (let session = 0; !over; session++) {
      const session_id = `client-${client}-${session}`
      const kind = levels[(client + session) % levels.length] ?? counter
      const create = {
        session_id,
        env_class_path: kind,
        ...(kind === 'gridworld' ? { env_init_kwargs: gridworld } : {}),
      }
      await insist(() => envCalls(server.api).create(create))
      let last = 0
      for (let n = 1; n <= stepsOfSession && !over; n++) {
        const wish = wishFor(session_id, kind, `${session_id}-${n}`, last + 1)
        wishes.push(wish)
        await step(wish).catch(error => problems.push(`${wish.id} (by ${wish.way}): ${error.message}`))
        if (wish.answer !== undefined) last = (JSON.parse(wish.answer) as EnvBody).step
      }
      if (over) return
      await insist(() => envCalls(server.api).close(session_id))
    }
  }
  const working = Array.from({ length: sessions }, (_, client) =>
    work(client).catch(error => problems.push(`client ${client}: ${error.message}`)),
  )

  for (let round = 1; round <= rounds; round++) {
    options.onRound?.(round)
    const enough = arrived + upTo(sessions * 4)
    for (let waited = 0; arrived < enough && waited < 10_000; waited += 2) await sleep(2)
    await sleep(upTo(15))
    let rise = () => {}
    isUp = new Promise(resolve => {
      rise = resolve
    })
    await server.end('SIGKILL')
    server = await launch(dataDir, env)
    rise()
  }
  // A slow machine answers few steps between two kills: enough of them are waited for after the last one.
  const enough = arrived + sessions * 4
  for (let waited = 0; arrived < enough && waited < 10_000; waited += 2) await sleep(2)
  over = true
  await Promise.all(working)

  // A key answers for a day, whatever came after it.
  for (const wish of wishes.filter(({ way, answer }) => way.startsWith('key') && answer !== undefined)) {
    if (upTo(10) > 0) continue
    const before = wish.answer
    await step(wish)
    if (wish.answer !== before)
      problems.push(`${wish.id}: its key is answered with ${wish.answer} instead of ${before}`)
  }
  const [code] = await server.end('SIGTERM')
  if (code !== 0) problems.push(`the last stop ended with ${code}: ${server.output()}`)
  problems.push(...faultsOf(storedEvents(dataDir), wishes))
  return {
    problems,
    kills: rounds,
    sessions: new Set(wishes.map(({ session }) => session)).size,
    /** Steps that were answered, and how many of them only when they were asked for again. */
    steps: wishes.filter(({ answer }) => answer !== undefined).length,
    retried: wishes.filter(({ asked }) => asked > 1).length,
    cuts,
  }
}

/** How the log does not fit what clients were told. */
const faultsOf = (events: StoredEvent[], wishes: Wish[]): string[] => {
  const faults: string[] = []
  type Stored = StoredEvent & { causation_id: string; data: { step: number; effect_id: string } }
  const bySession = new Map<string, Stored[]>()
  for (const event of events) {
    if (event.type !== 'EnvStepCompleted') continue
    const session = event.stream.slice('env-'.length)
    bySession.set(session, [...(bySession.get(session) ?? []), event as Stored])
  }
  for (const [session, steps] of bySession) {
    const numbers = steps.map(({ data }) => data.step)
    if (numbers.some((number, n) => number !== n + 1)) faults.push(`${session}: steps ${numbers.join(' ')}`)
  }
  const byWish = new Map<string, Stored[]>()
  for (const stored of [...bySession.values()].flat()) {
    byWish.set(stored.causation_id, [...(byWish.get(stored.causation_id) ?? []), stored])
  }
  for (const wish of wishes) {
    const { id, way, answer } = wish
    const own = byWish.get(id) ?? []
    if (own.length > 1) faults.push(`${id} (by ${way}) was done ${own.length} times`)
    if (answer === undefined) continue
    const told = JSON.parse(answer) as EnvBody
    const stored = bySession.get(wish.session)?.[told.step - 1]
    if (own.length === 0) faults.push(`${id} (by ${way}) was answered as step ${told.step} and never done`)
    if (stored?.causation_id !== id)
      faults.push(`${id} (by ${way}) was answered by the step of ${stored?.causation_id}`)
    if (stored?.data.effect_id !== told.tool_result.call_id)
      faults.push(`${id} (by ${way}) was told of another step than the log's`)
  }
  const known = new Set(wishes.map(({ id }) => id))
  for (const id of byWish.keys()) if (!known.has(id)) faults.push(`a step that nobody wished for: ${id}`)
  return faults
}
