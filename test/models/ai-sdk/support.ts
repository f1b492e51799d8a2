// An endpoint that answers with parts of the AI SDK, and steps of the agent that asks it through a provider.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Test } from 'tap'
import { model } from '../../../src/agents/model/model.ts'
import { openEndpoint } from '../../../src/agents/model/open-endpoint.ts'
import { modelOf } from '../../../src/agents/model/settings.ts'
import type { GivenTurn, StepEnd, StepPart } from '../../../src/contract/agent.ts'
import type { CreateTaskBody, OutputItem, ToolDefinition } from '../../../src/contract/wire.ts'
import { readBody } from '../../../src/fake-model/server.ts'
import { realWorld } from '../../../src/platform/world.ts'

export const providerFile = path.join(import.meta.dirname, 'parts-provider.ts')
export const key = 'sk-parts-secret'

type Fields = Record<string, unknown>
type Pieces = Iterable<string> | AsyncIterable<string>
export type Played = { body: Pieces; status?: number; headers?: Record<string, string> }
type Asked = {
  raw: string
  body: Fields & { prompt: { role: string; content: unknown }[] }
  closed: Promise<void>
}

/** Parts, each as a line. */
export const parts = (...each: Fields[]): string => each.map(part => `${JSON.stringify(part)}\n`).join('')
export const usage = {
  inputTokens: { total: 9, noCache: 4, cacheRead: 5, cacheWrite: 0 },
  outputTokens: { total: 3, text: 2, reasoning: 1 },
}
export const finish = (unified: string, raw?: string): string =>
  parts({ type: 'finish', usage, finishReason: { unified, ...(raw === undefined ? {} : { raw }) } })
export const text = (said: string, id = '0'): string =>
  parts({ type: 'text-start', id }, { type: 'text-delta', id, delta: said }, { type: 'text-end', id })

export const serveParts = async (t: Test, answer: (nth: number) => Played) => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const closed = new Promise<void>(resolve => response.once('close', resolve))
    const raw = await readBody(request)
    asked.push({ raw, body: JSON.parse(raw) as Asked['body'], closed })
    const { body, status = 200, headers = {} } = answer(asked.length - 1)
    response.writeHead(status, { 'content-type': 'text/plain', ...headers })
    pipeline(Readable.from(body), response).catch(() => {}) // whoever has heard enough leaves
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/parts`
  const env = { MODEL_PROVIDER: providerFile, MODEL: 'any', MODEL_API_KEY: key, MODEL_BASE_URL: url }
  return { asked, url, env }
}

/** The endpoint that these variables configure. `lines`: what was reported to the operator. */
export const opened = async (env: Record<string, string>, silenceMs?: number) => {
  const world = realWorld()
  const lines: { message: string; fields: unknown }[] = []
  const report = (_: string, message: string, fields?: unknown) => void lines.push({ message, fields })
  const settings = modelOf(env)
  if (settings === undefined) throw new Error('no model is configured')
  const endpoint = await openEndpoint(silenceMs === undefined ? settings : { ...settings, silenceMs }, {
    timers: world.timers,
    report,
  })
  return { endpoint, world, lines }
}

type Seen = {
  request?: Partial<CreateTaskBody>
  items?: OutputItem[]
  turns?: GivenTurn[]
  tools?: ToolDefinition[]
  signal?: AbortSignal
}

/** One step of the agent: all that it says, and its end. */
export const stepOf = async (
  { endpoint, world }: Pick<Awaited<ReturnType<typeof opened>>, 'endpoint' | 'world'>,
  { request = {}, items, turns = [], tools = [], signal = new AbortController().signal }: Seen = {},
): Promise<{ said: StepPart[]; end: StepEnd }> => {
  const agent = model(endpoint, { steps: 0, tokens: 0, seconds: 0 }, world)
  const hello: OutputItem = { type: 'message', id: 'msg_1', role: 'user', message_content: 'hello' }
  const step = agent.step({
    agentStep: 1,
    attempt: 0,
    request: { user_message_content: 'hello', stream: true, ...request },
    corrected: false,
    summed: false,
    asked: 'hello',
    history: async () => items ?? [hello],
    given: async () => turns,
    used: { tokens: 0, context: 0, startedAt: Date.now() },
    env: {},
    tools: async () => tools,
    workdir: '/nowhere',
    signal: () => signal,
  })
  const said: StepPart[] = []
  for (;;) {
    const next = await step.next()
    if (next.done) return { said, end: next.value }
    said.push(next.value)
  }
}
