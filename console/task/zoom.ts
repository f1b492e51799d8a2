// The part of a time axis that somebody looks at, as milliseconds from the beginning of the task.

export type Range = { from: number; to: number }

/** The shortest range, in milliseconds. */
const shortest = 5

/** The range moved and cut so that it is inside the whole; the whole when it would be as long. */
const inside = ({ from, to }: Range, whole: number): Range => {
  const length = Math.min(whole, Math.max(shortest, to - from))
  const begin = Math.max(0, Math.min(from, whole - length))
  return { from: begin, to: begin + length }
}

/** The range around its middle, or around another moment in it, that is `factor` times as long. */
export const zoomed = (range: Range, factor: number, whole: number, around?: number): Range => {
  const middle = around ?? (range.from + range.to) / 2
  return inside(
    { from: middle - (middle - range.from) * factor, to: middle + (range.to - middle) * factor },
    whole,
  )
}

/** The range moved by a share of its length. */
export const panned = ({ from, to }: Range, share: number, whole: number): Range =>
  inside({ from: from + share * (to - from), to: to + share * (to - from) }, whole)

/** The range between two moments, whichever comes first. */
export const between = (one: number, other: number, whole: number): Range =>
  inside({ from: Math.min(one, other), to: Math.max(one, other) }, whole)

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
  [1, 'ms'],
] as const

/** Round moments of a range, about six, with what to write at them. */
export const ticksOf = ({ from, to }: Range): { at: number; text: string }[] => {
  const [unit, name] = units.find(([length]) => to >= 1.2 * length) ?? [1, 'ms']
  const rough = (to - from) / 6 / unit
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(times => times * power).find(each => each >= rough) ?? rough
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  const first = Math.ceil(from / unit / step - 1e-9)
  const last = Math.floor(to / unit / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step).map(at => ({
    at: at * unit,
    text: `${at.toFixed(digits)} ${name}`,
  }))
}
