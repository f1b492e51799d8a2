// Writes turns as the input items of a response.

import type { ContentPart } from '../../contract/wire.ts'
import { argumentsText } from '../call-arguments.ts'
import { fileNote, fileText, fileType, fileUrl } from '../files.ts'
import { inPlace, type Placed, withoutLastThoughts } from '../in-place.ts'
import { asTexts, isText, partNote, taken, thoughtText } from '../parts.ts'
import type { ResultPart, Turn } from '../prompt.ts'
import type { Switches } from '../switches.ts'
import { partsOfThought, type ResponsesThought, responsesExtras } from './extras.ts'

// The contents of items as endpoints of Responses take them.

type InputPart = { type: string; [field: string]: unknown }
/** The content of an item: a text, or parts. */
type InputContent = string | InputPart[]

const textPart = (text: string): InputPart => ({ type: 'input_text', text })

const imagePart = (image_url: string, detail: string | undefined, { images }: Switches): InputPart =>
  images === 'off'
    ? textPart(partNote('an image'))
    : { type: 'input_image', image_url, detail: detail ?? 'auto' }

type FilePart = Extract<ContentPart, { file: unknown }>
const filePart = ({ file }: FilePart, switches: Switches): InputPart => {
  const { file_data, file_url, filename } = file
  if (fileType(file).startsWith('image/')) return imagePart(fileUrl(file), undefined, switches)
  const text = fileText(file)
  if (text !== undefined || switches.files === 'text') return textPart(text ?? fileNote(file))
  return file_data === undefined
    ? { type: 'input_file', file_url }
    : { type: 'input_file', filename, file_data: fileUrl(file) }
}

const partOf = (part: ContentPart, switches: Switches): InputPart => {
  if (isText(part)) return textPart(typeof part === 'string' ? part : part.text)
  if ('image_url' in part) return imagePart(part.image_url.url, part.image_url.detail, switches)
  return 'file' in part ? filePart(part, switches) : textPart(partNote('a sound'))
}

/** A content: a string for one text, else parts. */
const inputContent = (content: readonly ContentPart[], switches: Switches): InputContent => {
  const parts = content.map(part => partOf(part, switches)).filter(({ text }) => text !== '')
  const [first, ...more] = parts
  if (first === undefined) return ''
  return more.length === 0 && typeof first.text === 'string' ? first.text : parts
}

/** A content that somebody with a name says. The protocol has no field for the name. */
const saidBy = (name: string | undefined, content: InputContent): InputContent => {
  if (name === undefined) return content
  return typeof content === 'string' ? `${name}:\n${content}` : [textPart(`${name}:`), ...content]
}

export type Item = { type?: string; [field: string]: unknown }
type Said = Extract<Turn, { by: 'assistant' }>

const reasoningItem = (thought: ResponsesThought, text: string): Item => {
  const { id, sealed, raw } = thought
  const parts = text === '' ? [] : partsOfThought(text, thought)
  const typed = parts.map(part => ({ type: raw ? 'reasoning_text' : 'summary_text', text: part }))
  return {
    type: 'reasoning',
    ...(id === undefined ? {} : { id }),
    ...(raw ? { summary: [], content: typed } : { summary: typed }),
    ...(sealed === undefined ? {} : { encrypted_content: sealed }),
  }
}

const messageItem = (text: string, phase: string | null | undefined): Item => ({
  role: 'assistant',
  content: [{ type: 'output_text', text }],
  ...(phase ? { phase } : {}),
})

const assistantItems = (turn: Said, switches: Switches): Item[] => {
  const { thoughts = [], phases = [] } = responsesExtras(turn.extras)
  const placed = inPlace(turn.parts, switches.reasoning === 'off' ? [] : thoughts)
  let messages = 0
  const itemOf = (each: Placed<ResponsesThought>): Item[] => {
    if (each.is === 'extra') return [reasoningItem(each.extra, each.text)]
    const { part } = each
    if (part.kind === 'thought') return [messageItem(thoughtText(part.text), undefined)]
    if (part.kind === 'call') {
      const { id, name, arguments: text } = part
      return [{ type: 'function_call', call_id: id, name, arguments: argumentsText(text) }]
    }
    const [text, phase] = [asTexts(part.content).join('\n'), phases[messages++]]
    return text === '' ? [] : [messageItem(text, phase)]
  }
  return withoutLastThoughts(placed.flatMap(itemOf), ({ type }) => type === 'reasoning')
}

/** The results, and what a user says after them. */
const resultItems = (results: ResultPart[], switches: Switches): Item[] => {
  const beside: Item[] = []
  const told = results.map((result): Item => {
    const parts = taken(result, switches)
    const inside = parts === undefined ? result.content : [...parts.texts, parts.note]
    if (parts !== undefined && parts.beside.length > 0) {
      beside.push({ role: 'user', content: inputContent(parts.beside, switches) })
    }
    return { type: 'function_call_output', call_id: result.id, output: inputContent(inside, switches) }
  })
  return [...told, ...beside]
}

export const itemsOf = (turns: Turn[], switches: Switches): Item[] =>
  turns.flatMap((turn): Item[] => {
    if (turn.by === 'tools') return resultItems(turn.results, switches)
    if (turn.by === 'assistant') return assistantItems(turn, switches)
    const role = turn.by === 'user' || switches.roles === 'as_given' ? turn.by : switches.roles
    const content = turn.by === 'user' ? turn.content : asTexts(turn.content)
    return [{ role, content: saidBy(turn.name, inputContent(content, switches)) }]
  })
