// Takes the fence off an answer that is all in one: models like to put JSON in a fence, also when they are asked not to.
// The text arrives in pieces, which may begin and end anywhere.

/** A fence at the beginning, with or without a language, in a line of its own or before JSON. */
const opening = /^\s*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*(\r?\n|(?=[{[]))/
/** The beginning of text that may become an opening fence. */
const mayOpen = /^\s*(`*|~*|(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?)$/
/** The longest text that is held for the line of an opening fence. */
const longestOpening = 64

/** Each function returns the text that may be passed on. */
export const createFenceFilter = () => {
  let state: 'begin' | 'inside' | 'plain' = 'begin'
  let held = ''
  let fence = ''

  /** Holds back what may be the closing fence and what follows it. */
  const inside = (): string => {
    const at = held.search(/\s*\n[ \t]*(```|~~~)|\s*[`~]+\s*$|\s+$/)
    const said = at < 0 ? held : held.slice(0, at)
    held = at < 0 ? '' : held.slice(at)
    return said
  }
  return {
    hear(text: string): string {
      if (state === 'plain') return text
      held += text
      if (state === 'begin') {
        const found = opening.exec(held)
        if (found === null) {
          if (held.length < longestOpening && mayOpen.test(held)) return ''
          state = 'plain'
          const said = held
          held = ''
          return said
        }
        state = 'inside'
        fence = found[1] ?? ''
        held = held.slice(found[0].length)
      }
      return inside()
    },
    /** The text that was held back, without the closing fence at its end. */
    end(): string {
      const said = state === 'inside' ? held.replace(new RegExp(`\\s*${fence}\\s*$`), '') : held
      held = ''
      return said
    },
  }
}
