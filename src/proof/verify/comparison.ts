// Compares a growing tree with checkpoints: with each one when the tree has the size of the checkpoint.
import { Misfit } from '../misfit.ts'
import { type Hash, toBase64 } from '../tree/hash.ts'
import type { Expected } from './checkpoints-in.ts'

export type Comparison = {
  /** The size of the next checkpoint; undefined: there is none. */
  next(): number | undefined
  /** Compares all checkpoints of this size. Throws Misfit. */
  compare(size: number, root: Hash): void
  /** Throws Misfit when a checkpoint covers more events than the whole log has. */
  end(events: number): void
  /** The number of checkpoints that agree with the tree, and the largest of these checkpoints. */
  fitted(): { count: number; newest: Expected | undefined }
}

/** Compares checkpoints from several sources. In each source, the sizes must not fall. Throws errors of the sources. */
export const createComparison = (sources: readonly Iterator<Expected>[]): Comparison => {
  const heads = sources.map(source => ({ source, next: source.next() }))
  let count = 0
  let newest: Expected | undefined
  let nextSize: number | undefined
  const find = (): void => {
    const sizes = heads.flatMap(({ next }) => (next.done ? [] : [next.value.size]))
    nextSize = sizes.length === 0 ? undefined : Math.min(...sizes)
  }
  find()
  return {
    next: () => nextSize,
    compare(size, root) {
      const fits = newest?.size ?? 0
      const due: Expected[] = []
      for (const head of heads)
        for (; !head.next.done && head.next.value.size === size; head.next = head.source.next())
          due.push(head.next.value)
      const [first] = due
      const other = due.find(each => each.root !== first?.root)
      if (other !== undefined)
        throw new Misfit(
          `${first?.from} and ${other.from} have different roots: the owner of the key signed two histories`,
        )
      if (first !== undefined && first.root !== root)
        throw new Misfit(
          `${first.from} has the root ${toBase64(first.root)}, and the log has ${toBase64(root)}: ${
            fits === 0 ? 'an event up to there' : `an event after the first ${fits}`
          } was changed`,
          fits + 1,
        )
      count += due.length
      newest = due.at(-1) ?? newest
      find()
    },
    end(events) {
      const [left] = heads.flatMap(({ next }) => (next.done ? [] : [next.value]))
      if (left === undefined) return
      const fits = newest?.size ?? 0
      throw new Misfit(
        `${left.from} is of more events than the log, which has ${events}: ${
          fits === events ? 'events are missing' : 'events from here on are missing or were changed'
        }`,
        fits + 1,
      )
    },
    fitted: () => ({ count, newest }),
  }
}
