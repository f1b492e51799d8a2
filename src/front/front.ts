// The front of a shard: the HTTP surface, and what only this surface needs. It listens on no port: a server gives it
// the requests.
import { setMaxListeners } from 'node:events'
import { createReads, noReads, type Reads } from '../access/reads.ts'
import { type Config, isWeak } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { createApp } from '../http/app.ts'
import { watchUnsent } from '../http/unsent.ts'
import { openAuditTrail } from '../log/audit.ts'
import type { EventLog } from '../log/log.ts'
import type { Shard } from '../maintenance/open-shard.ts'
import { keepPastHour } from '../metrics/past-hour.ts'
import { startTelemetry } from '../telemetry/follower.ts'
import { workLines } from '../telemetry/work-lines.ts'
import { doorsOf, type NodeState, servingOf } from './doors.ts'

/** Records who read which tasks, if the operator wants that. */
const readsOf = ({ auditReads }: Config, { system, world }: Shard, report: Report): Reads =>
  auditReads ? createReads({ log: system.log, clock: world.clock, timers: world.timers, report }) : noReads

/**
 * Warns of a weak admin token. At the log levels `info` and `debug`, reports from now on what tasks and sessions do.
 */
const reportWork = (config: Config, log: EventLog, report: Report): void => {
  if (isWeak(config.adminToken)) {
    report(
      'warn',
      'ADMIN_TOKEN can be guessed: set it to 32 random characters, for example the output of openssl rand -hex 16',
    )
  }
  if (config.logLevel === 'info' || config.logLevel === 'debug') log.onCommit(workLines(report))
}

/** Puts the HTTP surface in front of an open shard. `node`: absent on a single machine. */
export const createFront = async (config: Config, shard: Shard, report: Report, node?: NodeState) => {
  const { system, files, world, nats, protection } = shard
  const { log, tasks } = system
  reportWork(config, log, report)
  const audit = openAuditTrail(files.log, log)
  const reads = readsOf(config, shard, report)
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // every open stream and every waiting request adds a listener
  const serving = servingOf(config, shard, reads, stopping.signal, report)
  const { requests } = shard.metrics
  const pastHour = keepPastHour({ world, head: log.head, lag: system.lag, requests })
  const app = await createApp(doorsOf(config, shard, { serving, audit, node, pastHour, report }))
  system.erasures.beforeAnswers(watchUnsent(app.server).settle)
  let telemetry: ReturnType<typeof startTelemetry> | undefined
  return {
    app,
    system,
    wall: protection.wall,
    ownUsers: protection.ownUsers,
    resumed: system.resumed,
    running: () => tasks.runtime.busy(),
    /** The path of a one-time link to the console, for its administrator. */
    consoleLink: () => `/ui#login=${shard.logins.issue({ id: 'admin' }).ticket}`,
    /** Begins to send events, checkpoints and spans to others. */
    publish(): void {
      if (nats !== undefined) shard.proof.signer.onNew(({ text }) => nats.publishCheckpoint(text))
      nats?.start()
      const settings = config.telemetry
      telemetry =
        settings && startTelemetry({ log, file: files.telemetry, settings, timers: world.timers, report })
    },
    /** Refuses new work, and lets running steps finish for up to `patienceMs` milliseconds. */
    async drain(patienceMs: number): Promise<void> {
      stopping.abort()
      await system.drain(patienceMs)
    },
    /** Ends open streams, and closes the shard. */
    async close(): Promise<void> {
      stopping.abort()
      serving.openStreams.stop()
      pastHour.stop()
      await Promise.all([telemetry?.stop(), nats?.stop()])
      audit.close()
      await reads.stop()
      await system.close()
      shard.environments.close()
      await shard.children.close()
    },
  }
}
export type Front = Awaited<ReturnType<typeof createFront>>
