// Calls listeners after each commit, before the callers whose events the commit contains get their answers. Commits are
// handed over in order: all listeners are done with one commit before they are called with the next.
import type { Recorded } from '../contract/stored.ts'

export type CommitListener = (events: Recorded[]) => void | Promise<void>

/** `publish` is called for each commit after the listeners. */
export const createCommitListeners = (publish: (events: Recorded[]) => void) => {
  const listeners: CommitListener[] = []
  let notifying: Promise<void> | undefined

  /** Calls one listener after the other. A listener that returns no promise costs no turn of the event loop. */
  const call = (events: Recorded[]): Promise<void> | undefined => {
    let called: Promise<void> | undefined
    for (const listener of listeners) {
      called = called === undefined ? (listener(events) ?? undefined) : called.then(() => listener(events))
    }
    if (called !== undefined) return called.then(() => publish(events))
    publish(events)
    return undefined
  }

  return {
    add: (listener: CommitListener): void => void listeners.push(listener),
    /** `answer` is called when the listeners are done: at once, unless a promise of a listener is still awaited. */
    notify(events: Recorded[], answer: () => void): void {
      const called = notifying === undefined ? call(events) : notifying.then(() => call(events))
      if (called === undefined) {
        answer()
        return
      }
      const mine = called.then(answer).then(() => {
        if (notifying === mine) notifying = undefined
      })
      notifying = mine
    },
    isIdle: () => notifying === undefined,
  }
}
