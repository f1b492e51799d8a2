// Makes what each group of routes needs from an open shard (a log with its read models and its actors).
import { describeCronJob } from '../../actors/cron/machine.ts'
import { describeSession } from '../../actors/env-session/machine.ts'
import { describeMachine } from '../../actors/task/machine.ts'
import type { Reads } from '../access/reads.ts'
import { agentList } from '../agents/list.ts'
import type { ConditionCode } from '../cluster/conditions.ts'
import type { Config } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { AppDeps } from '../http/app.ts'
import type { ExportDoor, ProofDoor, Serving, StateDoor, TaskDoor } from '../http/doors.ts'
import { createLongAnswers } from '../http/long-answers.ts'
import { createOpenStreams } from '../http/open-streams.ts'
import type { openAuditTrail } from '../log/audit.ts'
import type { Shard } from '../maintenance/open-shard.ts'
import { createSentExports } from '../maintenance/sent-export.ts'
import type { ClusterCounts } from '../metrics/cluster-families.ts'
import type { PastHour } from '../metrics/past-hour.ts'

export const servingOf = (
  { publicUrl }: Pick<Config, 'publicUrl'>,
  shard: Shard,
  reads: Reads,
  stopping: AbortSignal,
  report: Report,
): Serving => {
  const { principals, tickets, logins, world, system } = shard
  return {
    principals,
    tickets,
    logins,
    openStreams: createOpenStreams({ principals, tickets }),
    quotas: system.fairness.quotas,
    longAnswers: createLongAnswers(stopping, system.fairness.loop, () =>
      system.fairness.quotas.countRefusal('answers'),
    ),
    reads,
    stopping,
    newId: () => world.ids.next('req_'),
    publicUrl,
    addressOf: path => `${publicUrl?.prefix ?? ''}${path}`,
    fault: (error, about) =>
      report('error', 'a request failed because of a defect of the server', {
        ...about,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  }
}

const taskDoorOf = (config: Config, { system, metrics, world }: Shard): TaskDoor => {
  const { commands, queries, recall, requests, streams, idempotency } = system.tasks
  return {
    commands,
    queries,
    recall,
    requests,
    machineOf: describeMachine,
    afterAnswers: streams.afterAnswers,
    bodyLimit: config.bodyLimit,
    newItemId: () => world.ids.next('tr_'),
    streamOf: taskStream,
    openFeed: (request, isNew) => metrics.requests.taskStream(streams.open(request, isNew)),
    storedFrames: streams.stored,
    nextFrame: streams.next,
    notDelivered: idempotency.notDelivered,
  }
}

/** What a node of a cluster says about itself. */
export type NodeState = {
  inCluster: () => {
    node: string
    role: 'owner' | 'standby'
    owner: string | null
    /** What is wrong at the moment. `since`: ISO 8601. */
    conditions: { code: ConditionCode; message: string; since: string }[]
  }
  counts: () => ClusterCounts
}

const stateDoorOf = (
  { system, protection, metrics, nats, proof }: Shard,
  node: NodeState | undefined,
  pastHour: PastHour,
): StateDoor => {
  const { log, fairness, lag, webhooks } = system
  const { queries, scheduler } = system.tasks
  return {
    pastHour,
    readiness: () => ({
      log: log.isFailing() ? 'failing' : 'ok',
      read_models: queries.isCurrent() ? 'ok' : 'behind',
      sandbox: protection.wall,
      own_users: protection.ownUsers,
      position: queries.headPosition(),
      tasks: { ...queries.taskCounts(), ...scheduler.counts() },
      ...(node === undefined ? {} : { cluster: node.inCluster() }),
    }),
    metrics: metrics.exposition({
      taskCounts: queries.taskCounts,
      places: scheduler.counts,
      headPosition: log.head,
      isLogFailing: log.isFailing,
      lag,
      quotas: fairness.counts,
      webhooks: webhooks.counts,
      cron: system.cron.counts,
      proof: proof.counts,
      erasures: system.erasures.counts,
      ...(nats === undefined ? {} : { nats: nats.counts }),
      ...(node === undefined ? {} : { cluster: node.counts }),
    }),
  }
}

const proofDoorOf = ({ proof: { checkpointer, signer, key, tree } }: Shard): ProofDoor => ({
  newest: checkpointer.newest,
  keys: key.known,
  tree,
  rotate: signer.rotate,
})

const exportDoorOf = ({ files, system, proof, world }: Shard): ExportDoor => {
  const exports = createSentExports({
    files,
    head: system.log.head,
    covering: proof.checkpointer.covering,
    newId: () => world.ids.next(''),
  })
  system.erasures.beforeAnswers(exports.breakOff)
  return { archive: exports.archive, queries: system.tasks.queries }
}

/** The services of a shard, grouped by the routes that use them. */
export const doorsOf = (
  config: Config,
  shard: Shard,
  {
    serving,
    audit,
    node,
    pastHour,
    report,
  }: {
    serving: Serving
    pastHour: PastHour
    node: NodeState | undefined
    audit: ReturnType<typeof openAuditTrail>
    report: Report
  },
): AppDeps => {
  const { system, agents, metrics } = shard
  const { sessions, queries: sessionQueries } = system.environments
  return {
    serving,
    gate: {
      allowedOrigins: config.allowedOrigins,
      loop: system.fairness.loop,
      requests: metrics.requests,
      report,
      verbose: config.logLevel === 'debug',
    },
    state: stateDoorOf(shard, node, pastHour),
    tasks: taskDoorOf(config, shard),
    sessions: {
      sessions,
      sessionQueries,
      sessionMachineOf: describeSession,
      idleSeconds: config.sessionIdleSeconds,
    },
    environments: { sessions, environments: system.kinds },
    cron: { ...system.cron, machineOf: describeCronJob },
    agents: agentList([...agents.values()]),
    events: system.bus.events,
    webhooks: system.webhooks,
    audit: { audit, queries: system.tasks.queries },
    erasures: system.erasures,
    proof: proofDoorOf(shard),
    exports: exportDoorOf(shard),
  }
}
