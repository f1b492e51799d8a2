// A model's endpoint that answers with recorded bytes, whole or cut anywhere, and what the agent hears of them.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Test } from 'tap'
import {
  createConfiguredEndpoint,
  type EndpointSettings,
} from '../../../src/agents/model/configured-endpoint.ts'
import type { Limits } from '../../../src/agents/model/limits.ts'
import { model } from '../../../src/agents/model/model.ts'
import type { Agent, StepEnd, StepPart } from '../../../src/contract/agent.ts'
import type { Timers } from '../../../src/contract/ports.ts'
import type { CreateTaskBody } from '../../../src/contract/wire.ts'
import { realWorld } from '../../../src/platform/world.ts'
import { tasksOf } from '../../http/agent-tasks.ts'
import { serveHere } from '../../support/server.ts'
import { entriesOf } from '../model-tasks.ts'

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
/** `body`: its pieces, each sent by itself, no faster than they are read. */
export type Played = { body: Pieces; status?: number; headers?: Record<string, string> }
export type SentMessage = {
  role: string
  content: unknown
  tool_calls?: { id: string; function: { name: string } }[]
  tool_call_id?: string
}
type Replayed = { raw: string; body: Record<string, unknown>; messages: SentMessage[]; closed: Promise<void> }

export const recorded = (name: string): Buffer => readFileSync(path.join(import.meta.dirname, `${name}.txt`))
/** Events, each with one line of data: an object as JSON, a text as it is. */
export const sse = (...chunks: (object | string)[]): string =>
  chunks.map(chunk => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
const stream = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

/** `answer` plays the answer to what was said last, or to the nth request (from 0). */
export const replay = async (t: Test, answer: (newest: SentMessage, nth: number) => Played) => {
  const asked: Replayed[] = []
  const server = createServer((request, response) => {
    const closed = new Promise<void>(resolve => response.once('close', resolve))
    const pieces: Buffer[] = []
    request.on('data', piece => pieces.push(piece))
    request.once('end', () => {
      const raw = Buffer.concat(pieces).toString()
      const body = JSON.parse(raw) as Record<string, unknown>
      const messages = (body.messages ?? body.input) as SentMessage[]
      asked.push({ raw, body, messages, closed })
      const {
        body: played,
        status = 200,
        headers = stream,
      } = answer(messages.at(-1) as SentMessage, asked.length - 1)
      response.writeHead(status, headers)
      pipeline(Readable.from(played), response).catch(() => {}) // whoever has heard enough leaves
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return { asked, baseUrl, env: { MODEL_BASE_URL: baseUrl, MODEL: 'any', MODEL_API_KEY: 'sk-secret' } }
}

/** A server whose model it is. */
export const replayTasks = async (
  t: Test,
  answer: (newest: SentMessage, nth: number) => Played,
  env: Record<string, string> = {},
) => {
  const played = await replay(t, answer)
  const server = await serveHere(t, { ...played.env, ...env })
  const tasks = tasksOf(server.api)
  const ask = async (more: object = {}) => {
    const { status, body, text } = await tasks.post(more)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return body.result as Awaited<ReturnType<typeof tasks.get>>
  }
  const entries = (id: string) => entriesOf(server.api, id)
  return { ...played, ...tasks, server, ask, entries }
}

const limits: Limits = { steps: 0, tokens: 0, seconds: 0 }

/** `attempt`: from 0. `request`: further fields of it. */
type StepOptions = { attempt?: number; request?: Partial<CreateTaskBody> }

/** One step of an agent alone: all that it says, and its end. */
export const stepOf = async (
  agent: Agent,
  { attempt = 0, request = {} }: StepOptions = {},
): Promise<{ said: StepPart[]; end: StepEnd }> => {
  const content = 'hello'
  const step = agent.step({
    agentStep: 1,
    attempt,
    request: { user_message_content: content, stream: true, ...request },
    corrected: false,
    summed: false,
    asked: content,
    history: async () => [{ type: 'message', id: 'msg_1', role: 'user', message_content: content }],
    given: async () => [],
    used: { tokens: 0, context: 0, startedAt: Date.now() },
    env: {},
    tools: async () => [],
    workdir: '/nowhere',
    signal: () => new AbortController().signal,
  })
  const said: StepPart[] = []
  for (;;) {
    const next = await step.next()
    if (next.done) return { said, end: next.value }
    said.push(next.value)
  }
}

/** Timers of an agent that does not wait between its attempts. */
const eager = {
  ...realWorld().timers,
  after: (_: number, job: () => void) => realWorld().timers.after(0, job),
}

type EndpointOptions = { switches?: EndpointSettings['switches']; timers?: Timers }

/** One step of the agent `model` with the endpoint at this address. */
export const stepAt = (
  baseUrl: string,
  silenceMs = 5000,
  { switches = {}, timers = realWorld().timers, ...step }: EndpointOptions & StepOptions = {},
) => {
  const settings = { baseUrl, apiKey: undefined, model: 'any', silenceMs, switches }
  return stepOf(
    model(createConfiguredEndpoint(settings, timers), limits, { ...realWorld(), timers: eager }),
    step,
  )
}

/** What was said: the text of each kind, and of each call, in the order in which they began. */
export const joined = (said: StepPart[]): [kind: string, text: string][] => {
  const texts = new Map<string, string>()
  for (const part of said) {
    if (part.say === 'delta') texts.set(part.part, `${texts.get(part.part) ?? ''}${part.text}`)
    if (part.say === 'call-delta') {
      const kind = `call ${part.call} ${part.name}`
      texts.set(kind, `${texts.get(kind) ?? ''}${part.text}`)
    }
  }
  return [...texts]
}
