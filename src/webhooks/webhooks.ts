// Wires everything for webhooks: the command and query services, and the couriers that deliver.
import { setMaxListeners } from 'node:events'
import type { Inspect } from '../../actors/runtime/logic.ts'
import { createRuntime } from '../../actors/runtime/runtime.ts'
import { webhookKind } from '../../actors/webhook/actor.ts'
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import type { Makers } from '../access/makers.ts'
import type { Events } from '../bus/events.ts'
import { webhookStream } from '../contract/events/webhook-events.ts'
import type { Report, World } from '../contract/ports.ts'
import { StorageFailure } from '../contract/stored.ts'
import type { OutsideFetch } from '../egress/guarded-fetch.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { Webhook } from '../history/webhook.ts'
import type { EventLog } from '../log/log.ts'
import type { Once } from '../once/once.ts'
import type { Secrets } from '../platform/secrets.ts'
import { version } from '../platform/version.ts'
import { createWebhookCommands } from './commands.ts'
import { createDeliveryCounts } from './counts.ts'
import type { AskWebhook } from './courier-deps.ts'
import { createCouriers } from './couriers.ts'
import { createDeliver } from './deliver.ts'
import { createLanes } from './lanes.ts'
import type { Forms } from './letter.ts'
import { createWebhookQueries } from './queries.ts'
import { createSealed } from './sealed.ts'
import { createSend } from './send.ts'
import { createWebhookTable } from './table.ts'
import { createTries } from './tries.ts'

type Deps = {
  world: World
  log: EventLog
  store: ReadStore
  projector: Projector
  events: Pick<Events, 'subscribe'>
  once: Once
  secrets: Secrets
  quotas: Pick<Quotas, 'mayMakeWebhook'>
  makers: Pick<Makers, 'mayAct' | 'onChange'>
  outside: OutsideFetch
  forms: Forms
  endOf: (taskId: string) => number | undefined
  isDraining: () => boolean
  inspect?: Inspect | undefined
  report: Report
}

/** Milliseconds between two rounds that forget secrets which were replaced a day ago. */
const sweepMs = 3600 * 1000

/** A number from 0 to 1. */
const chanceOf =
  ({ random }: World) =>
  () =>
    Buffer.from(random.text(4), 'base64url').readUInt32BE() / 2 ** 32

export const createWebhooks = (deps: Deps) => {
  const { world, log, projector, outside, report } = deps
  const { clock, timers } = world
  const table = createWebhookTable()
  const queries = createWebhookQueries(deps.store, projector)
  table.fill(queries.there())
  const mayAct = ({ maker, userId }: Pick<Webhook, 'maker' | 'userId'>) =>
    deps.makers.mayAct({ token: maker, userId })
  const sealed = createSealed(deps.secrets, clock, world.ids)
  const runtime = createRuntime({
    log,
    kind: webhookKind({ clock, find: table.get, seal: sealed.seal }),
    timers,
    onFault: error => report('error', 'the actor of a webhook has failed', { error: String(error) }),
    inspect: deps.inspect,
  })
  const ask: AskWebhook = (id, command) => runtime.ask(webhookStream(id), command)
  const begin: AskWebhook = (id, command) => runtime.ask(webhookStream(id), command, true)
  const counts = createDeliveryCounts()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // each delivery that waits for its place adds a listener
  const send = createSend({ outside, clock, timers, userAgent: `reprise/${version}` })
  const deliver = createDeliver({ send, lanes: createLanes(), sealed, stopping: stopping.signal })
  const couriers = createCouriers({
    table,
    events: deps.events,
    ask,
    deliver,
    forms: deps.forms,
    counts,
    clock,
    timers,
    chance: chanceOf(world),
    stopping: stopping.signal,
    mayRun: webhook => webhook.disabled === null && mayAct(webhook) && !deps.isDraining(),
    onFault(error, id) {
      if (!(error instanceof StorageFailure))
        report('error', `webhook ${id} cannot be delivered`, { error: String(error) })
    },
  })
  log.onCommit(events => {
    table.take(events, (before, after) => {
      sealed.forgetUnused(before, after)
      couriers.changed(after)
    })
  })
  deps.makers.onChange(couriers.reviewAll)
  // A write may have failed although the file has its events.
  log.onReopened(async () => {
    await projector.catchUp()
    table.fill(queries.there())
    couriers.reviewAll()
  })
  let stopSweeping = () => {}
  return {
    queries,
    commands: createWebhookCommands({ ...deps, ...world, table, ask, begin, sealed }),
    tries: createTries({ ...deps, find: table.get, ask, deliver, ...world }),
    mayAct,
    /** Begins to deliver, at the stored checkpoints. */
    start(): void {
      sealed.sweep(table.all())
      stopSweeping = timers.every(sweepMs, () => sealed.forgetReplaced(table.all()))
      couriers.start()
    },
    /** The number of requests that are under way. */
    busy: deliver.underWay,
    /** For the metrics. */
    counts: () => ({ outcomes: counts.byOutcome(), webhooks: table.size(), lagMs: couriers.lagMs() }),
    async stop(): Promise<void> {
      stopSweeping()
      stopping.abort()
      await couriers.stop()
      runtime.stop()
      await outside.close()
    },
  }
}
export type Webhooks = ReturnType<typeof createWebhooks>
