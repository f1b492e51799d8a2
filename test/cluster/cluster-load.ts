// Clients of a cluster: each creates one task after the other with an Idempotency-Key, at either node, and tries again
// until it has an answer. Some tasks call a tool that must never run twice. Kept: what was acknowledged, when, and what
// failed where.

import type { Node } from '../support/cluster-node.ts'
import { pause } from '../support/http.ts'
import { adminToken } from '../support/server.ts'

/** The file into which the tool of a task writes a line each time it runs, in a folder of its session. */
export const traces = 'ran.txt'

export type Acknowledged = { id: string; session: string; hasEffect: boolean }
type Failure = { node: string; at: number; why: string }

/** Milliseconds after which a client gives a request up and asks another node. */
const patienceMs = 4000
/** Milliseconds until a client asks again after a failure. */
const againMs = 25
/** The most milliseconds after the end until all tasks are acknowledged. */
const stopMs = 120_000
/** One task of so many has an effect. */
const effectEvery = 4

const bodyOf = (session: string, hasEffect: boolean, words: string) => ({
  user_message_content: words,
  stream: false,
  session_id: session,
  agent_config: hasEffect
    ? {
        agent_id: 'script',
        script: [
          { tool: 'write_file', arguments: { path: traces, content: 'ran\n', append: true } },
          { message: 'done' },
        ],
      }
    : { agent_id: 'echo' },
})

type LoadWish = {
  nodes: Node[]
  callers: number
  everyMs: number
  name: string
  /** What the user says in each task. */
  words?: string
}

export const startLoad = ({ nodes, callers, everyMs, name, words = 'go' }: LoadWish) => {
  const acknowledged = new Map<string, Acknowledged>()
  const times: number[] = []
  const failures: Failure[] = []
  const problems: string[] = []
  let isOver = false
  /** Whether callers without an answer ask no more. */
  let isGivenUp = false

  /** Asks one node. Resolves to the id of the task, or to undefined when the client must ask again. */
  const ask = async (node: Node, key: string, body: object): Promise<string | undefined> => {
    const began = performance.now()
    try {
      const answer = await fetch(`${node.url}/v1/tasks`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${adminToken}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await answer.text()
      if (answer.status === 200) return (JSON.parse(text) as { result: { id: string } }).result.id
      failures.push({ node: node.name, at: began, why: `${answer.status} ${text}` })
      if (![409, 503, 508].includes(answer.status)) problems.push(`${key}: ${answer.status} ${text}`)
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error }
      failures.push({ node: node.name, at: began, why: cause?.message ?? message })
    }
    return undefined
  }
  const call = async (caller: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const key = `${name}-${caller}-${n}`
      const hasEffect = (caller + n) % effectEvery === 0
      const body = bodyOf(key, hasEffect, words)
      for (let tries = 0; !isGivenUp; tries++) {
        const id = await ask(nodes[(caller + tries) % nodes.length] as Node, key, body)
        if (id !== undefined) {
          times.push(performance.now())
          acknowledged.set(key, { id, session: key, hasEffect })
          break
        }
        await pause(againMs)
      }
      await pause(everyMs)
    }
  }
  const calls = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  return {
    acknowledged,
    failures,
    problems,
    /** Resolves when a task that was asked for after this moment was acknowledged. */
    async next(ms = 40_000 * Number(process.env.PATIENCE ?? 1)): Promise<void> {
      const { length } = times
      for (const end = performance.now() + ms; times.length < length + callers + 1; await pause(5)) {
        if (performance.now() > end) throw new Error(`no task was acknowledged within ${ms} ms`)
      }
    },
    /** The longest time without an acknowledgement from this moment until now, in milliseconds. */
    outageSince(began: number): number {
      const now = performance.now()
      const before = times.findLastIndex(time => time < began)
      const marks = [times[before] ?? began, ...times.slice(before + 1), now]
      return Math.max(...marks.slice(1).map((time, n) => time - (marks[n] as number)))
    },
    /** Asks for no more tasks. Resolves when each task that was asked for was acknowledged, or after `stopMs`. */
    async stop(): Promise<void> {
      isOver = true
      const late = setTimeout(() => {
        isGivenUp = true
        problems.push(`tasks were not acknowledged within ${stopMs} ms after the end`)
      }, stopMs)
      await calls
      clearTimeout(late)
    },
  }
}
export type Load = ReturnType<typeof startLoad>
