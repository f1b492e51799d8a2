// Keeps a connection to one of the NATS servers. Whenever it ends, a connection to the next server is made. Nothing is
// sent again by itself: a message that was under way when a connection ended may be lost, and its sender decides
// whether to repeat it.
import type { NatsConnection } from '@nats-io/transport-node'
import { load } from '../../bus/nats/client.ts'
import { connectTo } from '../../bus/nats/connect.ts'
import { reasonOf } from '../../bus/nats/nats.ts'
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import type { Report, Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { Unknown } from '../shared-log.ts'
import { createLinkReports } from './link-reports.ts'

export type Link = {
  /** Waits up to `ms` milliseconds for a connection. Rejects with Unknown. */
  connected(ms: number): Promise<NatsConnection>
  /** Ends a connection over which no answer comes, so that the next server is tried. */
  leave(connection: NatsConnection): void
  close(): Promise<void>
}
export type LinkDeps = { settings: NatsSettings; timers: Timers; report: Report }

/** Milliseconds without an answer after which a server counts as lost. */
const patience = { connectMs: 1000, pingMs: 1000 }
/** Milliseconds before the next server is tried, and before the first one is tried again. */
const nextMs = 20
const againMs = 200

export const openLink = ({ settings, timers, report }: LinkDeps): Link => {
  const stopping = new AbortController()
  const reports = createLinkReports(report, settings.shown)
  const waiting = new Set<(connection: NatsConnection | undefined) => void>()
  let current: NatsConnection | undefined

  const watch = async (connection: NatsConnection): Promise<void> => {
    for await (const status of connection.status())
      if (status.type === 'error') reports.refused(reasonOf(status.error))
  }
  /** Resolves when the connection to this server has ended, or could not be made. */
  const use = async (server: string): Promise<void> => {
    try {
      const connection = await connectTo({ ...settings, servers: [server] }, await load(), patience)
      if (stopping.signal.aborted) return await connection.close()
      current = connection
      reports.connected(connection.getServer())
      watch(connection).catch(() => {}) // the loop ends with the connection
      for (const take of [...waiting]) take(connection)
      const error = await connection.closed()
      reports.away(error ? reasonOf(error) : 'the connection has ended', stopping.signal.aborted)
    } catch (error) {
      reports.away(reasonOf(error), stopping.signal.aborted)
    } finally {
      current = undefined
    }
  }
  const keep = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for (const server of settings.servers) {
        await use(server)
        if (stopping.signal.aborted) return
        await sleep(timers, nextMs, stopping.signal)
      }
      await sleep(timers, againMs, stopping.signal)
    }
  }
  const kept = keep()

  return {
    connected: ms =>
      new Promise((resolve, reject) => {
        const take = (connection: NatsConnection | undefined) => {
          cancel()
          waiting.delete(take)
          if (connection !== undefined) resolve(connection)
          else reject(new Unknown(`no server of ${settings.shown} is reached`))
        }
        const cancel = timers.after(Math.max(0, ms), () => take(undefined))
        if (stopping.signal.aborted) return take(undefined)
        if (current !== undefined && !current.isClosed()) return take(current)
        waiting.add(take)
      }),
    leave: connection => void connection.close().catch(() => {}),
    async close() {
      stopping.abort()
      for (const take of [...waiting]) take(undefined)
      await current?.close()
      await kept
    },
  }
}
