// Knows whether the server can be reached. After a request without an answer, it asks again and again until there is one.
import { effect, signal } from '@preact/signals'
import { root } from './address.ts'
import { isOfProxy } from './api-error.ts'

/** Milliseconds between two questions: short at first, so that a start of the server is hardly noticed. */
const [firstWaitMs, longestWaitMs] = [300, 3_000]

/** Whether the newest question got no answer. Then nothing can be changed. */
export const isAway = signal(false)

/** Whether the server itself answers. */
const answers = (): Promise<boolean> =>
  fetch(`${root}healthz`, { cache: 'no-store' }).then(
    ({ status }) => !isOfProxy(status),
    () => false,
  )

const ask = async (): Promise<void> => {
  for (let waitMs = firstWaitMs; !(await answers()); waitMs = Math.min(longestWaitMs, 2 * waitMs)) {
    isAway.value = true
    await new Promise(resolve => setTimeout(resolve, waitMs))
  }
  isAway.value = false
}

let asking: Promise<void> | undefined
/** Asks whether the server is there. Resolves when it is. Called when a request had no answer, or a connection broke. */
export const doubt = (): Promise<void> => {
  asking ??= ask().finally(() => {
    asking = undefined
  })
  return asking
}

/** Resolves when the server is there, at once if nothing is known against it. */
export const whenThere = (): Promise<void> =>
  new Promise(resolve => {
    const stop = effect(() => {
      if (isAway.value) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
