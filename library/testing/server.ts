// A server for tests, with its lives one after the other, its clock and its fake model. A kill that was planned is followed by a new
// life by itself.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Answer } from '../../src/fake-model/answer.ts'
import { type PlannedFault, readFault } from '../../src/fake-model/faults/plan.ts'
import { modelName } from '../../src/fake-model/player.ts'
import { startFakeModel } from '../../src/fake-model/server.ts'
import { definitionsOf } from './agents-here.ts'
import { createMovedClock, msOf } from './clock.ts'
import { type Life, startLife } from './life.ts'
import { createTestTasks } from './tasks.ts'
import type { KillPoint, ServerOptions, StartTestServer, TestServer } from './types.ts'

const timeOf = (at: ServerOptions['at'] = Date.now()): number => {
  const time = new Date(at).getTime()
  if (Number.isFinite(time)) return time
  throw new TypeError(
    `at: ${at} is no time: write a Date, milliseconds since 1970, or a text such as '2026-03-01T09:00:00Z'`,
  )
}

const faultsOf = (names: readonly string[] = []): PlannedFault[] =>
  names.map(name => {
    const planned = readFault(name)
    if (typeof planned === 'string') throw new TypeError(`the fault ${name} cannot be played: ${planned}`)
    return planned
  })

/** A number of an append or of a message, counted from now on. Throws when it is none. */
const numberOf = (n: number): number => {
  if (Number.isInteger(n) && n >= 1) return n
  throw new TypeError(`${n} is no number of an append or a message: write a whole number from 1`)
}

/** A kill of the server at its nth append, or of its agents at their nth message. */
export type Kill = { of: 'server'; at: number; point: KillPoint } | { of: 'agents'; at: number }

/** A server, and what plans a kill of it. The planned kill also waits through restarts and other kills. */
export type PlannedServer = {
  server: TestServer
  /** `at` counts from now on. Returns what tells whether the kill has come. */
  plan(kill: Kill): () => boolean
}

