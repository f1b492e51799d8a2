// The events of one answer are alike: most of them differ from the one before in a single text. What stands around that
// text is remembered, so that a run of a thousand is understood at once instead of parsed one by one.
import type { Chunk } from './chunks.ts'
import { fieldsOf, listOf } from './given.ts'

const names = ['content', 'reasoning_content', 'reasoning'] as const

/** The one text that a chunk says, when it says nothing else that would be lost. */
const onlyText = ({ choices, usage, error, prompt_token_ids }: Chunk) => {
  const choice = fieldsOf(listOf(choices)[0])
  if (listOf(choices).length !== 1 || usage || error || prompt_token_ids) return undefined
  if (choice.finish_reason || choice.logprobs || choice.token_ids) return undefined
  const fields = Object.entries(fieldsOf(choice.delta)).filter(([name, value]) => name !== 'role' && value)
  const name = names.find(known => known === fields[0]?.[0])
  const text = fields[0]?.[1]
  return fields.length === 1 && name !== undefined && typeof text === 'string' ? { name, text } : undefined
}

export const createLikeness = () => {
  let name: (typeof names)[number] = 'content'
  /** How each event of the run begins and ends; empty: nothing was learned. */
  let head = ''
  let tail = ''
  return {
    /** The events like the one that was learned with which a text begins: what they say together, and their length. */
    runIn(text: string): { chunk: Chunk; length: number } | undefined {
      if (head === '' || !text.startsWith(head)) return undefined
      const end = text.lastIndexOf(tail)
      if (end < head.length) return undefined
      const written = text.slice(head.length, end)
      // A text that ends with a backslash has not ended there.
      if (text[end - 1] === '\\' || written.includes(`\\${tail}`)) return undefined
      try {
        // What is no run of such events holds a quote, or a line's end, and so no text of JSON.
        const said: string = JSON.parse(`"${written.replaceAll(tail + head, '')}"`)
        return { chunk: { choices: [{ delta: { [name]: said } }] }, length: end + tail.length }
      } catch {
        return undefined
      }
    },
    /** `data` is what the parser took the chunk from. */
    learn(data: string, chunk: Chunk): void {
      head = ''
      const only = onlyText(chunk)
      if (only === undefined) return
      const written = `"${only.name}":${JSON.stringify(only.text)}`
      const at = data.indexOf(written)
      if (at < 0 || data.indexOf(written, at + 1) >= 0) return
      name = only.name
      head = `data: ${data.slice(0, at + name.length + 4)}` // up to the quote that opens the text
      tail = `${data.slice(at + written.length - 1)}\n\n`
    },
  }
}
