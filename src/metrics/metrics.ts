// The metrics of a server: counters that its work updates, and values that are read at a scrape. No label contains an
// id, a user, or anything else that a caller can choose.
import { taskStatuses } from '../contract/wire.ts'
import { build } from '../platform/version.ts'
import { type ClusterCounts, clusterFamilies } from './cluster-families.ts'
import { type CronCounts, cronFamilies } from './cron-families.ts'
import { type ErasureCounts, erasureFamilies } from './erasure-families.ts'
import { createEventCounts, type EventCounts, effectKinds, effectOutcomes } from './event-counts.ts'
import { counter, createExposition, type Family, gauge, histogram, type Labels } from './exposition.ts'
import { createLogCounts } from './log-counts.ts'
import { type NatsCounts, natsFamilies } from './nats-families.ts'
import { type ProofCounts, proofFamilies } from './proof-families.ts'
import { createRequestCounts } from './request-counts.ts'
import type { Tally } from './tally.ts'
import { type WebhookCounts, webhookFamilies } from './webhook-families.ts'

/** Values that only the running system knows. */
export type Gauges = {
  taskCounts(): Record<string, number>
  places(): { running: number; waiting: number }
  headPosition(): number
  isLogFailing(): boolean
  /** The number of positions by which the read models are behind the log. */
  lag(): number
  /** The number of requests that each quota has refused, and how much of each quota all users together use. */
  quotas(): { refused: [quota: string, count: number][]; used: Record<string, number> }
  webhooks(): WebhookCounts
  cron(): CronCounts
  proof(): ProofCounts
  erasures(): ErasureCounts
  /** Absent when NATS is not configured. */
  nats?: () => NatsCounts
  /** Absent on a single machine. */
  cluster?: () => ClusterCounts
}

const modelFamilies = ({ model }: EventCounts): Family[] => [
  counter('reprise_model_calls_total', 'Calls that a model endpoint answered.', () => model.calls),
  counter('reprise_model_tokens_total', 'Tokens of the calls that a model endpoint answered.', () => [
    [{ direction: 'input' }, model.inputTokens],
    [{ direction: 'output' }, model.outputTokens],
  ]),
]

export const createMetrics = () => {
  const log = createLogCounts()
  const events = createEventCounts()
  const requests = createRequestCounts()
  const one = (tally: Tally): [Labels, Tally][] => [[{}, tally]]

  const familiesOf = (gauges: Gauges): Family[] => [
    gauge('reprise_build_info', 'Always 1. The labels name the build and the version of Node.', () => [
      [{ build, node: process.versions.node }, 1],
    ]),
    gauge('reprise_tasks', 'Tasks by status, including deleted tasks.', () => {
      const tasks = gauges.taskCounts()
      return taskStatuses.map(status => [{ status }, tasks[status] ?? 0])
    }),
    gauge(
      'reprise_running_tasks',
      'Working tasks, without tasks of subagents.',
      () => gauges.places().running,
    ),
    gauge(
      'reprise_queue_length',
      'Tasks that wait, for another task of their session or for a free place on the server.',
      () => gauges.places().waiting,
    ),
    counter('reprise_turns_total', 'Turns of task actors that stored something.', log.turns),
    counter('reprise_appended_events_total', 'Events appended, by type.', () =>
      [...events.byType].map(([type, count]) => [{ type }, count]),
    ),
    histogram('reprise_append_duration_seconds', 'Time from an append to its acknowledgement.', () =>
      one(log.appends),
    ),
    histogram('reprise_commit_duration_seconds', 'Time from writing a batch to its sync on the disk.', () =>
      one(log.commits),
    ),
    histogram('reprise_commit_batch_events', 'Events written in one commit.', () => one(log.batches)),
    counter('reprise_commit_failures_total', 'Commits that could not be written.', log.failures),
    gauge('reprise_log_head_position', 'Position of the last durable event.', gauges.headPosition),
    gauge('reprise_log_failing', '1 while the log cannot be written.', () => Number(gauges.isLogFailing())),
    gauge('reprise_read_models_lag_positions', 'Events that the read models have not applied.', gauges.lag),
    gauge('reprise_open_streams', 'Open streams: of one task, of all events, and WebSockets.', () => [
      [{ kind: 'task' }, requests.taskStreams()],
      [{ kind: 'events' }, requests.open.get('/api/events') ?? 0],
      [{ kind: 'socket' }, requests.open.get('/ws') ?? 0],
    ]),
    counter('reprise_quota_refusals_total', 'Requests that a quota refused, by the name of the quota.', () =>
      gauges.quotas().refused.map(([quota, count]) => [{ quota }, count]),
    ),
    gauge('reprise_quota_used', 'What all users together use of each quota.', () =>
      Object.entries(gauges.quotas().used).map(([of, count]) => [{ of }, count]),
    ),
    counter('reprise_socket_messages_total', 'Messages of WebSockets that the server answered.', () =>
      [...requests.messages.values()].map(({ type, outcome, count }) => [{ type, outcome }, count]),
    ),
    histogram(
      'reprise_http_request_duration_seconds',
      'Duration of requests that have ended. A stream counts with the whole time for which it was open.',
      () => [...requests.ended.values()].map(({ labels, tally }) => [labels, tally]),
    ),
    counter(
      'reprise_effects_total',
      'Effects that ended: calls of tools, tasks of subagents, and steps of agents.',
      () =>
        effectKinds.flatMap(kind =>
          effectOutcomes.map((outcome): [Labels, number] => [
            { kind, outcome },
            events.effects[kind][outcome],
          ]),
        ),
    ),
    ...modelFamilies(events),
    ...webhookFamilies(gauges.webhooks),
    ...cronFamilies(gauges.cron),
    ...proofFamilies(gauges.proof),
    ...erasureFamilies(gauges.erasures),
    ...(gauges.nats === undefined ? [] : natsFamilies(gauges.nats)),
    ...(gauges.cluster === undefined ? [] : clusterFamilies(gauges.cluster)),
  ]

  return { log, events, requests, exposition: (gauges: Gauges) => createExposition(familiesOf(gauges)) }
}
export type Metrics = ReturnType<typeof createMetrics>
