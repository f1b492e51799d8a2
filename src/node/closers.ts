// Closes what was opened, the last first, so that nothing loses what it still needs.
export const createClosers = () => {
  const closers: (() => unknown)[] = []
  return {
    /** Calls `close` at the end, before all that were added earlier. */
    add: (close: () => unknown): void => void closers.push(close),
    async close(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}
export type Closers = ReturnType<typeof createClosers>
