// A conversation with a model outside of any task: it is asked as the agent asks, and what it gave with its answer goes
// back with the next question.
import type { ModelEndpoint } from '../../agents/model/endpoint.ts'
import { ModelLost } from '../../agents/model/failures.ts'
import { ask, type Listened } from '../../agents/model/listen.ts'
import type { ModelCall } from '../../contract/agent.ts'
import type {
  CreateTaskBody,
  MessageContent,
  OutputItem,
  ToolDefinition,
  Usage,
} from '../../contract/wire.ts'
import { type Given, stepBody } from '../../model-requests/request.ts'

export type Conversation = Given

/** `pieces`: in how many pieces the text came. `after`: the conversation with this answer. */
export type Answered = {
  text: string
  thought: string
  pieces: number
  calls: { id: string; name: string; arguments: string }[]
  usage: Usage | undefined
  response: ModelCall['response']
  after: Conversation
}

/** The longest answer in tokens. Models that think need room for it. */
const longestAnswer = 4000
/** A question whose answer breaks off is asked this often. */
const attempts = 2

export const conversation = (
  items: OutputItem[],
  { tools = [], request = {} }: { tools?: ToolDefinition[]; request?: Partial<CreateTaskBody> } = {},
): Conversation => {
  const config = { developer_prompt: 'You answer in few words.', max_response_length: longestAnswer }
  const asked = { user_message_content: '', stream: true, agent_config: config, ...request }
  return { request: asked, items, turns: [], tools }
}

export const userSays = (content: MessageContent): OutputItem => ({
  type: 'message',
  id: 'msg_user',
  role: 'user',
  message_content: content,
})

export const resultOf = (callId: string, content: MessageContent): OutputItem => ({
  type: 'tool_result',
  id: `result_${callId}`,
  status: 'completed',
  call_id: callId,
  message_content: content,
  block_list: [],
})

/** The items of an answer, in the order in which they began. */
const createItems = (nth: number) => {
  const items: OutputItem[] = []
  const keys = new Map<string, number>()
  const id = () => `item_${nth}_${items.length}`
  const call = (name: string) => {
    const callId = `check_${nth}_${items.length}`
    return { type: 'tool_call', id: id(), status: 'completed', call_id: callId, name, arguments: '' } as const
  }
  const open = (kind: string): OutputItem =>
    kind === 'reasoning'
      ? { type: 'reasoning', id: id(), status: 'completed', summary: [], content: [] }
      : { type: 'message', id: id(), status: 'completed', role: 'assistant', message_content: '' }

  return {
    call(key: string, name: string): void {
      if (keys.has(key)) return
      keys.set(key, items.length)
      items.push(call(name))
    },
    text(kind: string, text: string, opens: boolean): void {
      const type = kind === 'reasoning' ? 'reasoning' : 'message'
      if (opens || items.at(-1)?.type !== type) items.push(open(kind))
      const last = items.at(-1)
      if (last?.type === 'message') last.message_content += text
      if (last?.type === 'reasoning') {
        const before = last.content?.[0]?.text ?? ''
        last.content = [{ type: 'reasoning_text', text: before + text }]
      }
    },
    /** All items. Calls without pieces come last. */
    all({ calls }: Listened): OutputItem[] {
      while (keys.size < calls.length) this.call(`${keys.size} whole`, calls[keys.size]?.name ?? '')
      let nth = 0
      return items.map(item =>
        item.type === 'tool_call' ? { ...item, arguments: calls[nth++]?.arguments || '{}' } : item,
      )
    },
  }
}

const answered = (said: Conversation, listened: Listened, items: OutputItem[], pieces: number): Answered => {
  const { request, response } = listened.call
  const idsOf = (type: string) => items.flatMap(each => (each.type === type ? [each.id ?? ''] : []))
  const turn = {
    endpoint: request.endpoint,
    model: request.model,
    protocol: request.protocol,
    items: items.map(({ id = '' }) => id),
    thoughts: idsOf('reasoning'),
    calls: idsOf('tool_call'),
    callIds: response.call_ids,
    kept: response.kept,
  }
  return {
    text: items.map(each => (each.type === 'message' ? each.message_content : '')).join(''),
    thought: items.map(each => (each.type === 'reasoning' ? (each.content?.[0]?.text ?? '') : '')).join(''),
    pieces,
    calls: items.flatMap(each =>
      each.type === 'tool_call' ? [{ id: each.call_id, name: each.name, arguments: each.arguments }] : [],
    ),
    usage: listened.usage,
    response,
    after: { ...said, items: [...said.items, ...items], turns: [...said.turns, turn] },
  }
}

const askOnce = async (endpoint: ModelEndpoint, model: string, said: Conversation): Promise<Answered> => {
  const signal = new AbortController().signal
  const heard = ask(endpoint, { model }, asked => stepBody(asked, said), signal)
  const items = createItems(said.items.length)
  let pieces = 0
  for (;;) {
    const next = await heard.next()
    if (next.done) return answered(said, next.value, items.all(next.value), pieces)
    const piece = next.value
    if (piece.kind === 'call') items.call(piece.call, piece.name)
    else items.text(piece.kind, piece.text, piece.opens === true)
    if (piece.kind === 'text') pieces++
  }
}

/** Asks the model. An answer that breaks off is asked for once more. Throws ModelRefused or ModelLost. */
export const converse = async (
  endpoint: ModelEndpoint,
  said: Conversation,
  model = endpoint.model,
): Promise<Answered> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(endpoint, model, said)
    } catch (error) {
      if (!(error instanceof ModelLost) || attempt === attempts) throw error
    }
  }
}

/** The conversation with a result for each call. */
export const withResults = (
  { calls, after }: Answered,
  result: (nth: number) => MessageContent,
): Conversation => ({
  ...after,
  items: [...after.items, ...calls.map(({ id }, nth) => resultOf(id, result(nth)))],
})
