// Takes the fence off an answer that is all in one: models like to put JSON in a fence, also when they are asked not to.
// The text arrives in pieces, which may begin and end anywhere.

/** A fence at the beginning, with or without a language, in a line of its own or before JSON. */
const opening = /^\s*(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*(\r?\n|(?=[{[]))/
/** The beginning of text that may become an opening fence. */
const mayOpen = /^\s*(`*|~*|(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\r?)$/
/** The longest beginning with an opening fence, in characters. */
const longestOpening = 64

/** What may be the closing fence, and what may follow it. */
const isOfClosing = (character: string | undefined): boolean => /[\s`~]/.test(character ?? 'x')

/** Each function returns the text that may be passed on. */
export const createFenceFilter = () => {
  let state: 'begin' | 'inside' | 'plain' = 'begin'
  let held = ''
  let fence = ''

  /** Holds back the end of the text that may be the closing fence. Text that is held already is not read again. */
  const inside = (text: string): string => {
    let end = text.length
    while (end > 0 && isOfClosing(text[end - 1])) end--
    const said = end === 0 ? '' : held + text.slice(0, end)
    held = end === 0 ? held + text : text.slice(end)
    return said
  }
  return {
    hear(text: string): string {
      if (state === 'plain') return text
      if (state === 'inside') return inside(text)
      held += text
      const found = opening.exec(held.slice(0, longestOpening))
      if (found === null && held.length < longestOpening && mayOpen.test(held)) return ''
      state = found === null ? 'plain' : 'inside'
      fence = found?.[1] ?? ''
      const rest = held.slice(found?.[0].length ?? 0)
      held = ''
      return found === null ? rest : inside(rest)
    },
    /** The text that was held back, without the closing fence at its end. */
    end(): string {
      const bare = held.trimEnd()
      const isClosed = state === 'inside' && bare.endsWith(fence)
      const said = isClosed ? bare.slice(0, -fence.length).trimEnd() : held
      held = ''
      return said
    },
  }
}