export const startPlannedServer = async (options: ServerOptions = {}): Promise<PlannedServer> => {
  const { agents, environments, model: script, onUnknownEffect, onLine } = options
  const clock = createMovedClock(timeOf(options.at))
  if (typeof agents === 'object') definitionsOf(agents) // errors of the author come before anything is started
  const model = await startFakeModel({
    faults: faultsOf(options.faults),
    ...(script === undefined ? {} : { answers: [...script] as Answer[] }),
  })
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), 'reprise-testing-'))
  const remove = () => {
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  const token = `test-${randomBytes(16).toString('hex')}`
  let messages = 0
  let kills = 0
  /** The kills that have not come. They count the appends, or messages, of all lives. */
  const planned = new Set<Kill>()
  const isPlanned = (isIt: (kill: Kill) => boolean): boolean => {
    const kill = [...planned].find(isIt)
    return kill !== undefined && planned.delete(kill)
  }
  let pastAppends = 0
  let isStopped = false
  let port = '0'

  const variables = () => ({
    ...{ ADMIN_TOKEN: token, DRAIN_SECONDS: '0', ENV_UID_BASE: '0', ALLOW_PRIVATE_URLS: '1' },
    ...{ MODEL_BASE_URL: `${model.url}/v1`, MODEL: modelName },
    ...(typeof agents === 'string' ? { AGENT_PATH: agents } : {}),
    ...(environments === undefined ? {} : { ENV_PATH: environments }),
    ...options.variables,
    PORT: port,
  })
  const begin = (): Promise<Life> =>
    startLife({
      ...{ clock, dataDir, agents, variables: variables() },
      report: (level, message, fields = {}) => onLine?.({ level, message, fields }),
      isKilledAt: (append, when) =>
        isPlanned(kill => kill.of === 'server' && kill.at === pastAppends + append && kill.point === when),
      onKill: () => {
        // Its own append waits for this, so the rest comes after it.
        life = comeBack()
        life.catch(() => {}) // who uses the server gets the error
      },
      isAgentKilledAt: () => {
        messages++
        return isPlanned(({ of, at }) => of === 'agents' && at === messages)
      },
      onAgentKill: () => {
        kills++
      },
    })
  let running: Life | undefined
  const lived = async (): Promise<Life> => {
    running = await begin()
    return running
  }
  /** Ends the present life by a kill. */
  const dead = async (): Promise<void> => {
    const dying = running
    running = undefined
    if (dying === undefined) return
    kills++
    pastAppends += dying.stores.appends()
    await dying.kill()
  }
  const comeBack = async (): Promise<Life> => {
    await new Promise(resolve => setImmediate(resolve))
    await dead()
    return lived()
  }
  let life: Promise<Life> | undefined
  try {
    life = Promise.resolve(await lived())
    port = new URL((await life).url).port
  } catch (error) {
    await model.close()
    remove()
    throw error
  }
  const { url } = await life

  /** The server, as soon as it runs again after a kill that was planned. */
  const up = async (): Promise<Life> => {
    if (isStopped) throw new Error('the server was stopped')
    if (life === undefined) throw new Error('the server was killed: start it again with restart()')
    return life
  }
  const once: TestServer['request'] = async (method, where, body, headers = {}) => {
    const at = await up()
    return fetch(`${url}/v1${where}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(error => {
      if (!at.stores.isDead()) throw error
      throw new Error('the server was killed during a request', { cause: error })
    })
  }
  /** Sends a request again that a kill has cut off, when the server is there again. */
  const insist: TestServer['request'] = async (...given) => {
    const at = await up()
    try {
      const answer = await once(...given)
      // The whole body belongs to the answer: a kill may cut it off.
      const body = await answer.arrayBuffer()
      return new Response(body, { status: answer.status, headers: answer.headers })
    } catch (error) {
      if (!at.stores.isDead()) throw error
      return insist(...given)
    }
  }
  /** Whether a request may be sent twice. */
  const mayRepeat = (method: string, headers: Record<string, string> = {}) =>
    method === 'GET' || Object.keys(headers).some(name => name.toLowerCase() === 'idempotency-key')
  const request: TestServer['request'] = (method, where, body, headers) =>
    (mayRepeat(method, headers) ? insist : once)(method, where, body, headers)
  const appends = () => pastAppends + (running?.stores.appends() ?? 0)
  const plan = (kill: Kill) => {
    const at = numberOf(kill.at) + (kill.of === 'server' ? appends() : messages)
    const one = { ...kill, at }
    planned.add(one)
    return () => !planned.has(one)
  }
  const server: TestServer = {
    ...{ url, token, dataDir, request },
    clock: {
      now: clock.now,
      async advance(by) {
        const ms = msOf(by)
        if (life === undefined) return clock.skip(ms)
        // What has begun already counts from before the move.
        let at = await up()
        for (await at.settled(); at.stores.isDead(); await at.settled()) at = await up()
        const end = clock.now() + ms
        // A server that is killed meanwhile goes the rest of the way in its next life.
        for (;;) {
          await at.advanceTo(end)
          if (!at.stores.isDead()) return
          at = await up()
        }
      },
    },
    model: {
      get requests() {
        return model.asked.map(({ path: where, body }) => ({ path: where, body }))
      },
      script: answers => model.replace(answers),
    },
    task: createTestTasks(insist, onUnknownEffect),
    async kill() {
      await life
      life = undefined
      await dead()
    },
    killAt(append, point: KillPoint = 'after') {
      if (running === undefined) throw new Error('no server runs that could be killed')
      plan({ of: 'server', at: append, point })
    },
    async killAgents() {
      kills++
      await (await up()).killAgents()
    },
    killAgentsAt(message) {
      plan({ of: 'agents', at: message })
    },
    get counts() {
      return { appends: appends(), messages, kills }
    },
    async restart() {
      if (isStopped) throw new Error('the server was stopped')
      await life
      const before = running
      if (before !== undefined) {
        await before.stop()
        // A planned kill has come during the stop, and has begun the next life.
        if (before.stores.isDead()) return void (await life)
        running = undefined
        pastAppends += before.stores.appends()
      }
      life = lived()
      await life
    },
    async stop() {
      if (isStopped) return
      await life?.catch(() => {})
      isStopped = true
      await running?.stop()
      await model.close()
      remove()
    },
  }
  return { server, plan }
}

export const startTestServer: StartTestServer = async options => (await startPlannedServer(options)).server
