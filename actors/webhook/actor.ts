// A webhook as an actor. Its couriers (src/webhooks/couriers.ts) deliver, and report what came of it as commands. So an
// actor has no effects of its own, and an idle webhook has no actor in memory.

import { type WebhookState, webhookChart, webhookMoveOf } from '../../src/contract/charts/webhook-chart.ts'
import type { WebhookCommand } from '../../src/contract/commands/webhook-commands.ts'
import { webhookEvents } from '../../src/contract/decoders/webhook.ts'
import { webhookEventVersion, webhookIdOf } from '../../src/contract/events/webhook-events.ts'
import type { Clock } from '../../src/contract/ports.ts'
import { afterEvent, type Webhook } from '../../src/history/webhook.ts'
import type { Decision, Kind } from '../runtime/kind.ts'
import type { Folded } from '../runtime/logic.ts'
import { mustFollow } from '../runtime/must-follow.ts'
import { type At, decide, type WebhookView } from './decide.ts'

export type WebhookDeps = {
  clock: Clock
  /** The webhook as the log has it; undefined: it is deleted, or never was. */
  find: (id: string) => Webhook | undefined
  /** Keeps the new secret values that a command brings, if it brings some. */
  seal: (webhook: Webhook, command: WebhookCommand) => At['sealed']
}

const stateOf = ({ webhook }: WebhookView): WebhookState => {
  if (webhook === undefined) return 'absent'
  if (webhook.deleted !== null) return 'deleted'
  return webhook.disabled === null ? 'enabled' : 'disabled'
}

export const foldedWebhook: Folded<WebhookView> = {
  chart: webhookChart,
  empty: () => ({ webhook: undefined }),
  evolve(view, event) {
    view.webhook = afterEvent(view.webhook, webhookEvents.read(event))
  },
  placeOf: stateOf,
}

const decideWebhook = (view: WebhookView, command: WebhookCommand, at: At): Decision => {
  const events = decide(view, command, at)
  mustFollow(stateOf(view), events, webhookMoveOf)
  return {
    events: events.map(({ type, data }) => ({ type, schema_version: webhookEventVersion, data })),
    made: [],
  }
}

export const webhookKind = ({ clock, find, seal }: WebhookDeps): Kind<WebhookView, WebhookCommand, At> => ({
  ...foldedWebhook,
  // The first event of a task's webhook is in the stream of the task, so its own stream does not have all of it.
  async restore(view, stream) {
    view.webhook = find(webhookIdOf(stream))
    return view.webhook?.revision ?? -1
  },
  decide: decideWebhook,
  envelope({ webhook }, command, stream) {
    const owner = command.type === 'CreateWebhook' ? command.data.user_id : webhook?.userId
    const { principal, causation } = command
    const about = { session_id: '', correlation_id: webhookIdOf(stream), causation_id: causation }
    return { principal, owner: owner ?? '', ...about }
  },
  effects: (_stream, view) => ({
    at: command => ({
      now: clock.now(),
      // A deleted webhook takes nothing more, so nothing is kept for it.
      sealed: view.webhook?.deleted === null ? seal(view.webhook, command) : undefined,
    }),
    reconcile() {},
    rest: () => (view.webhook === undefined || view.webhook.deleted !== null ? 'ended' : 'idle'),
    stop() {},
  }),
})
