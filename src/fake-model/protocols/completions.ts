// OpenAI Chat Completions.
import { words } from '../../agents/text.ts'
import type { Answer } from '../answer.ts'
import { isToken, type Piece } from '../answer-pieces.ts'
import { type Block, blocksOf } from '../blocks.ts'
import {
  anyObject,
  contentText,
  type Fields,
  fieldsOf,
  imagesIn,
  listOf,
  problemOfList,
  type Question,
  textOf,
} from '../question.ts'
import { logprobOf, numberOf, usageOf } from '../usage.ts'
import { placeOf, thoughtsOf } from './completions-thoughts.ts'
import type { Event, Mark, Protocol, Said } from './protocol.ts'

const schemaOf = (format: unknown): unknown => {
  const { type, json_schema } = fieldsOf(format)
  if (type === 'json_schema') return fieldsOf(json_schema).schema ?? {}
  return type === 'json_object' ? anyObject : undefined
}

const read = (body: Fields): Question | string => {
  const problem = problemOfList('messages', body.messages)
  if (problem !== undefined) return problem
  const messages = listOf(body.messages)
  const newest = fieldsOf(messages.at(-1))
  const names = listOf(body.tools).flatMap(tool => textOf(fieldsOf(fieldsOf(tool).function).name) ?? [])
  return {
    model: textOf(body.model),
    stream: body.stream === true,
    usage: fieldsOf(body.stream_options).include_usage === true,
    newest: {
      from: textOf(newest.role) ?? '',
      text: contentText(newest.content),
      images: imagesIn(newest.content),
    },
    tools: body.tool_choice === 'none' ? [] : names,
    schema: schemaOf(body.response_format),
    thinks: true,
    sealed: true,
    prompt: JSON.stringify(messages),
  }
}

type Told = { is: Mark; delta: Fields }
/** Returns what a piece tells in a chunk; undefined: nothing. Calls are numbered in their order. */
const createTelling = (answer: Answer) => {
  const place = placeOf(answer)
  let index = -1
  const thought = (is: Mark, delta: Fields | undefined) => (delta === undefined ? undefined : { is, delta })
  return (piece: Piece): Told | undefined => {
    if (piece.kind === 'call') {
      index++
      const { id, name, extra } = piece
      const call = { index, id, type: 'function', function: { name, arguments: '' }, ...extra }
      return { is: 'call', delta: { tool_calls: [call] } }
    }
    const { kind, text } = piece
    if (kind === 'arguments') {
      return { is: kind, delta: { tool_calls: [{ index, function: { arguments: text } }] } }
    }
    if (kind === 'text') return { is: kind, delta: { content: text } }
    if (kind === 'refusal') return { is: kind, delta: { refusal: text } }
    return thought(kind === 'reasoning' ? kind : 'seal', place[kind](text))
  }
}

const tokenOf = (piece: Piece): string => (piece.kind === 'call' ? piece.name : piece.text)
const logprobsOf = (pieces: Piece[]) => {
  const refused = pieces.filter(({ kind }) => kind === 'refusal')
  const said = pieces.filter(piece => isToken(piece) && piece.kind !== 'refusal')
  const of = (list: Piece[]) => list.map(piece => logprobOf(tokenOf(piece)))
  return { content: of(said), refusal: refused.length > 0 ? of(refused) : null }
}
const tokenIds = (pieces: Piece[]): number[] => pieces.filter(isToken).map(piece => numberOf(tokenOf(piece)))
const promptTokenIds = ({ prompt }: Question): number[] => words(prompt).map(numberOf)

const usageFields = (answer: Answer, question: Question, pieces: number): Fields | undefined => {
  const usage = usageOf(answer, question, pieces)
  if (usage === undefined) return undefined
  const { prompt, completion, cached, reasoning } = usage
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}

const finishOf = ({ finish_reason, tool_calls = [] }: Answer): string | null =>
  finish_reason === undefined ? (tool_calls.length > 0 ? 'tool_calls' : 'stop') : finish_reason

const headOf = ({ head }: Said) => {
  const { number, created, model, system_fingerprint } = head
  const fingerprint = system_fingerprint === undefined ? {} : { system_fingerprint }
  return { id: `chatcmpl-fake-${number}`, created, model, ...fingerprint }
}

function* events(said: Said): Generator<Event> {
  const { answer, question, pieces } = said
  const head = headOf(said)
  const chunk = (is: Mark, choices: object[], more: object = {}): Event => ({
    is,
    data: {
      ...head,
      object: 'chat.completion.chunk',
      choices,
      ...(question.usage ? { usage: null } : {}),
      ...more,
    },
  })
  const choice = (delta: Fields, of: Piece[], finish_reason: string | null = null) => ({
    index: 0,
    delta,
    logprobs: answer.logprobs && of.length > 0 ? logprobsOf(of) : null,
    finish_reason,
    ...(answer.token_ids ? { token_ids: tokenIds(of) } : {}),
  })
  const first = choice({ role: 'assistant', content: '' }, [])
  yield chunk('begin', [first], answer.token_ids ? { prompt_token_ids: promptTokenIds(question) } : {})
  const tell = createTelling(answer)
  let tokens = 0
  for (const piece of pieces) {
    if (isToken(piece)) tokens++
    const told = tell(piece)
    if (told !== undefined) yield chunk(told.is, [choice(told.delta, [piece])])
  }
  const finish = finishOf(answer)
  if (finish !== null) yield chunk('finish', [choice({}, [], finish)])
  const usage = usageFields(answer, question, tokens)
  if (question.usage && usage !== undefined) yield chunk('usage', [], { usage })
  yield { is: 'done', data: '[DONE]' }
}

const textsOf = (blocks: Block[], kind: Block['kind']): string | null => {
  const found = blocks.filter(block => block.kind === kind)
  return found.length === 0 ? null : found.map(({ text }) => text).join('')
}

const whole = (said: Said): Fields => {
  const { answer, question } = said
  const pieces = [...said.pieces] // all of them are in memory at once
  const blocks = blocksOf(pieces)
  const calls = blocks.flatMap(({ kind, id, name, text, extra }) =>
    kind === 'call' ? [{ id, type: 'function', function: { name, arguments: text }, ...extra }] : [],
  )
  const content = textsOf(blocks, 'text')
  const usage = usageFields(answer, question, pieces.filter(isToken).length)
  const message = {
    role: 'assistant',
    content,
    refusal: textsOf(blocks, 'refusal'),
    ...thoughtsOf(answer, blocks, content),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    ...headOf(said),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message,
        logprobs: answer.logprobs ? logprobsOf(pieces) : null,
        finish_reason: finishOf(answer),
        ...(answer.token_ids ? { token_ids: tokenIds(pieces) } : {}),
      },
    ],
    ...(answer.token_ids ? { prompt_token_ids: promptTokenIds(question) } : {}),
    ...(usage === undefined ? {} : { usage }),
  }
}

export const completions: Protocol = {
  name: 'chat',
  title: 'OpenAI Chat Completions',
  path: '/v1/chat/completions',
  read,
  events,
  whole,
  error: (_status, message) => ({ error: { message } }),
}
