// A server whose model is a script, and what tests ask of it.
import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { readJson } from '../../src/contract/json/exact-json.ts'
import { tasksOf } from '../http/agent-tasks.ts'
import { type Answer, fakeModel } from '../support/fake-model.ts'
import { type Api, serveHere } from '../support/server.ts'

/** An entry of a model's step, as GET /tasks/{id}/rollouts gives it. */
export type Entry = {
  step: number
  is_compress: boolean
  request: Record<string, unknown>
  request_digest: string
  messages_field?: string
  input_messages: { role: string; content: unknown }[]
  output_messages: Record<string, unknown>[]
  tools: { function: { name: string } }[]
  [field: string]: unknown
}

/** What was sent, to the byte, if an entry tells the truth: with its tools when there were any. */
export const bytesOf = ({
  request,
  messages_field: field = 'messages',
  input_messages,
  tools,
}: Entry): string =>
  JSON.stringify({ ...request, [field]: input_messages, ...(tools.length === 0 ? {} : { tools }) })
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The rollout of a task, with the digits of its numbers. */
export const entriesOf = async (api: Api, id: string): Promise<Entry[]> => {
  const text = await (await api('GET', `/tasks/${id}/rollouts`)).text()
  return (readJson(text) as { result: Entry[] }).result
}

export const modelTasks = async (
  t: Test,
  answers: Answer[] | undefined,
  env: Record<string, string> = {},
) => {
  const fake = await fakeModel(t, answers)
  const server = await serveHere(t, { ...fake.env, ...env })
  const tasks = tasksOf(server.api)
  const entries = (id: string) => entriesOf(server.api, id)
  /** A create that blocks, by the default agent: the model. */
  const ask = async (more: object = {}) => {
    const { status, body, text } = await tasks.post(more)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return body.result as Awaited<ReturnType<typeof tasks.get>>
  }
  return { ...fake, server, ...tasks, entries, ask }
}
