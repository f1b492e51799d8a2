// Asking a fake model as its clients do.
import { createParser } from 'eventsource-parser'
import type { Test } from 'tap'
import type { Answer } from '../../src/fake-model/answer.ts'
import { startFakeModel } from '../../src/fake-model/server.ts'

type Choice = {
  delta: Record<string, unknown>
  message: Record<string, unknown>
  finish_reason: string | null
  logprobs: {
    content: { token: string; logprob: number; bytes: number[] }[]
    refusal: object[] | null
  } | null
  token_ids?: number[]
}
export type Completion = {
  choices: Choice[]
  usage?: object | null
  prompt_token_ids?: number[]
  [key: string]: unknown
}

/** Every event's data of a stream that has ended. */
export const dataOf = (text: string): string[] => {
  const told: string[] = []
  createParser({ onEvent: ({ data }) => told.push(data) }).feed(text)
  return told
}

export const given = async (t: Test, answers?: Answer[]) => {
  const model = await startFakeModel(answers === undefined ? {} : { answers })
  t.teardown(() => model.close())
  const post = (where: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${model.url}${where}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  /** `said`: what the newest message says, or the messages; `more`: other fields of the request. */
  const ask = (said: string | object[] = 'hello', more: object = {}) =>
    post('/v1/chat/completions', {
      messages: typeof said === 'string' ? [{ role: 'user', content: said }] : said,
      ...more,
    })
  return {
    ...model,
    post,
    ask,
    whole: async (...args: Parameters<typeof ask>) => (await (await ask(...args)).json()) as Completion,
    /** The chunks of a stream, without its [DONE]. */
    chunks: async (said?: string | object[], more: object = {}): Promise<Completion[]> => {
      const text = await (await ask(said, { stream: true, ...more })).text()
      return dataOf(text).flatMap(data => (data === '[DONE]' ? [] : [JSON.parse(data) as Completion]))
    },
  }
}

export const joined = (chunks: Completion[], field: string): string =>
  chunks.map(({ choices }) => choices[0]?.delta[field] ?? '').join('')
export const contentOf = (completion: Completion) => completion.choices[0]?.message.content
