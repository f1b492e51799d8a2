// Keeps how far a subscription has come, which callers wait for a later position, and how the subscription ended.

type Waiting = { position: number; resolve: () => void; reject: (error: unknown) => void }
export type Failure = { error: unknown }

export const createProgress = (after: number) => {
  let position = after
  let waiting: Waiting[] = []
  let isOver = false
  let failure: Failure | undefined
  let settle = () => {}
  const done = new Promise<void>((resolve, reject) => {
    settle = () => (failure === undefined ? resolve() : reject(failure.error))
  })
  const reason = (): unknown => failure?.error ?? new Error('the subscription was stopped')

  return {
    position: () => position,
    isOver: () => isOver,
    /** Records that everything up to a number was handled. */
    moveTo(upTo: number): void {
      position = upTo
      if (waiting.length === 0) return
      for (const one of waiting) if (one.position <= position) one.resolve()
      waiting = waiting.filter(one => one.position > position)
    },
    reached(upTo: number): Promise<void> {
      if (position >= upTo) return Promise.resolve()
      if (isOver) return Promise.reject(reason())
      return new Promise((resolve, reject) => waiting.push({ position: upTo, resolve, reject }))
    },
    /** Called once, when the subscription was stopped or failed. Waiting callers are rejected. */
    end(failed: Failure | undefined): void {
      isOver = true
      failure = failed
      if (waiting.length === 0) return // the usual case; to make an error costs 3 µs
      const error = reason()
      for (const { reject } of waiting) reject(error)
      waiting = []
    },
    /** Called after the end, when the handler is done: `done` resolves, or rejects with the failure. */
    settle: (): void => settle(),
    done,
  }
}
export type Progress = ReturnType<typeof createProgress>
