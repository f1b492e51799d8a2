// What a task asks its client, as elicitations, and the answers as results of the calls.
import type { AnswerCallsBody, MessageContent, PendingCallItem, Task } from '../../contract/wire.ts'
import { isRecord } from './exchange.ts'

export type Questions = ReadonlyMap<string, PendingCallItem>

/**
 * The keys of the calls for which a task waits: the name of the question. A task may ask by one name several times: the
 * second question has the key `name-2`, or the next one that no earlier call has. So a key never means another question of
 * the task.
 */
export const questionsOf = ({ output }: Task, calls: PendingCallItem[]): Questions => {
  const keys = new Map<string, string>()
  const times = new Map<string, number>()
  const taken = new Set<string>()
  const nextKey = (name: string): string => {
    for (let n = (times.get(name) ?? 0) + 1; ; n++) {
      const key = n === 1 ? name : `${name}-${n}`
      if (taken.has(key)) continue
      times.set(name, n)
      taken.add(key)
      return key
    }
  }
  for (const item of output) if (item.type === 'tool_call') keys.set(item.call_id, nextKey(item.name))
  // The calls of another task, which this one waits for, are not in its output.
  const keyOf = ({ call_id, name }: PendingCallItem): string => keys.get(call_id) ?? `${name}-${call_id}`
  return new Map(calls.map(call => [keyOf(call), call]))
}

type Form = {
  schema: { type: 'object'; properties: Record<string, unknown>; required?: string[] }
  /** The field that has the whole answer; undefined: the fields together are the answer. */
  field?: 'answer'
  /** The answer is text, not JSON. */
  isText?: true
}

const simple = ['string', 'number', 'integer', 'boolean']
const isSimple = (schema: unknown): boolean => isRecord(schema) && simple.includes(String(schema.type))

/** Forms have simple fields. Any other answer is one field of text. */
const formOf = (schema: unknown): Form => {
  if (!isRecord(schema)) return { ...formWith({ type: 'string', title: 'Answer' }), isText: true }
  const { type, properties, required } = schema
  if (isSimple(schema)) return formWith(schema)
  if (type !== 'object' || !isRecord(properties) || !Object.values(properties).every(isSimple))
    return {
      ...formWith({ type: 'string', title: 'Answer', description: `JSON: ${JSON.stringify(schema)}` }),
      isText: true,
    }
  const names = Array.isArray(required) ? required.filter(name => Object.hasOwn(properties, name)) : []
  return { schema: { type, properties, ...(names.length === 0 ? {} : { required: names }) } }
}
const formWith = (answer: Record<string, unknown>): Form => ({
  schema: { type: 'object', properties: { answer }, required: ['answer'] },
  field: 'answer',
})

const formOfCall = ({ metadata }: PendingCallItem): Form =>
  formOf((metadata as { schema?: unknown } | undefined)?.schema)

/** What a person reads, without the name of who asks. */
const wordsOf = ({ name, arguments: text }: PendingCallItem): string => {
  const given = JSON.parse(text) as unknown
  const said = isRecord(given) ? (given.message ?? given.question ?? given.prompt) : undefined
  if (typeof said === 'string') return said
  return text === '{}' ? name : `${name}: ${text}`
}

/** What a person reads. A host shows the name of its own server, so the words name another server that asks. */
const messageOf = (call: PendingCallItem): string => {
  const asker = call.metadata?.asked_by
  return asker === undefined ? wordsOf(call) : `${asker} asks: ${wordsOf(call)}`
}

export const elicitationFor = (call: PendingCallItem) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: messageOf(call), requestedSchema: formOfCall(call).schema },
})

/** The result of a call. */
export type CallResult = AnswerCallsBody['tool_results'][number]

type Given = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, unknown> }
/** An accepted form may come without its content. */
const isGiven = (value: unknown): value is Given =>
  isRecord(value) &&
  ['accept', 'decline', 'cancel'].includes(String(value.action)) &&
  (value.action === 'accept' ? isRecord(value.content ?? {}) : true)

const textOf = (call: PendingCallItem, content: Record<string, unknown>): MessageContent => {
  const { field, isText } = formOfCall(call)
  const value = field !== undefined && Object.hasOwn(content, field) ? content[field] : content
  return isText && typeof value === 'string' ? value : JSON.stringify(value)
}

const withoutAnswer = {
  decline: 'The user does not answer this.',
  cancel: 'The user has closed the question.',
}

/** The result of a call; undefined: this is no answer. */
export const resultFor = (call: PendingCallItem, given: unknown): CallResult | undefined => {
  if (!isGiven(given)) return undefined
  const result = { call_id: call.call_id, block_list: [] }
  if (given.action === 'accept') return { ...result, message_content: textOf(call, given.content ?? {}) }
  return { ...result, status: 'incomplete', message_content: withoutAnswer[given.action] }
}
