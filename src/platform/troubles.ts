// Troubles that may pass. The operator gets one line when a trouble begins and one when it is over, however often it is
// met in between.
import type { Report } from '../contract/ports.ts'

/** What the two lines say. */
type Words = { level?: 'warn' | 'error'; begins: string; ends: string }

export const createTroubles = (report: Report, { level = 'warn', begins, ends }: Words) => {
  /** What is in trouble, and why. */
  const known = new Map<string, string>()
  return {
    /** `name` is what is in trouble. Another reason than the last one is reported, too. */
    met(name: string, reason: string, fields: Record<string, unknown> = {}): void {
      if (known.get(name) === reason) return
      known.set(name, reason)
      report(level, begins, { ...fields, reason })
    },
    over(name: string, fields: Record<string, unknown> = {}): void {
      if (known.delete(name)) report(level, ends, fields)
    },
    /** Forgets what does not exist any more. */
    forget: (name: string): void => void known.delete(name),
  }
}
