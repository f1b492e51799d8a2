// Asking a fake model as its clients do.
import { createParser } from 'eventsource-parser'
import type { Test } from 'tap'
import type { Answer } from '../../src/fake-model/answer.ts'
import { type ProtocolName, protocolNames } from '../../src/fake-model/protocols/protocol.ts'
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

/** A plain request of each protocol, and where it goes. */
export const paths: Record<ProtocolName, string> = {
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
}
export const requests: Record<ProtocolName, object> = {
  chat: {
    model: 'm',
    messages: [{ role: 'user', content: 'hello' }],
    stream_options: { include_usage: true },
  },
  messages: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] },
  responses: { model: 'm', input: 'hello', include: ['reasoning.encrypted_content'] },
}
export const names = protocolNames

type Fields = Record<string, unknown>
export type Told = { event: string | undefined; data: string }
/** The events of a stream that has ended, with their names. */
export const eventsOf = (text: string): Told[] => {
  const told: Told[] = []
  createParser({ onEvent: ({ event, data }) => told.push({ event, data }) }).feed(text)
  return told
}
/** The JSON of the events of a stream, without [DONE]. */
export const jsonOf = (text: string): Fields[] =>
  eventsOf(text).flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data) as Fields]))

/**
 * What an answer says, whatever its protocol. `end`: why it ended, as the protocol says it; `closed`: whether the stream
 * had its last event.
 */
export type Whole = {
  reasoning: string
  seals: string[]
  text: string
  refusal: string
  calls: { id: string; name: string; arguments: string }[]
  end: unknown
  closed: boolean
  usage: Fields | undefined
}
const nothing = (): Whole => ({
  reasoning: '',
  seals: [],
  text: '',
  refusal: '',
  calls: [],
  end: null,
  closed: false,
  usage: undefined,
})

// biome-ignore lint/suspicious/noExplicitAny: answers of three protocols are read here by hand
type Any = any
const foldCompletions = (text: string): Whole => {
  const whole = nothing()
  for (const { data } of eventsOf(text)) {
    if (data === '[DONE]') whole.closed = true
    if (data === '[DONE]') continue
    const { choices, usage } = JSON.parse(data) as Any
    if (usage) whole.usage = usage
    for (const { delta, finish_reason } of choices) {
      whole.reasoning += delta.reasoning_content ?? ''
      whole.text += delta.content ?? ''
      whole.refusal += delta.refusal ?? ''
      whole.end ??= finish_reason
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        whole.calls[index] ??= { id, name: called.name, arguments: '' }
        ;(whole.calls[index] as Whole['calls'][0]).arguments += called.arguments
      }
    }
  }
  return whole
}
const foldMessages = (text: string): Whole => {
  const whole = nothing()
  for (const { event, data } of eventsOf(text)) {
    const { type, content_block: block, delta, usage, message } = JSON.parse(data) as Any
    if (type !== event) throw new Error(`the event ${event} has the type ${type}`)
    if (message?.usage) whole.usage = message.usage
    if (usage) whole.usage = { ...whole.usage, ...usage }
    if (block?.type === 'tool_use') whole.calls.push({ id: block.id, name: block.name, arguments: '' })
    if (block?.type === 'redacted_thinking') whole.seals.push(block.data)
    whole.reasoning += delta?.thinking ?? ''
    whole.text += delta?.text ?? ''
    if (delta?.signature) whole.seals.push(delta.signature)
    if (delta?.partial_json) (whole.calls.at(-1) as Whole['calls'][0]).arguments += delta.partial_json
    whole.end ??= delta?.stop_reason ?? null
    whole.closed ||= type === 'message_stop'
  }
  return whole
}
const foldResponses = (text: string): Whole => {
  const whole = nothing()
  for (const [n, { event, data }] of eventsOf(text).entries()) {
    const { type, delta, item, response, sequence_number } = JSON.parse(data) as Any
    if (type !== event || sequence_number !== n) throw new Error(`event ${n} is ${data}`)
    if (type === 'response.reasoning_summary_text.delta') whole.reasoning += delta
    if (type === 'response.output_text.delta') whole.text += delta
    if (type === 'response.refusal.delta') whole.refusal += delta
    if (type === 'response.output_item.done' && item.encrypted_content)
      whole.seals.push(item.encrypted_content)
    if (type === 'response.output_item.added' && item.type === 'function_call') {
      whole.calls.push({ id: item.call_id, name: item.name, arguments: '' })
    }
    if (type === 'response.function_call_arguments.delta') {
      ;(whole.calls.at(-1) as Whole['calls'][0]).arguments += delta
    }
    if (!/^response\.(completed|incomplete|failed)$/.test(type)) continue
    Object.assign(whole, { end: response.status, closed: true, usage: response.usage })
  }
  return whole
}
/** Reads a stream of each protocol to its end, by hand: with no code of ours that reads streams. */
export const fold: Record<ProtocolName, (text: string) => Whole> = {
  chat: foldCompletions,
  messages: foldMessages,
  responses: foldResponses,
}

/** Reads an answer that is not streamed. */
export const unfold: Record<ProtocolName, (body: Any) => Partial<Whole>> = {
  chat: ({ choices: [{ message, finish_reason }], usage }) => ({
    reasoning: message.reasoning_content ?? '',
    text: message.content ?? '',
    refusal: message.refusal ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: called }: Any) => ({ id, ...called })),
    end: finish_reason,
    usage,
  }),
  messages: ({ content, stop_reason, usage }) => {
    const of = (type: string) => content.filter((block: Any) => block.type === type)
    return {
      reasoning: of('thinking')
        .map(({ thinking }: Any) => thinking)
        .join(''),
      seals: [
        ...of('thinking').map(({ signature }: Any) => signature),
        ...of('redacted_thinking').map(({ data }: Any) => data),
      ],
      text: of('text')
        .map(({ text }: Any) => text)
        .join(''),
      calls: of('tool_use').map(({ id, name, input }: Any) => ({
        id,
        name,
        arguments: JSON.stringify(input),
      })),
      end: stop_reason,
      usage,
    }
  },
  responses: ({ output, status, usage }) => {
    const of = (type: string) => output.filter((item: Any) => item.type === type)
    const texts = (field: string) =>
      of('message').flatMap(({ content }: Any) => content.map((part: Any) => part[field] ?? ''))
    return {
      reasoning: of('reasoning')
        .flatMap(({ summary }: Any) => summary.map(({ text }: Any) => text))
        .join(''),
      seals: of('reasoning').flatMap(({ encrypted_content }: Any) => encrypted_content ?? []),
      text: texts('text').join(''),
      refusal: texts('refusal').join(''),
      calls: of('function_call').map(({ call_id: id, name, arguments: args }: Any) => ({
        id,
        name,
        arguments: args,
      })),
      end: status,
      usage,
    }
  },
}
