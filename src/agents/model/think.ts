// Separates reasoning from text for models that write <think>…</think> at the beginning of their text. The text arrives
// in pieces, which may begin and end anywhere.
const open = '<think>'
const close = '</think>'

export type Spoken = { kind: 'text' | 'reasoning'; text: string }

/** The number of characters at the end of a text that may begin a tag. */
const held = (text: string, tag: string): number => {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

export const createThinkSplitter = () => {
  let state: 'begin' | 'think' | 'after' | 'text' = 'begin'
  let kept = ''

  /** Whether nothing but blanks came. They are not read again with each further piece. */
  let isBlank = true

  const hear = (text: string): Spoken[] => {
    kept += text
    isBlank &&= text.trim() === ''
    if (isBlank) return []
    const said: Spoken[] = []
    if (state === 'begin') {
      const start = kept.trimStart()
      if (start.length < open.length && open.startsWith(start)) return []
      if (start.startsWith(open)) {
        state = 'think'
        kept = start.slice(open.length)
      } else state = 'text'
    }
    if (state === 'think') {
      const end = kept.indexOf(close)
      if (end < 0) {
        const hold = held(kept, close)
        const thought = kept.slice(0, kept.length - hold)
        kept = kept.slice(kept.length - hold)
        return thought === '' ? said : [...said, { kind: 'reasoning', text: thought }]
      }
      if (end > 0) said.push({ kind: 'reasoning', text: kept.slice(0, end) })
      kept = kept.slice(end + close.length)
      state = 'after'
    }
    if (state === 'after') {
      kept = kept.trimStart()
      if (kept === '') return said
      state = 'text'
    }
    if (kept !== '') said.push({ kind: 'text', text: kept })
    kept = ''
    return said
  }

  return {
    hear,
    /** The text that was held back for a tag that never came. */
    end(): Spoken[] {
      const rest = kept
      kept = ''
      return rest === '' ? [] : [{ kind: state === 'think' ? 'reasoning' : 'text', text: rest }]
    },
  }
}
