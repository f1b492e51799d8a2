// A list of functions that are called when something has happened, in the order in which they were added.

export const createListeners = <Args extends unknown[], Answer = void>() => {
  const listeners: ((...args: Args) => Answer)[] = []
  return {
    add: (listener: (...args: Args) => Answer): void => void listeners.push(listener),
    call(...args: Args): void {
      for (const listener of listeners) listener(...args)
    },
    /** Calls each listener when the one before it has ended. */
    async callInTurn(...args: Args): Promise<void> {
      for (const listener of listeners) await listener(...args)
    },
  }
}
