// Most events of one answer differ from the previous event in a single text. The reader remembers the JSON around that
// text, so a run of a thousand events is read at once instead of being parsed one by one.
import { type Fields, fieldsOf, listOf } from './endpoint-values.ts'

const names = ['content', 'reasoning_content', 'reasoning'] as const

/** The only text of a chunk; undefined when the chunk holds anything else of use. */
const onlyText = ({ choices, usage, error, prompt_token_ids }: Fields) => {
  const choice = fieldsOf(listOf(choices)[0])
  if (listOf(choices).length !== 1 || usage || error || prompt_token_ids) return undefined
  if (choice.finish_reason || choice.logprobs || choice.token_ids || choice.error) return undefined
  const fields = Object.entries(fieldsOf(choice.delta)).filter(([name, value]) => name !== 'role' && value)
  const name = names.find(known => known === fields[0]?.[0])
  const text = fields[0]?.[1]
  return fields.length === 1 && name !== undefined && typeof text === 'string' ? { name, text } : undefined
}

export const createLikeness = () => {
  let name: (typeof names)[number] = 'content'
  /** The beginning and the end of each event in the run; empty: nothing was learned. */
  let head = ''
  let tail = ''
  return {
    /** The run of similar events at the start of a text: the one chunk that they make together, and their length. */
    runIn(text: string): { data: Fields; length: number } | undefined {
      if (head === '' || !text.startsWith(head)) return undefined
      const end = text.lastIndexOf(tail)
      if (end < head.length) return undefined
      const written = text.slice(head.length, end)
      // After a backslash the quote belongs to the text.
      if (text[end - 1] === '\\' || written.includes(`\\${tail}`)) return undefined
      try {
        // If the text has anything but similar events, it still holds a quote or a line end, so JSON.parse fails.
        const said: string = JSON.parse(`"${written.replaceAll(tail + head, '')}"`)
        return { data: { choices: [{ delta: { [name]: said } }] }, length: end + tail.length }
      } catch {
        return undefined
      }
    },
    /** `text` is the JSON text of the chunk. */
    learn(text: string, data: Fields): void {
      head = ''
      const only = onlyText(data)
      if (only === undefined) return
      const written = `"${only.name}":${JSON.stringify(only.text)}`
      const at = text.indexOf(written)
      if (at < 0 || text.indexOf(written, at + 1) >= 0) return
      name = only.name
      head = `data: ${text.slice(0, at + name.length + 4)}` // up to the quote that opens the text
      tail = `${text.slice(at + written.length - 1)}\n\n`
    },
  }
}
