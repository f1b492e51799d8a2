import type { Timers } from '../contract/ports.ts'

/** The sleepers of each signal. They share one listener, since Node.js warns when a signal has more than ten. */
const sleeping = new WeakMap<AbortSignal, { wakes: Set<() => void>; wakeAll: () => void }>()

const lieDown = (signal: AbortSignal, wake: () => void): void => {
  const others = sleeping.get(signal)
  if (others !== undefined) return void others.wakes.add(wake)
  const wakes = new Set([wake])
  const wakeAll = () => {
    for (const each of [...wakes]) each()
  }
  sleeping.set(signal, { wakes, wakeAll })
  signal.addEventListener('abort', wakeAll, { once: true })
}
const getUp = (signal: AbortSignal, wake: () => void): void => {
  const all = sleeping.get(signal)
  if (!all?.wakes.delete(wake) || all.wakes.size > 0) return
  sleeping.delete(signal)
  signal.removeEventListener('abort', all.wakeAll)
}

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. The caller must check the signal afterwards. */
export const sleep = (timers: Timers, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const wake = () => {
      cancel()
      getUp(signal, wake)
      resolve()
    }
    const cancel = timers.after(ms, wake)
    lieDown(signal, wake)
  })

/** Resolves when `done` does, or after `ms` milliseconds. */
export const waitAtMost = async (timers: Timers, ms: number, done: Promise<void>): Promise<void> => {
  const over = new AbortController()
  await Promise.race([done, sleep(timers, ms, over.signal)])
  over.abort() // a timer that waits would keep the process running
}
