// Reads pages of a list until it has as many entries as are wanted.

export type Page<T> = { found: T[]; more: boolean }

/** `ask`: reads the page after an entry, or the first page. `left`: how many entries are still wanted. */
export const readPages = async <T>(
  wanted: number,
  ask: (last: T | undefined, left: number) => Promise<Page<T>>,
): Promise<Page<T>> => {
  const found: T[] = []
  for (;;) {
    const page = await ask(found.at(-1), wanted - found.length)
    found.push(...page.found)
    if (!page.more || found.length >= wanted) return { found, more: page.more }
  }
}
