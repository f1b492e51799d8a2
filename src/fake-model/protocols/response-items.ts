// The output items of a response: a whole item, and the events that build it.
import type { Block, BlockStep } from '../blocks.ts'
import type { Fields } from '../question.ts'
import { logprobOf } from '../usage.ts'
import type { Mark, Said } from './protocol.ts'

const prefixes: Record<Block['kind'], string> = {
  reasoning: 'rs',
  redacted: 'rs',
  text: 'msg',
  refusal: 'msg',
  call: 'fc',
}
const idOf = ({ head }: Said, { kind }: Block, index: number): string =>
  `${prefixes[kind]}_fake_${head.number}_${index}`

/** A part of a content or of a summary with this text. */
const partOf = ({ answer }: Said, { kind }: Block, text: string): Fields => {
  if (kind === 'refusal') return { type: 'refusal', refusal: text }
  if (kind !== 'reasoning') return { type: 'output_text', text, annotations: [], logprobs: [] }
  return { type: answer.reasoning_as === 'reasoning_text' ? 'reasoning_text' : 'summary_text', text }
}

/** The content of reasoning: a summary, or the reasoning itself. */
const thoughtOf = (said: Said, block: Block): Fields => {
  const parts = block.kind === 'reasoning' && block.text !== '' ? [partOf(said, block, block.text)] : []
  return said.answer.reasoning_as === 'reasoning_text' ? { summary: [], content: parts } : { summary: parts }
}
const sealOf = ({ question }: Said, { kind, text, signature }: Block): Fields => {
  const seal = kind === 'redacted' ? text : signature
  return question.sealed && seal !== undefined ? { encrypted_content: seal } : {}
}

/** An item with all that its block has so far. */
export const itemOf = (said: Said, block: Block, index: number, status: string): Fields => {
  const { kind, name, text } = block
  const id = idOf(said, block, index)
  if (kind === 'call') {
    return { id, type: 'function_call', status, call_id: block.id, name, arguments: text }
  }
  if (kind === 'reasoning' || kind === 'redacted') {
    return { id, type: 'reasoning', ...thoughtOf(said, block), ...sealOf(said, block) }
  }
  const content = text === '' && status === 'in_progress' ? [] : [partOf(said, block, text)]
  return { id, type: 'message', status, role: 'assistant', content }
}

/**
 * The names of the events of each kind of block. `part`: of the part that holds the text, if there is one. `text`: of
 * the text. `field`: that has the whole text at its end.
 */
type Names = { part?: string; text: string; field: string; at: Fields }
const namesOf = ({ answer }: Said, { kind }: Block): Names | undefined => {
  if (kind === 'redacted') return undefined
  if (kind === 'call') return { text: 'function_call_arguments', field: 'arguments', at: {} }
  const content = { part: 'content_part', at: { content_index: 0 } }
  if (kind === 'refusal') return { ...content, text: 'refusal', field: 'refusal' }
  if (kind === 'text') return { ...content, text: 'output_text', field: 'text' }
  return answer.reasoning_as === 'reasoning_text'
    ? { ...content, text: 'reasoning_text', field: 'text' }
    : {
        part: 'reasoning_summary_part',
        text: 'reasoning_summary_text',
        field: 'text',
        at: { summary_index: 0 },
      }
}

type Told = { is: Mark; type: string; fields: Fields }
const marks: Record<Block['kind'], Mark> = {
  reasoning: 'reasoning',
  redacted: 'seal',
  text: 'text',
  refusal: 'refusal',
  call: 'arguments',
}

/** The events of one step of a block. */
export const eventsOfStep = (said: Said, step: BlockStep): Told[] => {
  const { block, index } = step
  const { kind, text, name } = block
  const names = namesOf(said, block)
  const at = { item_id: idOf(said, block, index), output_index: index, ...names?.at }
  const told = (is: Mark, type: string, fields: Fields): Told => ({ is, type: `response.${type}`, fields })
  const logprobs = (pieces: string[]) =>
    kind === 'text' ? { logprobs: said.answer.logprobs ? pieces.map(logprobOf) : [] } : {}
  const part = (moment: string, of: string): Told[] =>
    names?.part === undefined
      ? []
      : [told('block', `${names.part}.${moment}`, { ...at, part: partOf(said, block, of) })]
  if (step.at === 'piece') {
    if (step.piece.kind === 'signature' || step.piece.kind === 'call' || names === undefined) return []
    const delta = step.piece.text
    return [told(marks[kind], `${names.text}.delta`, { ...at, delta, ...logprobs([delta]) })]
  }
  const item = (status: string) => ({ output_index: index, item: itemOf(said, block, index, status) })
  if (step.at === 'start') {
    const is = kind === 'call' ? 'call' : kind === 'redacted' ? 'seal' : 'block'
    return [told(is, 'output_item.added', item('in_progress')), ...part('added', '')]
  }
  const done = {
    ...at,
    [names?.field ?? 'text']: text,
    ...(kind === 'call' ? { name } : {}),
    ...logprobs([]),
  }
  return [
    ...(names === undefined ? [] : [told('block', `${names.text}.done`, done)]),
    ...part('done', text),
    told('block', 'output_item.done', item('completed')),
  ]
}
