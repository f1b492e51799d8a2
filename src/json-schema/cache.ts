// A cache of values made from texts. It keeps the values of the most recently used texts. The number and the total
// length of these texts are limited, since a long text makes a large value.
export type Bounds = { texts: number; characters: number }

export const remembering = <Made>({ texts, characters }: Bounds, make: (text: string) => Made) => {
  const made = new Map<string, Made>()
  let length = 0

  const forget = (text: string): void => {
    if (made.delete(text)) length -= text.length
  }

  return (text: string): Made => {
    const known = made.get(text) ?? make(text)
    forget(text)
    made.set(text, known)
    length += text.length
    // A Map keeps the order of insertion, so the first text is the least recently used.
    for (const oldest of made.keys()) {
      if (made.size <= texts && length <= characters) break
      forget(oldest)
    }
    return known
  }
}
