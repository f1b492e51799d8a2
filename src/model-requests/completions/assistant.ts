// The message of an assistant in a chat completion, with everything that its endpoint wants back.
import { argumentsText } from '../call-arguments.ts'
import { thoughtText } from '../parts.ts'
import type { CallPart, SaidPart, Turn } from '../prompt.ts'
import type { Switches } from '../switches.ts'
import {
  type CompletionsContent,
  type CompletionsMessage,
  contentOf,
  isEmpty,
  textPart,
  together,
} from './content.ts'
import { type CompletionsExtras, completionsExtras, type ReasoningPlace } from './extras.ts'

type Said = Extract<Turn, { by: 'assistant' }>

const textIn = (part: SaidPart, switches: Switches): CompletionsContent | undefined => {
  if (part.kind === 'thought') return thoughtText(part.text)
  return part.kind === 'text' ? contentOf(part.content, switches) : undefined
}

/** The reasoning of the turn, in the place in which it came. */
const reasoned = (
  { parts }: Said,
  place: ReasoningPlace | undefined,
  content: CompletionsContent | undefined,
): { fields: Record<string, unknown>; content: CompletionsContent | undefined } => {
  const text = parts.flatMap(part => (part.kind === 'reasoning' ? [part.text] : [])).join('\n')
  if (place === undefined || text === '') return { fields: {}, content }
  if (place === 'think') {
    return { fields: {}, content: together(`<think>\n${text}\n</think>\n`, content ?? '') }
  }
  if (place === 'thinking') {
    const thinking = { type: 'thinking', thinking: [textPart(text)] }
    const said = content === undefined || content === '' ? [] : together([thinking], content)
    return { fields: {}, content: said.length === 0 ? [thinking] : said }
  }
  return { fields: { [place]: text }, content }
}

/** The mark with which Gemini accepts a call that another model made (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const unsigned = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }

const callsOf = (
  turn: Said,
  extras: CompletionsExtras,
  switches: Switches,
  wireId: (id: string) => string,
) => {
  const calls = turn.parts.filter((part): part is CallPart => part.kind === 'call')
  return calls.map(({ id, name, arguments: text, nth }, at) => {
    const { function: further, ...beside } = extras.calls?.[nth] ?? {}
    const mark = switches.calls === 'signed' && turn.extras === undefined && at === 0 ? unsigned : {}
    const called = { name, arguments: argumentsText(text), ...(further as object | undefined) }
    return { id: wireId(id), type: 'function', function: called, ...beside, ...mark }
  })
}

const emptyContent = ({ empty_content }: Switches): { content?: unknown } =>
  empty_content === 'absent' ? {} : { content: empty_content === 'null' ? null : '' }

/** The message; undefined when there is nothing in it that an endpoint would accept. */
export const assistantMessage = (
  turn: Said,
  switches: Switches,
  wireId: (id: string) => string,
): CompletionsMessage | undefined => {
  const isThoughtBack = switches.reasoning !== 'off'
  const extras = completionsExtras(turn.extras)
  let text: CompletionsContent | undefined
  for (const part of turn.parts) {
    const said = textIn(part, switches)
    if (said !== undefined) text = together(text, said)
  }
  const calls = callsOf(turn, extras, switches, wireId)
  const { fields, content } = reasoned(turn, isThoughtBack ? extras.reasoning : undefined, text)
  if (calls.length === 0 && isEmpty(text)) return undefined
  const needed = switches.reasoning === 'required' && calls.length > 0 ? { reasoning_content: '' } : {}
  return {
    role: 'assistant',
    ...(isEmpty(content) ? emptyContent(switches) : { content }),
    ...needed,
    ...fields,
    ...(isThoughtBack ? extras.message : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
