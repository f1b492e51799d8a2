// Random numbers that come from a seed alone, for resets.
import { createHash } from 'node:crypto'

/** Returns numbers from 0 to 1; the same seed gives the same numbers on every machine. The generator is mulberry32. */
export const randomFrom = (seed: number): (() => number) => {
  let state = createHash('sha256').update(String(seed)).digest().readInt32LE(0)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const oneOf = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from')
  return item
}

export const shuffled = <Item>(items: readonly Item[], random: () => number): Item[] =>
  items
    .map(item => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
