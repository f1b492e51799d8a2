// Finds the known name that somebody probably meant.

/** Longer names are not compared, so that no request keeps the server busy with them. */
const longest = 40

/**
 * How many letters must be put in, left out, replaced, or swapped with the next one to make one word of the other: the
 * distance of Damerau and Levenshtein, in which no part is changed twice.
 */
export const distanceOf = (a: string, b: string): number => {
  const far = Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const leftOut = (last[j] ?? far) + 1
      const putIn = (row[j - 1] ?? far) + 1
      const replaced = (last[j - 1] ?? far) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = isSwapped ? (beforeLast[j - 2] ?? far) + 1 : far
      row.push(Math.min(leftOut, putIn, replaced, swapped))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? far
}

/** The letters that may be wrong: a short name that differs in two of them is another word. */
const allowed = (name: string): number => (name.length < 4 ? 0 : name.length < 8 ? 1 : 2)

const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, '')

/** The known name that is nearest to `name`; undefined: none is near. Case, `-` and `_` do not count. */
export const didYouMean = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > longest) return undefined
  const [given, most] = [plain(name), allowed(name)]
  return known
    .filter(each => Math.abs(plain(each).length - given.length) <= most)
    .map(each => ({ each, distance: distanceOf(given, plain(each)) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)[0]?.each
}
