import type { Header } from '../contract/stored.ts'

/**
 * Finds out when each step of a task became due: at the time of the event that caused the step. The time of the step's
 * own first event would be too late: that event is stored only when the step has something to store, so after the wait
 * for the model.
 */
export const createStepTimes = () => {
  /** When the open step became due, in milliseconds. */
  let start: number | undefined
  /** The time of each event between two steps, by its revision. */
  const times = new Map<number, number>()

  const dueAt = ({ stream, causation_id }: Header, at: number): number => {
    if (!causation_id.startsWith(`${stream}@`)) return at
    return times.get(Number(causation_id.slice(stream.length + 1))) ?? at
  }

  return {
    begin(header: Header, at: number): void {
      start = dueAt(header, at)
    },
    /** The time at which the step that ends here became due. */
    end(header: Header, at: number): number {
      const due = start ?? dueAt(header, at)
      start = undefined
      times.clear()
      return due
    },
    /** Notes the time of an event that may cause a step. */
    note({ revision }: Header, at: number): void {
      if (start === undefined) times.set(revision, at)
    },
  }
}
