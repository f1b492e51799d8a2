// What the view of the system shows, made from the health of the server.
import { count, duration } from '../ui/time.tsx'
import type { Fact, Health, Part } from './health.ts'
import { meanOf, sumOf } from './metrics.ts'

const number = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : count(value)
const seconds = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : duration(value * 1000)
const megabytes = (bytes: number | undefined): string | undefined =>
  bytes === undefined ? undefined : `${count(Math.round(bytes / 1024 / 1024))} MiB`

/** A fact for each value of a label. */
const byLabel = ({ metrics }: Health, name: string, label: string, leaveZero = false): Fact[] =>
  (metrics.get(name)?.samples ?? [])
    .filter(({ value }) => value > 0 || !leaveZero)
    .map(({ labels, value }) => [String(labels[label]).replaceAll('_', ' '), count(value)])

const server = ({ ready, metrics, at }: Health): Part => {
  const build = metrics.get('reprise_build_info')?.samples[0]?.labels
  const start = sumOf(metrics, 'process_start_time_seconds')
  return {
    title: 'Server',
    trouble: ready.status !== 'ready' && 'not ready',
    facts: [
      ['State', ready.status],
      ['Version', build?.build],
      ['Node', build?.node],
      ['Runs for', start === undefined ? undefined : duration(at - start * 1000)],
      ['Memory', megabytes(sumOf(metrics, 'process_resident_memory_bytes'))],
      ['Event loop, p99', seconds(sumOf(metrics, 'nodejs_eventloop_lag_p99_seconds'))],
      ['Shell sandbox', ready.sandbox],
      ['Own system users', ready.own_users],
    ],
  }
}

const log = ({ ready, metrics }: Health): Part => ({
  title: 'Log',
  trouble: (ready.log !== 'ok' && 'not writable') || (ready.read_models !== 'ok' && 'lists are behind'),
  facts: [
    ['Log', ready.log],
    ['Events', count(ready.position)],
    ['Lists', ready.read_models],
    ['Lists are behind by', number(sumOf(metrics, 'reprise_read_models_lag_positions'))],
    ['Checkpoints are behind by', number(sumOf(metrics, 'reprise_checkpoint_lag_positions'))],
    ['Witness is behind by', number(sumOf(metrics, 'reprise_witness_lag_positions'))],
    ['A commit takes', seconds(meanOf(metrics, 'reprise_commit_duration_seconds'))],
    ['Failed commits', number(sumOf(metrics, 'reprise_commit_failures_total'))],
  ],
})

const tasks = ({ ready, metrics }: Health): Part => ({
  title: 'Tasks',
  facts: [
    ['Running', count(ready.tasks.running)],
    ['Waiting for a place', count(ready.tasks.waiting)],
    ...Object.entries(ready.tasks)
      .filter(([name, value]) => name !== 'running' && name !== 'waiting' && value !== undefined)
      .map(([name, value]): Fact => [name, count(Number(value))]),
    ['Turns', number(sumOf(metrics, 'reprise_turns_total'))],
  ],
})

const nats = ({ metrics }: Health): Part => {
  const connected = sumOf(metrics, 'reprise_nats_connected')
  if (connected === undefined) return { title: 'NATS', facts: [['State', 'off: NATS_URL is not set']] }
  return {
    title: 'NATS',
    trouble: connected === 0 && 'not connected',
    facts: [
      ['State', connected === 1 ? 'connected' : 'not connected'],
      ['Relay is behind by', number(sumOf(metrics, 'reprise_nats_relay_lag_positions'))],
      ['Relay stopped', sumOf(metrics, 'reprise_nats_relay_stopped') === 1 ? 'yes' : undefined],
      ['Published', number(sumOf(metrics, 'reprise_nats_published_total'))],
      ['Reconnects', number(sumOf(metrics, 'reprise_nats_reconnects_total'))],
    ],
  }
}

const model = ({ metrics }: Health): Part => ({
  title: 'Model and tools',
  facts: [
    ['Model calls', number(sumOf(metrics, 'reprise_model_calls_total'))],
    ['Tokens in', number(sumOf(metrics, 'reprise_model_tokens_total', { direction: 'input' }))],
    ['Tokens out', number(sumOf(metrics, 'reprise_model_tokens_total', { direction: 'output' }))],
    ['Tool calls', number(sumOf(metrics, 'reprise_effects_total', { kind: 'tool', outcome: 'completed' }))],
    [
      'Failed tool calls',
      number(sumOf(metrics, 'reprise_effects_total', { kind: 'tool', outcome: 'failed' })),
    ],
    ['Unknown outcomes', number(sumOf(metrics, 'reprise_effects_total', { outcome: 'unknown' }))],
  ],
})

const subscribers = (health: Health): Part => ({
  title: 'Subscribers',
  trouble: (sumOf(health.metrics, 'reprise_webhook_lag_seconds') ?? 0) > 60 && 'webhooks are behind',
  facts: [
    ...byLabel(health, 'reprise_open_streams', 'kind').map(
      ([name, value]): Fact => [`Streams: ${name}`, value],
    ),
    ['Webhooks', number(sumOf(health.metrics, 'reprise_webhooks'))],
    ['Webhooks are behind by', seconds(sumOf(health.metrics, 'reprise_webhook_lag_seconds'))],
    ['Cron jobs', number(sumOf(health.metrics, 'reprise_cron_jobs', { status: 'active' }))],
    ['Cron runs at work', number(sumOf(health.metrics, 'reprise_cron_running'))],
  ],
})

const quotas = (health: Health): Part => ({
  title: 'Quotas, used by all users',
  facts: byLabel(health, 'reprise_quota_used', 'of').map(
    ([name, value]): Fact => [
      name,
      name === 'disk' ? megabytes(sumOf(health.metrics, 'reprise_quota_used', { of: 'disk' })) : value,
    ],
  ),
})

const refusals = (health: Health): Part => {
  const facts = byLabel(health, 'reprise_quota_refusals_total', 'quota', true)
  return {
    title: 'Refused requests',
    facts: facts.length === 0 ? [['Quotas', 'refused nothing since the start']] : facts,
  }
}

export const partsOf = (health: Health): Part[] =>
  [server, log, tasks, nats, model, subscribers, quotas, refusals].map(make => make(health))
