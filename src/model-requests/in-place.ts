// Puts the extras of thoughts back to where they stood in the turn.
import type { SaidPart } from './prompt.ts'

/** `nth`: it belongs to this reasoning item of the step. `at`: it has no text, and stood before this item of the step. */
export type Place = { nth: number } | { at: number }

/** A part of a turn, or the extra of a thought, with the text of the thought. */
export type Placed<Extra> =
  | { is: 'part'; part: Exclude<SaidPart, { kind: 'reasoning' }> }
  | { is: 'extra'; extra: Extra; text: string }

/** The parts and the thoughts in the order in which the model made them. Reasoning without an extra is left out. */
export const inPlace = <Extra extends Place>(parts: SaidPart[], extras: Extra[]): Placed<Extra>[] => {
  const placed: Placed<Extra>[] = []
  const textless = extras.filter((each): each is Extra & { at: number } => 'at' in each)
  const put = (until: number) => {
    while (textless[0] !== undefined && textless[0].at <= until) {
      placed.push({ is: 'extra', extra: textless.shift() as Extra, text: '' })
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
      const own = extras.find(each => 'nth' in each && each.nth === part.nth)
      if (own !== undefined) placed.push({ is: 'extra', extra: own, text: part.text })
    }
  }
  put(Number.POSITIVE_INFINITY)
  return placed
}

/** Without the thoughts at the end, since endpoints refuse thoughts that nothing follows. */
export const withoutLastThoughts = <Written>(written: Written[], isThought: (each: Written) => boolean) =>
  written.slice(0, written.findLastIndex(each => !isThought(each)) + 1)
