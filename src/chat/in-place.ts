// Puts what an endpoint keeps of its thoughts back to where it stood in the turn.
import type { SaidPart } from './prompt.ts'

/** `nth`: it belongs to this reasoning item of the step. `at`: it has no text, and stood before this item of the step. */
export type Place = { nth: number } | { at: number }

/** A part of a turn, or what is kept of a thought, with the text of the thought. */
export type Placed<Kept> =
  | { is: 'part'; part: Exclude<SaidPart, { kind: 'reasoning' }> }
  | { is: 'kept'; kept: Kept; text: string }

/** The parts and the kept thoughts in the order in which the model made them. Reasoning of which nothing was kept is left out. */
export const inPlace = <Kept extends Place>(parts: SaidPart[], kept: Kept[]): Placed<Kept>[] => {
  const placed: Placed<Kept>[] = []
  const textless = kept.filter((each): each is Kept & { at: number } => 'at' in each)
  const put = (until: number) => {
    while (textless[0] !== undefined && textless[0].at <= until) {
      placed.push({ is: 'kept', kept: textless.shift() as Kept, text: '' })
    }
  }
  let items = 0
  for (const part of parts) {
    if (part.kind === 'thought') {
      placed.push({ is: 'part', part })
      continue
    }
    put(items++)
    if (part.kind !== 'reasoning') placed.push({ is: 'part', part })
    else {
      const own = kept.find(each => 'nth' in each && each.nth === part.nth)
      if (own !== undefined) placed.push({ is: 'kept', kept: own, text: part.text })
    }
  }
  put(Number.POSITIVE_INFINITY)
  return placed
}

/** Without the thoughts at the end, since endpoints refuse thoughts that nothing follows. */
export const withoutLastThoughts = <Written>(written: Written[], isThought: (each: Written) => boolean) =>
  written.slice(0, written.findLastIndex(each => !isThought(each)) + 1)
