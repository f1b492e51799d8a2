// Remembers what was made of a text, for the texts that were used last: at most so many, and at most so long
// together, since what is made of a long text is large too.
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
    // A Map keeps the order of insertion: the first is the one that was not used for longest.
    for (const oldest of made.keys()) {
      if (made.size <= texts && length <= characters) break
      forget(oldest)
    }
    return known
  }
}
