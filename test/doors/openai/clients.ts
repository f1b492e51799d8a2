// OpenAI's own client, pointed at a server of the tests, and agents without a model for it to ask.
import OpenAI from 'openai'
import type { Test } from 'tap'
import { fakeModel } from '../../support/fake-model.ts'
import { type Api, adminToken } from '../../support/server.ts'

export const clientOf = (url: string, options: object = {}): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: adminToken, maxRetries: 0, ...options })

/** A function tool in the form of Responses. */
export const ask = {
  type: 'function' as const,
  name: 'ask',
  description: 'Asks the user.',
  strict: false,
  parameters: { type: 'object', properties: { question: { type: 'string' } } },
}

/** The task behind an answer, as the API of tasks shows it. */
export const taskOf = async (api: Api, id: string | null) => {
  const answer = await api('GET', `/tasks/${id}`)
  return ((await answer.json()) as { result: Record<string, unknown> & { status: string } }).result
}

/** Everything that an iterable gives. */
export const all = async <T>(given: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const each of given) list.push(each)
  return list
}

/** A fake model whose answers a test sets before it asks. */
export const scriptedModel = async (t: Test) => {
  const model = await fakeModel(t, [])
  const script = async (answers: object[]): Promise<void> => {
    await fetch(`${model.url}/script`, { method: 'POST', body: JSON.stringify(answers) })
  }
  return { ...model, script, texts: (...given: string[]) => script(given.map(text => ({ text }))) }
}
