// A histogram as plain numbers. Adding a value is cheap, and a scrape reads the numbers.

export type Tally = {
  /** The upper bound of each bucket. The last bucket has no bound. */
  bounds: readonly number[]
  /** The number of values in each bucket. */
  counts: number[]
  sum: number
}

export const createTally = (bounds: readonly number[]): Tally => ({
  bounds,
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: 0,
})

export const add = (tally: Tally, value: number): void => {
  const { bounds, counts } = tally
  let bucket = 0
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
  counts[bucket] = (counts[bucket] as number) + 1
  tally.sum += value
}
