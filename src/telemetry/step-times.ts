import type { Header } from '../contract/stored.ts'

/**
 * When the steps of a task became due: at the event that caused them. The first event of a step is stored when there is
 * something to store, and the wait for the model lies before that.
 */
export const createStepTimes = () => {
  /** When the open step became due. */
  let start: number | undefined
  /** When each event between two steps was stored, by its revision. */
  const times = new Map<number, number>()

  const dueAt = ({ stream, causation_id }: Header, at: number): number => {
    if (!causation_id.startsWith(`${stream}@`)) return at
    return times.get(Number(causation_id.slice(stream.length + 1))) ?? at
  }

  return {
    begin(header: Header, at: number): void {
      start = dueAt(header, at)
    },
    /** When the step that ends here became due. */
    end(header: Header, at: number): number {
      const due = start ?? dueAt(header, at)
      start = undefined
      times.clear()
      return due
    },
    /** Notes when an event was stored that may cause a step. */
    note({ revision }: Header, at: number): void {
      if (start === undefined) times.set(revision, at)
    },
  }
}
