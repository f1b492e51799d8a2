import type { Timers } from '../contract/ports.ts'
import { McpFailure } from './failure.ts'
import { openMs } from './limits.ts'
import type { McpServer } from './server.ts'

export const tooLate = (server: McpServer, ms: number) =>
  new McpFailure(server.name, `did not answer in ${ms / 1000} s`, { isLate: true })

/** A promise that rejects after `ms`, unless it is canceled before. */
export const lateAfter = (timers: Pick<Timers, 'after'>, server: McpServer, ms: number) => {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = timers.after(ms, () => reject(tooLate(server, ms)))
  })
  late.catch(() => {}) // when nobody waits any more
  return { late, cancel: () => cancel() }
}

/** Rejects when the work takes longer than `ms`. The work continues until the connection is closed. */
export const within = async <T>(
  timers: Pick<Timers, 'after'>,
  server: McpServer,
  work: Promise<T>,
  ms = openMs,
): Promise<T> => {
  const { late, cancel } = lateAfter(timers, server, ms)
  return Promise.race([work, late]).finally(cancel)
}
