// A server whose model is the strict imitation of a vendor's endpoint, and what must hold for all that was sent there.
import type { Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { bytesOf, digestOf, type Entry, entriesOf } from '../../agents/model-tasks.ts'
import { tasksOf } from '../../http/agent-tasks.ts'
import { serveHere } from '../../support/server.ts'
import { key } from '../imitations/imitation.ts'
import { serveImitation } from '../imitations/serve.ts'

/** The vendor and the path of each protocol. */
const vendors = {
  messages: { name: 'anthropic', path: '/messages' },
  responses: { name: 'openai', path: '/responses' },
} as const

export const png = 'data:image/png;base64,iVBORw0KGgo='
export const pdf = 'data:application/pdf;base64,JVBERi0xLjQ='
export const sum = (expression: string) => ({ name: 'calculator', arguments: { expression } })

export const vendorTasks = async (
  t: Test,
  protocol: keyof typeof vendors,
  script: Answer[],
  env: Record<string, string> = {},
) => {
  const { name, path } = vendors[protocol]
  const endpoint = await serveImitation(t, name, script)
  const { requests, refusals } = endpoint
  const server = await serveHere(t, {
    MODEL_BASE_URL: `${endpoint.url}${path}`,
    MODEL: endpoint.model,
    MODEL_API_KEY: key,
    ...env,
  })
  const tasks = tasksOf(server.api)
  const entries = (id: string) => entriesOf(server.api, id)
  /** A create that blocks, by the default agent: the model. */
  const ask = async (more: object = {}) => {
    const { status, body, text } = await tasks.post(more)
    if (status !== 200) throw new Error(`${status} ${text}`)
    return body.result as Awaited<ReturnType<typeof tasks.get>>
  }
  /** The vendor refused nothing, and the rollouts of these tasks are what it received, to the byte. */
  const isRight = async (t: Test, ...ids: string[]) => {
    t.same(refusals, [])
    const told: Entry[] = []
    for (const id of ids) told.push(...(await entries(id)))
    t.same(
      told.map(bytesOf),
      requests.map(({ raw }) => raw),
    )
    t.same(
      told.map(entry => entry.request_digest),
      requests.map(({ raw }) => digestOf(raw)),
    )
    return told
  }
  return { ...tasks, server, endpoint, requests, refusals, entries, ask, isRight }
}

/** The nth body that was sent. */
export const bodyAt = ({ requests }: { requests: { body: Fields }[] }, n: number): Fields =>
  requests.at(n)?.body ?? {}
/** The nth message of a body, from 0; -1 is the last one. */
export const messageAt = (body: Fields, n: number, field = 'messages'): Fields =>
  fieldsOf(listOf(body[field]).at(n))
