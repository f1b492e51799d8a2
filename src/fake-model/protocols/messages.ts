// Anthropic Messages.
import type { Answer } from '../answer.ts'
import { countTokens, isToken, type Piece } from '../answer-pieces.ts'
import { type Block, type BlockStep, blocksOf, stepsOf } from '../blocks.ts'
import {
  contentText,
  type Fields,
  fieldsOf,
  imagesIn,
  listOf,
  type Newest,
  problemOfList,
  type Question,
  textOf,
} from '../question.ts'
import { type Usage, usageOf } from '../usage.ts'
import type { Event, Mark, Protocol, Said } from './protocol.ts'

/** A message with the results of tools is of the user too; what the user says beside the results counts more. */
const newestOf = ({ role, content }: Fields): Newest => {
  const results = listOf(content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'tool_result')
  const said = listOf(content).some(block => fieldsOf(block).type === 'text')
  const images = imagesIn(content)
  if (results.length === 0 || said) return { from: textOf(role) ?? '', text: contentText(content), images }
  return { from: 'tool', text: results.map(result => contentText(result.content)).join('\n'), images }
}

const read = (body: Fields): Question | string => {
  const problem = problemOfList('messages', body.messages)
  if (problem !== undefined) return problem
  const messages = listOf(body.messages)
  const { format } = fieldsOf(body.output_config)
  const thinking = fieldsOf(body.thinking).type
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    usage: true,
    newest: newestOf(fieldsOf(messages.at(-1))),
    tools:
      fieldsOf(body.tool_choice).type === 'none'
        ? []
        : listOf(body.tools).flatMap(tool => textOf(fieldsOf(tool).name) ?? []),
    schema: fieldsOf(format ?? body.output_format).schema,
    thinks: thinking === 'enabled' || thinking === 'adaptive',
    sealed: true,
    prompt: JSON.stringify([body.system, ...messages]),
  }
}

/** Arguments that are no JSON object stay a text, since a script may want them. */
const inputOf = (text: string): unknown => {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return text
  }
}

/** A block of an answer: at its start without its text, at its end with all of it. */
const contentBlock = ({ kind, id, name, text, signature }: Block): Fields => {
  if (kind === 'call') return { type: 'tool_use', id, name, input: inputOf(text) }
  if (kind === 'reasoning') return { type: 'thinking', thinking: text, signature: signature ?? '' }
  if (kind === 'redacted') return { type: 'redacted_thinking', data: text }
  return { type: 'text', text }
}
const deltaOf = (piece: Piece): { is: Mark; delta: Fields } | undefined => {
  if (piece.kind === 'call') return undefined
  const { kind, text } = piece
  if (kind === 'reasoning') return { is: kind, delta: { type: 'thinking_delta', thinking: text } }
  if (kind === 'signature') return { is: 'seal', delta: { type: 'signature_delta', signature: text } }
  if (kind === 'arguments') return { is: kind, delta: { type: 'input_json_delta', partial_json: text } }
  return { is: kind === 'refusal' ? kind : 'text', delta: { type: 'text_delta', text } }
}

/** Cached tokens are no part of `input_tokens` here. */
const inputUsage = ({ prompt, cached = 0 }: Usage): Fields => ({
  input_tokens: prompt - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
})

const reasons: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}
const stopReasonOf = ({ finish_reason, tool_calls = [], refusal }: Answer): string | null => {
  if (finish_reason === null) return null
  if (finish_reason !== undefined) return reasons[finish_reason] ?? finish_reason
  return refusal !== undefined ? 'refusal' : tool_calls.length > 0 ? 'tool_use' : 'end_turn'
}

const named = (is: Mark, data: Fields): Event => ({ is, name: String(data.type), data })

const eventOf = (step: BlockStep): Event => {
  const { index, block } = step
  if (step.at === 'start') {
    const start = { type: 'content_block_start', index, content_block: contentBlock(block) }
    return named(block.kind === 'call' ? 'call' : block.kind === 'redacted' ? 'seal' : 'block', start)
  }
  const told = step.at === 'piece' ? deltaOf(step.piece) : undefined
  if (told === undefined) return named('block', { type: 'content_block_stop', index })
  return named(told.is, { type: 'content_block_delta', index, delta: told.delta })
}

const messageOf = ({ head }: Said, content: Fields[], stop_reason: string | null, usage: Fields): Fields => ({
  id: `msg_fake_${head.number}`,
  type: 'message',
  role: 'assistant',
  model: head.model,
  content,
  stop_reason,
  stop_sequence: null,
  ...usage,
})

function* events(said: Said): Generator<Event> {
  const { answer, question } = said
  const before = usageOf(answer, question, 0)
  const usage = before === undefined ? {} : { usage: { ...inputUsage(before), output_tokens: 1 } }
  yield named('begin', { type: 'message_start', message: messageOf(said, [], null, usage) })
  yield named('begin', { type: 'ping' })
  const counted = countTokens(said.pieces)
  for (const step of stepsOf(counted.pieces)) yield eventOf(step)
  const stop_reason = stopReasonOf(answer)
  const after = usageOf(answer, question, counted.tokens())
  if (stop_reason !== null) {
    yield named('finish', {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      ...(after === undefined ? {} : { usage: { ...inputUsage(after), output_tokens: after.completion } }),
    })
  }
  yield named('done', { type: 'message_stop' })
}

const whole = (said: Said): Fields => {
  const pieces = [...said.pieces]
  const usage = usageOf(said.answer, said.question, pieces.filter(isToken).length)
  return messageOf(
    said,
    blocksOf(pieces).map(contentBlock),
    stopReasonOf(said.answer),
    usage === undefined ? {} : { usage: { ...inputUsage(usage), output_tokens: usage.completion } },
  )
}

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

export const messages: Protocol = {
  name: 'messages',
  title: 'Anthropic Messages',
  path: '/v1/messages',
  read,
  events,
  whole,
  error: (status, message) => ({
    type: 'error',
    error: {
      type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
      message,
    },
  }),
}
