// Tells a story again and again, each time with a kill at another point: it must always end as without a kill.
import { deepStrictEqual } from 'node:assert/strict'
import { type Kill, startPlannedServer } from './server.ts'
import { framesIn } from './tasks.ts'
import type { KillEverywhere, KillOptions, Story, TestServer, TestTask } from './types.ts'

/** What a client of a stream has read of it, while the server may die. */
const watch = (server: TestServer, task: TestTask) => {
  const seen: Map<number, string>[] = []
  const over = new AbortController()
  const read = async (): Promise<void> => {
    let text = ''
    try {
      const headers = { accept: 'text/event-stream', authorization: `Bearer ${server.token}` }
      const url = `${server.url}/v1/tasks/${task.id}/events`
      const answer = await fetch(url, { headers, signal: over.signal })
      for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>)
        text += Buffer.from(piece).toString()
    } catch {} // it has died, or the story is over
    seen.push(framesIn(text))
  }
  let reading = read()
  return {
    /** Reads on, after a kill. */
    again(): void {
      const before = reading
      reading = before.then(read)
    },
    /** Compares the stream of a task that has ended with all that was read of it. */
    async compare(): Promise<void> {
      const { status } = await task.get()
      const whole = ['completed', 'failed', 'canceled', 'expired'].includes(status)
        ? await task.frames()
        : undefined
      over.abort()
      await reading
      if (whole === undefined) return
      for (const frames of seen)
        for (const [id, frame] of frames)
          deepStrictEqual(whole.get(id), frame, `the frame ${id} of ${task.id} has changed`)
    },
  }
}

/** `kill`: undefined: there is none. */
type Plan = { what: string; kill?: Kill }

/** Tells the story once. Resolves to its result, and to whether the kill has come. A kill of the story itself is none of these. */
const told = async <T>(story: Story<T>, { what, kill }: Plan) => {
  const servers: TestServer[] = []
  const watched: ReturnType<typeof watch>[] = []
  const kills: (() => boolean)[] = []
  try {
    const result = await story(async options => {
      const { server, plan } = await startPlannedServer(options)
      servers.push(server)
      if (kill !== undefined) kills.push(plan(kill))
      return {
        ...server,
        get counts() {
          return server.counts
        },
        async task(...given) {
          const task = await server.task(...given)
          watched.push(watch(server, task))
          return task
        },
      }
    })
    for (const one of watched) await one.compare()
    return { result, isKilled: kills.some(hasCome => hasCome()) }
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error })
  } finally {
    for (const server of servers) await server.stop()
  }
}

const plansOf = (of: KillOptions['of'] = ['server', 'agents']): ((n: number) => Plan)[] => [
  ...(['before', 'after'] as const)
    .filter(() => of.includes('server'))
    .map(point => (n: number) => ({
      what: `with the server killed right ${point} its append ${n}`,
      kill: { of: 'server' as const, at: n, point },
    })),
  ...(of.includes('agents')
    ? [
        (n: number) => ({
          what: `with the agents killed at their message ${n}`,
          kill: { of: 'agents' as const, at: n },
        }),
      ]
    : []),
]

export const killEverywhere: KillEverywhere = async (story, { of, every = 1 } = {}) => {
  const { result } = await told(story, { what: 'without a kill' })
  let kills = 0
  for (const plan of plansOf(of))
    for (let n = 1; ; n += every) {
      const one = plan(n)
      const again = await told(story, one)
      if (!again.isKilled) break
      kills++
      deepStrictEqual(again.result, result, `${one.what}, the story has another result`)
    }
  return { result, kills }
}
