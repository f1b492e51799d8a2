// Assembles erasures: legal holds, the commands, retention, and the part that finishes stored erasures.
import type { SessionFolders } from '../../actors/env-session/ports.ts'
import type { Projector } from '../../projections/projector.ts'
import type { Roots } from '../access/user-folders.ts'
import type { Events } from '../bus/events.ts'
import type { NatsBus } from '../bus/nats/nats-bus.ts'
import type { NotErased } from '../contract/events/erasure-events.ts'
import type { Report, World } from '../contract/ports.ts'
import { isTaskStream } from '../contract/task-stream.ts'
import type { Reach } from '../contract/tools.ts'
import type { CronQueries } from '../cron/queries.ts'
import type { createSessionSystem } from '../env-sessions/system.ts'
import { backgroundPause } from '../fairness/slices.ts'
import type { EventLog } from '../log/log.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { WebhookQueries } from '../webhooks/queries.ts'
import { createErasureCommands } from './commands.ts'
import { createErasedFiles } from './files.ts'
import { createFinisher } from './finisher.ts'
import { openHolds } from './holds.ts'
import { createRetention } from './retention.ts'
import type { RetentionRule } from './retention-rules.ts'
import { createStoredErasures } from './stored-erasures.ts'

type Deps = {
  log: EventLog
  world: World
  report: Report
  projector: Pick<Projector, 'erased' | 'rewrite'>
  secrets: Secrets
  tasks: Pick<Tasks, 'queries' | 'commands' | 'runtime' | 'streams' | 'files'>
  environments: Pick<ReturnType<typeof createSessionSystem>, 'sessions' | 'queries'>
  webhooks: { queries: Pick<WebhookQueries, 'there'> }
  cron: { queries: Pick<CronQueries, 'ofUser'> }
  events: Pick<Events, 'forget'>
  sessionFolders: SessionFolders
  roots: Roots
  retention?: readonly RetentionRule[]
  /** Called after each step of an erasure; tests end the process there. */
  reach?: Reach
  /** Forgets the agents of a user's workers. */
  forgetUser?: ((user: string) => Promise<void>) | undefined
  /** Deletes messages in NATS. Absent: there is no NATS. */
  nats?: Pick<NatsBus, 'erase'> | undefined
}

/** Milliseconds between two attempts to finish erasures. */
const retryMs = 30_000

const elsewhere: readonly NotErased[] = [
  { what: 'backups', why: 'the server does not know them: remove those that are older than this erasure' },
  { what: 'exports', why: 'the server does not know them: ask those who have some to remove them' },
  {
    what: 'what was sent away',
    why: 'receivers of webhooks, subscribers, collectors of spans, and endpoints of models keep what they got',
  },
]

/** Rejects with StorageFailure or DamagedEvent. */
export const openErasures = async (deps: Deps) => {
  const { log, world, report, tasks, environments, secrets } = deps
  const rows = tasks.queries.erasable
  const reach = deps.reach ?? (() => {})
  const holds = await openHolds({ log, ids: world.ids })
  const stored = createStoredErasures(log)
  const readers = new Set<() => unknown>()
  const finisher = createFinisher({
    destroyers: {
      log,
      files: createErasedFiles({
        ...{ log, rows, secrets, roots: deps.roots },
        folders: deps.sessionFolders,
        saved: tasks.files,
      }),
      forget(streams) {
        deps.events.forget()
        for (const stream of streams.filter(isTaskStream)) {
          tasks.runtime.passivate(stream)
          tasks.streams.erase(stream)
        }
      },
      rowsErased: deps.projector.erased,
      rewriteReadModels: deps.projector.rewrite,
      nats: deps.nats?.erase,
      forgetUser: deps.forgetUser,
      readers: async () => void (await Promise.all([...readers].map(each => each()))),
      elsewhere,
      reach,
    },
    stored,
    report,
  })
  // A write may have failed although the file has its events.
  log.onReopened(async () => {
    await holds.lookAgain()
    await finisher.lookAgain()
  })
  const commands = createErasureCommands({
    log,
    erasedBy: log.erasedBy,
    rows,
    sessionQueries: environments.queries,
    settingsOf: userId => ({
      jobs: deps.cron.queries.ofUser(userId),
      webhooks: deps.webhooks.queries.there().filter(webhook => webhook.userId === userId && !webhook.ofTask),
    }),
    tasks: tasks.commands,
    sessions: environments.sessions,
    holds,
    stored,
    finisher,
    forgetUser: deps.forgetUser,
    pause: backgroundPause(),
    ids: world.ids,
    reach,
  })
  const { clock, timers, ids } = world
  const { retire } = commands
  const rules = deps.retention ?? []
  const retention = createRetention({ log, rows, retire, rules, clock, timers, ids, report })
  let stopTrying = () => {}
  return {
    ...commands,
    holds,
    /** `settle` is awaited before an erasure is answered: then no data that was read earlier is sent any more. */
    beforeAnswers: (settle: () => unknown): void => void readers.add(settle),
    /** Continues the erasures that a crash has left unfinished, before the server answers requests. */
    async start(): Promise<void> {
      await finisher.resume()
      retention.start()
      stopTrying = world.timers.every(retryMs, () => void finisher.retry())
    },
    stop(): void {
      stopTrying()
      retention.stop()
    },
    retention,
    counts: () => ({ pending: finisher.pending(), ...retention.counts() }),
  }
}
export type Erasures = Awaited<ReturnType<typeof openErasures>>
