// Follows something until it has ended, and tries again when that fails.

const firstWaitMs = 300
const longestWaitMs = 5_000

type Options = {
  follow: () => Promise<void>
  /** Called when `follow` failed. Returns true when it makes no sense to try again. */
  failed: (error: unknown) => boolean
  hasEnded: () => boolean
  signal: AbortSignal
}

/** Resolves when `hasEnded` or `failed` returns true, or when the signal aborts. */
export const keepTrying = async ({ follow, failed, hasEnded, signal }: Options): Promise<void> => {
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    try {
      await follow()
      if (hasEnded()) return
      waitMs = firstWaitMs // no failure: a server that stops ends its streams
    } catch (error) {
      if (signal.aborted || failed(error)) return
    }
    await new Promise(resolve => setTimeout(resolve, waitMs))
    waitMs = Math.min(longestWaitMs, waitMs * 2)
  }
}
