// The conversation of a call of a model that an agent's code has made: the messages of the code, and what comes before
// them when the call continues an earlier one.
import type { GivenTurn } from '../../contract/agent.ts'
import type { ModelAsk, ModelMessage } from '../../contract/code-agent.ts'
import { plainText } from '../../contract/plain-text.ts'
import type { CreateTaskBody, MessageContent, OutputItem } from '../../contract/wire.ts'
import type { Entry, Journal, ModelValue } from './journal.ts'
import type { ModelCalls } from './model-calls.ts'
import { itemOf, type Output } from './output.ts'

export type Conversation = { items: OutputItem[]; turns: GivenTurn[] }

/** What a model entry asks for. */
export const askOf = ({ ask }: Pick<Entry, 'ask'>): ModelAsk => (ask ?? { messages: [] }) as ModelAsk

const itemOfMessage = (message: ModelMessage): OutputItem =>
  'role' in message && 'content' in message && !('type' in message)
    ? { type: 'message', role: message.role, message_content: message.content }
    : (message as OutputItem)

/** The items of an answer that the output does not show. */
const silentItems = ({ text, calls }: ModelValue): OutputItem[] => [
  ...(text === '' ? [] : [{ type: 'message' as const, role: 'assistant' as const, message_content: text }]),
  ...calls.map(call => ({ type: 'tool_call' as const, ...call })),
]

/** What a call of a model has said. `content`: the answer of a silent call, else empty. */
export const saidInCall = (view: Output, { items }: Entry, content: MessageContent): OutputItem[] =>
  content === ''
    ? items.map(id => itemOf(view, id))
    : silentItems(JSON.parse(plainText(content)) as ModelValue)

const answerOf = (view: Journal, n: number): ModelValue | undefined => {
  const result = view.results.find(one => one.n === n)
  return result !== undefined && 'value' in result ? (result.value as ModelValue) : undefined
}

/** What the endpoint gave with an answer besides its items. */
const turnOf = ({ model, items }: Entry, said: OutputItem[]): GivenTurn[] => {
  const { request, response } = model ?? {}
  const { call_ids: callIds, kept } = response ?? {}
  if (request === undefined || (callIds === undefined && kept === undefined)) return []
  const of = (type: string) =>
    said.flatMap(item => (item.type === type && item.id !== undefined ? [item.id] : []))
  const { endpoint, model: name, protocol } = request
  return [
    {
      endpoint,
      model: name,
      protocol,
      items,
      thoughts: of('reasoning'),
      calls: of('tool_call'),
      callIds,
      kept,
    },
  ]
}

type Seen = Journal & Output & Pick<ModelCalls, 'cutItems'>

/**
 * The answer of an earlier call of a model, and the results of the calls that it asked for, as far as they were there
 * when there were `seen` results.
 */
const answered = (view: Seen, n: number, seen: number): Conversation => {
  const entry = view.entries[n - 1]
  const value = answerOf(view, n)
  if (entry === undefined || value === undefined) return { items: [], turns: [] }
  const items = entry.items.length > 0 ? entry.items.map(id => itemOf(view, id)) : silentItems(value)
  const asked = new Set(value.calls.map(({ call_id }) => call_id))
  const there = new Set(view.results.slice(0, seen).map(result => view.entries[result.n - 1]?.call_id))
  const results = view.output.filter(
    item =>
      item.type === 'tool_result' &&
      asked.has(item.call_id) &&
      there.has(item.call_id) &&
      !view.cutItems.has(item.id ?? ''),
  )
  return { items: [...items, ...results], turns: turnOf(entry, items) }
}

/** All that the model gets with entry `n`. An entry can only continue an earlier one. */
export const conversationOf = (view: Seen, n: number): Conversation => {
  const entry = view.entries[n - 1]
  const { messages, continues } = askOf(entry ?? {})
  const own = messages.map(itemOfMessage)
  if (continues === undefined || continues >= n) return { items: own, turns: [] }
  const before = conversationOf(view, continues)
  const answer = answered(view, continues, entry?.seen ?? 0)
  return {
    items: [...before.items, ...answer.items, ...own],
    turns: [...before.turns, ...answer.turns],
  }
}

/** The request from which the body of the call is made: of the task's request, only the settings of the model count. */
export const requestOf = (request: CreateTaskBody, { schema, model }: ModelAsk): CreateTaskBody => {
  const { model: configured, max_response_length, inference_args } = request.agent_config ?? {}
  const config = { model: model ?? configured, max_response_length, inference_args }
  return {
    user_message_content: '',
    stream: false,
    ...(request.inference_args === undefined ? {} : { inference_args: request.inference_args }),
    agent_config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)),
    ...(schema === undefined ? {} : { structured_output: schema }),
  } as CreateTaskBody
}
