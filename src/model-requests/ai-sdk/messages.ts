// Writes turns as the prompt of the AI SDK's specification of language models.
import { argumentsObject } from '../call-arguments.ts'
import type { Fields } from '../fields.ts'
import { laterInstructions } from '../instructions.ts'
import { isText, taken, thoughtText } from '../parts.ts'
import type { ResultPart, SaidPart, Turn } from '../prompt.ts'
import { wireId } from '../short-ids.ts'
import type { Switches } from '../switches.ts'
import { type SdkPart, sdkJoined, sdkParts, sdkText } from './content.ts'
import { type SdkExtra, sdkExtras } from './extras.ts'

export type SdkMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | Fields[]
  providerOptions?: Fields
}
type Said = Extract<Turn, { by: 'assistant' }>
type Spoken = Exclude<Turn, { by: 'assistant' | 'tools' }>

const optional = (options: Fields | undefined): Fields =>
  options === undefined ? {} : { providerOptions: options }

const partOf = (part: SaidPart, switches: Switches): Fields[] => {
  if (part.kind === 'thought') return [sdkText(thoughtText(part.text))]
  if (part.kind === 'text') return sdkParts(part.content, switches)
  if (part.kind === 'reasoning') {
    return switches.reasoning === 'off' ? [] : [{ type: 'reasoning', text: part.text }]
  }
  const { id, name, arguments: text } = part
  const toolCallId = wireId(id, switches)
  return [{ type: 'tool-call', toolCallId, toolName: name, input: argumentsObject(text) }]
}

/** The part of a turn to which an extra belongs. */
const partFor = (extra: SdkExtra, { parts }: Said): SaidPart | undefined => {
  if (extra.type === 'text') return parts.filter(({ kind }) => kind === 'text')[extra.nth]
  return parts.find(part => part.kind === extra.type && 'nth' in part && part.nth === extra.nth)
}

const withoutPart = (extra: SdkExtra): Fields[] => {
  if (extra.type === 'custom') return [{ type: 'custom', kind: extra.kind, ...optional(extra.options) }]
  // Reasoning that only the provider can read has no item.
  return extra.type === 'reasoning' && extra.nth === undefined
    ? [{ type: 'reasoning', text: '', ...optional(extra.options) }]
    : []
}

/** The parts of a turn that have extras, in the order in which they came, and then any other part. */
const partsOf = (turn: Said, switches: Switches): Fields[] => {
  const left = new Set(turn.parts)
  const written = sdkExtras(turn.extras).flatMap(extra => {
    const part = partFor(extra, turn)
    if (part === undefined) return switches.reasoning === 'off' ? [] : withoutPart(extra)
    left.delete(part)
    return partOf(part, switches).map(each => ({ ...each, ...optional(extra.options) }))
  })
  return [...written, ...[...left].flatMap(part => partOf(part, switches))]
}

const named = (name: string | undefined, parts: SdkPart[]): SdkPart[] => {
  if (name === undefined) return parts
  const [first, ...rest] = parts
  return first?.type === 'text'
    ? [sdkText(`${name}:\n${first.text}`), ...rest]
    : [sdkText(`${name}:`), ...parts]
}

/**
 * The mark with which Gemini accepts a call that another model made
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
const unsigned = { google: { thoughtSignature: 'skip_thought_signature_validator' } }
/** Endpoints of DeepSeek want this field in each message with calls (https://api-docs.deepseek.com/guides/thinking_mode). */
const noReasoning = { openaiCompatible: { reasoning_content: '' } }

const signed = (parts: Fields[]): Fields[] => {
  const first = parts.findIndex(({ type }) => type === 'tool-call')
  return parts.map((part, n) => (n === first ? { ...part, providerOptions: unsigned } : part))
}

