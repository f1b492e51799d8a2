// Closes what was opened, in reverse order, so that nothing is closed while a later part still needs it.
export const createClosers = () => {
  const closers: (() => unknown)[] = []
  return {
    /** Makes `close` be called at the end, before the functions that were added earlier. */
    add: (close: () => unknown): void => void closers.push(close),
    async close(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}
export type Closers = ReturnType<typeof createClosers>
