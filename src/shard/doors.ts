// Makes what each group of routes needs from an open shard (a log with its read models and its actors).
import { defaultAgentOf } from '../agents/agents.ts'
import { builtinInfos } from '../agents/list.ts'
import type { ConditionCode } from '../cluster/conditions.ts'
import type { Config } from '../config.ts'
import type { AuditTrail } from '../contract/audit.ts'
import { machineOf, machineOfCronJob, machineOfSession } from '../contract/charts/machines.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { AppDeps } from '../http/app.ts'
import type { AgentDoor, ExportDoor, McpDoor, ProofDoor, StateDoor, TaskDoor } from '../http/doors.ts'
import { createSentExports } from '../maintenance/export/sent-export.ts'
import type { ClusterCounts } from '../metrics/cluster-families.ts'
import type { PastHour } from '../metrics/past-hour.ts'
import type { ShardParts } from './opening/open-shard.ts'

const taskDoorOf = (config: Config, { system, metrics, world }: ShardParts): TaskDoor => {
  const { commands, queries, recall, requests, streams, idempotency } = system.tasks
  return {
    commands,
    queries,
    recall,
    requests,
    machineOf,
    afterAnswers: streams.afterAnswers,
    wereTaken: streams.wereTaken,
    hasTaken: streams.hasTaken,
    bodyLimit: config.bodyLimit,
    newItemId: () => world.ids.next('tr_'),
    streamOf: taskStream,
    openFeed: (request, isNew) => metrics.requests.taskStream(streams.open(request, isNew)),
    storedFrames: streams.stored,
    nextFrame: streams.next,
    createdOf: streams.created,
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
  { system, protection, metrics, nats, proof }: ShardParts,
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
      sandbox: protection.sandbox,
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

const proofDoorOf = ({ proof: { checkpointer, signer, key, tree } }: ShardParts): ProofDoor => ({
  newest: checkpointer.newest,
  keys: key.known,
  tree,
  rotate: signer.rotate,
})

const exportDoorOf = ({ files, system, proof, world }: ShardParts): ExportDoor => {
  const exports = createSentExports({
    files,
    head: system.log.head,
    covering: proof.checkpointer.covering,
    newId: () => world.ids.next(''),
  })
  system.erasures.beforeAnswers(exports.breakOff)
  return { archive: exports.archive, queries: system.tasks.queries }
}

const agentDoorOf = ({ agents, codeHosts }: ShardParts): AgentDoor => ({
  list: user =>
    [...builtinInfos([...agents.values()]), ...codeHosts.list(user)].map(info => ({
      place: `${info.name}\0${info.user_id ?? ''}`,
      info,
    })),
  fallback: defaultAgentOf({ hasModel: agents.has('model') }),
  workers: codeHosts.workers.list,
  connect: codeHosts.workers.connect,
})

/** Milliseconds for which a list of tools waits for agents that are being loaded. */
const loadingMs = 10_000

const mcpDoorOf = (
  { mcpTaskAfterMs }: Config,
  { checker, codeHosts, world: { timers } }: ShardParts,
): McpDoor => ({
  taskAfterMs: mcpTaskAfterMs,
  async agentsKnown() {
    let forget = () => {}
    const late = new Promise<void>(resolve => {
      forget = timers.after(loadingMs, resolve)
    })
    await Promise.race([codeHosts.settled(), late]).finally(() => forget())
  },
  async problemsOf(schema, value, user) {
    const verdict = await checker.check(schema, value, user)
    return verdict.ok ? [] : verdict.problems
  },
})

/** The services of a shard, grouped by the routes that use them. */
export type Doors = Omit<AppDeps, 'serving' | 'gate'>

export const doorsOf = (
  config: Config,
  shard: ShardParts,
  { audit, node, pastHour }: { audit: AuditTrail; node: NodeState | undefined; pastHour: PastHour },
): Doors => {
  const { system } = shard
  const { sessions, queries: sessionQueries } = system.environments
  return {
    state: stateDoorOf(shard, node, pastHour),
    tasks: taskDoorOf(config, shard),
    sessions: {
      sessions,
      sessionQueries,
      sessionMachineOf: machineOfSession,
      idleSeconds: config.sessionIdleSeconds,
    },
    environments: { sessions, environments: system.kinds },
    cron: { ...system.cron, machineOf: machineOfCronJob },
    agents: agentDoorOf(shard),
    mcp: mcpDoorOf(config, shard),
    events: system.bus.events,
    webhooks: system.webhooks,
    audit: { audit, queries: system.tasks.queries },
    erasures: system.erasures,
    proof: proofDoorOf(shard),
    exports: exportDoorOf(shard),
  }
}