const saidMessages = (turn: Said, switches: Switches): SdkMessage[] => {
  const parts = partsOf(turn, switches)
  if (parts.every(({ type }) => type === 'reasoning')) return []
  const content = switches.calls === 'signed' && turn.extras === undefined ? signed(parts) : parts
  const has = (wanted: string) => parts.some(({ type }) => type === wanted)
  const isBare = switches.reasoning === 'required' && has('tool-call') && !has('reasoning')
  return [
    {
      role: 'assistant',
      content: turn.name === undefined ? content : [sdkText(`${turn.name}:`), ...content],
      ...(isBare ? { providerOptions: noReasoning } : {}),
    },
  ]
}

const textOutput = (text: string, { failed }: ResultPart): Fields => ({
  type: failed ? 'error-text' : 'text',
  value: text,
})

/** The results, and a message of the user with what may not stay in them. */
const resultMessages = (results: ResultPart[], switches: Switches): SdkMessage[] => {
  const beside: SdkPart[] = []
  const outputOf = (result: ResultPart): Fields => {
    const parts = taken(result, switches)
    beside.push(...sdkParts(parts?.beside ?? [], switches))
    if (parts !== undefined) return textOutput(sdkJoined([...parts.texts, parts.note]), result)
    return result.content.every(isText)
      ? textOutput(sdkJoined(result.content), result)
      : { type: 'content', value: sdkParts(result.content, switches) }
  }
  const content = results.map(result => ({
    type: 'tool-result',
    toolCallId: wireId(result.id, switches),
    toolName: result.name || 'unknown',
    output: outputOf(result),
  }))
  const told: SdkMessage = { role: 'tool', content }
  return beside.length === 0 ? [told] : [told, { role: 'user', content: beside }]
}

/** Instructions at the beginning are those of the system. Later ones go in messages of the user: few providers take others. */
const spokenMessage = ({ by, content, name }: Spoken, isFirst: boolean, switches: Switches): SdkMessage => {
  if (by === 'user') return { role: 'user', content: named(name, sdkParts(content, switches)) }
  if (isFirst && switches.roles !== 'user') return { role: 'system', content: sdkJoined(content) }
  return { role: 'user', content: [sdkText(`${laterInstructions}\n${sdkJoined(content)}`)] }
}

const joined = (a: SdkMessage, b: SdkMessage): SdkMessage =>
  typeof a.content === 'string' || typeof b.content === 'string'
    ? { ...a, content: `${a.content}\n${b.content}` }
    : { ...a, content: [...a.content, ...b.content] }

const bridge: SdkMessage = { role: 'assistant', content: [sdkText('I have the results.')] }

/** Neighbours of the system are one message; if roles must alternate, those of the user are, too. */
const inOrder = (messages: SdkMessage[], { order }: Switches): SdkMessage[] => {
  const ordered: SdkMessage[] = []
  for (const message of messages) {
    const last = ordered.at(-1)
    const isStrict = order === 'alternate'
    if (isStrict && message.role === 'user' && last?.role === 'tool') ordered.push(bridge)
    const joins = message.role === 'system' || (isStrict && message.role === 'user')
    if (joins && last?.role === message.role) ordered[ordered.length - 1] = joined(last, message)
    else ordered.push(message)
  }
  return ordered
}

/** The prompt: the instructions, then the conversation in order. */
export const sdkPrompt = (
  turns: Turn[],
  instructions: string | undefined,
  switches: Switches,
): SdkMessage[] => {
  const messages: SdkMessage[] = []
  const told: Turn[] = instructions ? [{ by: 'system', content: [instructions] }] : []
  for (const turn of [...told, ...turns]) {
    if (turn.by === 'tools') messages.push(...resultMessages(turn.results, switches))
    else if (turn.by === 'assistant') messages.push(...saidMessages(turn, switches))
    else {
      const isFirst = messages.every(({ role }) => role === 'system')
      messages.push(spokenMessage(turn, isFirst, switches))
    }
  }
  return inOrder(
    messages.filter(({ content }) => content.length > 0),
    switches,
  )
}
