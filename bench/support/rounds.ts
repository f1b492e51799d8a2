// Measures two things in turns in the same run, so that other work of the machine disturbs both equally.
import { short, spread } from './stats.ts'

/** The results of all rounds, by the name of what was measured. */
export type Rounds<Name extends string> = Record<Name, number[]>
type Sides<Name extends string> = Record<Name, () => Promise<number>>

export const interleave = async <Name extends string>(
  sides: Sides<Name>,
  { warmUp = 1, rounds = 5 } = {},
): Promise<Rounds<Name>> => {
  const names = Object.keys(sides) as Name[]
  const measured = Object.fromEntries(names.map(name => [name, [] as number[]])) as Rounds<Name>
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of names) {
      const value = await sides[name]()
      if (round >= 0) measured[name].push(value)
    }
  }
  return measured
}

export type Target = { atLeast?: number; atMost?: number; aim?: number }

const verdict = (ratio: number, { atLeast, atMost, aim }: Target): string => {
  const aimed = aim === undefined ? '' : `, aim ${aim}`
  if (atLeast !== undefined) return `target >= ${atLeast}${aimed}: ${ratio >= atLeast ? 'met' : 'NOT MET'}`
  if (atMost !== undefined) return `target <= ${atMost}${aimed}: ${ratio <= atMost ? 'met' : 'NOT MET'}`
  return 'no target'
}

/** Prints the ratio of `what` to `to` for each round, and whether the median of the ratios meets the target. */
export const printRatio = (
  title: string,
  what: number[],
  to: number[],
  { unit, target = {} }: { unit: string; target?: Target },
): void => {
  const ratios = what.map((value, round) => value / (to[round] ?? Number.NaN))
  const middle = [...ratios].sort((a, b) => a - b)[ratios.length >> 1] ?? Number.NaN
  console.log(`\n${title}`)
  console.log(`  ratio     ${spread(ratios)}   ${verdict(middle, target)}`)
  console.log(`  ours      ${spread(what)} ${unit}`)
  console.log(`  baseline  ${spread(to)} ${unit}`)
}

/** Prints differences instead of ratios: `what` minus `to` for each round. */
export const printDifference = (
  title: string,
  what: number[],
  to: number[],
  { unit, atMost }: { unit: string; atMost: number },
): void => {
  const more = what.map((value, round) => value - (to[round] ?? Number.NaN))
  const middle = [...more].sort((a, b) => a - b)[more.length >> 1] ?? Number.NaN
  console.log(`\n${title}`)
  console.log(`  more      ${spread(more)} ${unit}   ${verdict(middle, { atMost })}`)
  console.log(`  ours      ${spread(what)} ${unit}`)
  console.log(`  baseline  ${spread(to)} ${unit}`)
}

/** Collects further numbers while measuring, and prints their medians in one line. */
export const createNotes = () => {
  const seen = new Map<string, number[]>()
  return {
    add(name: string, value: number | undefined) {
      if (value === undefined) return
      const values = seen.get(name)
      if (values === undefined) seen.set(name, [value])
      else values.push(value)
    },
    print(title = 'also') {
      const all = [...seen].map(([name, values]) => `${name} ${short(percentileOf(values))}`)
      if (all.length > 0) console.log(`  ${title.padEnd(8)}  ${all.join(', ')}`)
      seen.clear()
    },
  }
}
const percentileOf = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
