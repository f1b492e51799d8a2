// A shard is a log with everything that works on it: actors, read models, the tree, timers. This file is all that a front
// knows of one. A front checks tokens and has the routes; no rule about tasks is in it. Today a process has one shard and
// one front.
import { createReads, noReads, type Reads } from '../access/reads.ts'
import type { Config } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import type { Gate, Serving } from '../http/doors.ts'
import { openAuditTrail } from '../log/audit.ts'
import { samplePastHour } from '../metrics/past-hour.ts'
import { startTelemetry } from '../telemetry/follower.ts'
import { workLines } from '../telemetry/work-lines.ts'
import { type Doors, doorsOf, type NodeState } from './doors.ts'
import type { ShardParts } from './opening/open-shard.ts'

export type Shard = {
  /**
   * The services for the routes of each capability. Commands are asynchronous. Reads of read models, like those of
   * tokens and quotas below, are synchronous, since they are in the same process.
   */
  doors: Doors
  /** Who may ask, and which reads are recorded. */
  access: Pick<Serving, 'principals' | 'tickets' | 'logins' | 'reads'>
  /** The shares of the event loop and the quotas of users. */
  fairness: Pick<Gate, 'loop'> & Pick<Serving, 'quotas'>
  requests: Gate['requests']
  /** A new id that begins with this text. */
  newId: (prefix: string) => string
  /** The sandbox around programs of users, the system users for them, and the number of resumed tasks. */
  sandbox: ShardParts['protection']['sandbox']
  ownUsers: ShardParts['protection']['ownUsers']
  resumed: number
  /** The number of running pieces of work of tasks. */
  running(): number
  /** `settle` is awaited before an erasure answers, so that nothing erased is sent afterwards. */
  beforeAnswers: ShardParts['system']['erasures']['beforeAnswers']
  /** Begins to send events, checkpoints and spans to others. */
  publish(): void
  /** Lets no new work begin, and waits up to `ms` milliseconds for work that runs. */
  drain(ms: number): Promise<void>
  /** Stores what is left to store, and closes everything of the shard. */
  close(): Promise<void>
}

/** Records who read which tasks, if the operator wants that. */
const readsOf = ({ auditReads }: Config, { system, world }: ShardParts, report: Report): Reads =>
  auditReads ? createReads({ log: system.log, clock: world.clock, timers: world.timers, report }) : noReads

/** `parts`: an open shard. `node`: absent on a single machine. */
export const createShard = (config: Config, parts: ShardParts, report: Report, node?: NodeState): Shard => {
  const { system, files, world, nats, protection, principals, tickets, logins, codeHosts } = parts
  const { log, fairness, tasks } = system
  const { requests } = parts.metrics
  if (config.logLevel === 'info' || config.logLevel === 'debug') log.onCommit(workLines(report))
  const audit = openAuditTrail(files.log, log)
  const reads = readsOf(config, parts, report)
  const pastHour = samplePastHour({ world, head: log.head, lag: system.lag, requests })
  let telemetry: ReturnType<typeof startTelemetry> | undefined
  return {
    doors: doorsOf(config, parts, { audit, node, pastHour }),
    access: { principals, tickets, logins, reads },
    fairness: { loop: fairness.loop, quotas: fairness.quotas },
    requests,
    newId: prefix => world.ids.next(prefix),
    sandbox: protection.sandbox,
    ownUsers: protection.ownUsers,
    resumed: system.resumed,
    running: () => tasks.runtime.busy(),
    beforeAnswers: system.erasures.beforeAnswers,
    publish(): void {
      if (nats !== undefined) parts.proof.signer.onNew(({ text }) => nats.publishCheckpoint(text))
      nats?.start()
      const settings = config.telemetry
      telemetry =
        settings && startTelemetry({ log, file: files.telemetry, settings, timers: world.timers, report })
    },
    async drain(ms): Promise<void> {
      codeHosts.drain()
      await system.drain(ms)
      await codeHosts.workers.close()
    },
    async close(): Promise<void> {
      pastHour.stop()
      await Promise.all([telemetry?.stop(), nats?.stop()])
      await audit.close()
      await reads.stop()
      await system.close()
      await codeHosts.close()
      parts.environments.close()
      await parts.children.close()
    },
  }
}
