// Follows JSON text that comes in pieces, to tell cheaply that it is not whole yet.

export const createNesting = () => {
  let depth = 0
  let isText = false
  let isEscaped = false
  const hearInText = (character: string): void => {
    if (isEscaped) isEscaped = false
    else if (character === '\\') isEscaped = true
    else if (character === '"') isText = false
  }
  return {
    hear(text: string): void {
      for (const character of text) {
        if (isText) hearInText(character)
        else if (character === '"') isText = true
        else if (character === '{' || character === '[') depth++
        else if (character === '}' || character === ']') depth--
      }
    },
    /** Whether all that was opened is closed. If it is not, the text is not whole. */
    isClosed: () => depth === 0 && !isText,
  }
}
