// What a webhook decides, without a server, and its chart.
import t from 'tap'
import { createActor } from 'xstate'
import { foldedWebhook } from '../../actors/webhook/actor.ts'
import { decide, type WebhookView } from '../../actors/webhook/decide.ts'
import { type WebhookState, webhookChart, webhookMoveOf } from '../../src/contract/charts/webhook-chart.ts'
import type { WebhookCommand } from '../../src/contract/commands/webhook-commands.ts'
import { type WebhookEvent, webhookEvents } from '../../src/contract/decoders/webhook.ts'
import { type Sent, webhookStream } from '../../src/contract/events/webhook-events.ts'
import { webhookMachine } from '../actors/machines.ts'
import { refused } from '../support/system.ts'

const now = Date.parse('2026-01-01T12:00:00.000Z')
const at = { now, sealed: undefined }
const by = { principal: 'system', causation: 'webhooks' }

const view = (...events: WebhookEvent[]): WebhookView => {
  const seen = foldedWebhook.empty()
  events.forEach(({ type, data }, revision) => {
    const header = { stream: webhookStream('w'), revision, type, time: new Date(now).toISOString() }
    foldedWebhook.evolve(seen, { position: revision + 1, header: header as never, data })
  })
  return seen
}
const created: WebhookEvent = {
  type: 'WebhookCreated',
  data: { url: 'https://example.com', maker: 'admin', signed: true, secret_ref: 'whs_1', enabled: true },
}
const delivered = (position: number): Sent => ({
  ...{ position, type: 'TaskCreated', at: new Date(now).toISOString(), attempts: 1, ms: 1, status: 200 },
})
const move = (position: number, total: number, ...sent: number[]): WebhookCommand => ({
  ...{ type: 'MoveCheckpoint', position, total, sent: sent.map(delivered), ...by },
})
const failed = (status: number): WebhookCommand => ({
  ...{ type: 'FailDelivery', position: 9, eventType: 'TaskCreated', bytes: 10, chance: 0.5, ...by },
  outcome: { ok: false, status, error: `answered ${status}`, ms: 1 },
})

t.test('a checkpoint counts each delivery once, also after a write whose end nobody knows', async t => {
  const [first] = decide(view(created), move(7, 2, 5, 7), at)
  t.match(first, { data: { position: 7, count: 2, sent: [{ position: 5 }, { position: 7 }] } })
  const stored = view(created, first as WebhookEvent)
  t.match(decide(stored, move(8, 3, 5, 7, 8), at), [{ data: { count: 1, sent: [{ position: 8 }] } }])
  t.match(decide(view(created), move(8, 3, 5, 7, 8), at), [{ data: { count: 3 } }], 'the write was lost')
  t.same(decide(stored, move(7, 2, 5, 7), at), [], 'nothing new is no event')
  t.match(decide(stored, move(9, 2), at), [{ data: { position: 9, count: 0, sent: [] } }])
})

t.test('a failure is tried again, and disables the webhook when the receiver is gone', async t => {
  t.match(decide(view(created), failed(500), at), [{ type: 'WebhookDeliveryFailed', data: { attempt: 1 } }])
  const gone = decide(view(created), failed(410), at)
  t.match(gone, [{ type: 'WebhookDeliveryFailed' }, { type: 'WebhookDisabled', data: { reason: 'gone' } }])
  t.same(decide(view(created, ...gone), failed(500), at), [], 'a disabled webhook has no further tries')
})

t.test('new secret values are named by their reference, the old ones only while they are there', async t => {
  const rotate: WebhookCommand = { type: 'RotateSecret', secret: 'x', ...by }
  const sealed = { ref: 'whs_2', isOldKnown: true }
  t.match(decide(view(created), rotate, { now, sealed }), [
    { data: { secret_ref: 'whs_2', previous_ref: 'whs_1', previous_until: now + 24 * 3600 * 1000 } },
  ])
  const [alone] = decide(view(created), rotate, { now, sealed: { ...sealed, isOldKnown: false } })
  t.same(alone?.data, { secret_ref: 'whs_2' })
})

t.test('nothing follows the end of a webhook, and no id is used twice', async t => {
  const over = view(created, { type: 'WebhookDeleted', data: { by: 'admin', reason: 'requested' } })
  const commands: WebhookCommand[] = [move(9, 1, 9), failed(500), { type: 'MissSecret', ...by }]
  for (const command of commands) t.same(decide(over, command, at), [], command.type)
  t.throws(
    () => decide(over, { type: 'CreateWebhook', data: created.data as never, ...by }, at),
    refused('Conflict'),
  )
})

t.test('table and machine agree for every state and event of a webhook', async t => {
  const types = new Set<string>(
    Object.values(webhookChart.states).flatMap(state => Object.keys('on' in state ? state.on : {})),
  )
  for (const state of Object.keys(webhookChart.states) as WebhookState[]) {
    for (const type of types) {
      for (const enabled of [true, false]) {
        const machine = createActor(webhookMachine, {
          snapshot: webhookMachine.resolveState({ value: state }),
        })
        machine.start().send({ type, data: { enabled } })
        const to = webhookMoveOf(state, type, { enabled }) ?? state
        t.equal(machine.getSnapshot().value, to, `${state}, ${type}, ${enabled}`)
        machine.stop()
      }
    }
  }
  const known = (type: string) =>
    webhookEvents.find({ position: 1, header: { stream: 'webhook-w', type } as never, data: {} })
  t.ok(
    [...types].every(type => known(type) !== undefined),
    'the chart has events of webhooks alone',
  )
})
