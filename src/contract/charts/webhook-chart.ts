// The lifecycle of a webhook as a statechart. Only this file defines the moves. A webhook that a task's request asked for
// has no event of its own at first: it is enabled from the first event of its task on.

import type { WebhookCreated } from '../events/webhook-events.ts'
import { type Chart, type Places, tableOf } from './chart.ts'

export const webhookChart = {
  id: 'webhook',
  initial: 'absent',
  states: {
    absent: { on: { WebhookCreated: [{ target: 'enabled', guard: 'isEnabled' }, { target: 'disabled' }] } },
    enabled: {
      on: {
        WebhookChanged: 'enabled',
        WebhookSecretRotated: 'enabled',
        WebhookCheckpoint: 'enabled',
        WebhookDeliveryFailed: 'enabled',
        WebhookDeliverySkipped: 'enabled',
        WebhookTried: 'enabled',
        WebhookDisabled: 'disabled',
        WebhookDeleted: 'deleted',
      },
    },
    disabled: {
      on: {
        WebhookChanged: 'disabled',
        WebhookSecretRotated: 'disabled',
        WebhookCheckpoint: 'disabled',
        WebhookTried: 'disabled',
        WebhookEnabled: 'enabled',
        WebhookDeleted: 'deleted',
      },
    },
    deleted: {},
  },
} as const satisfies Chart

export type WebhookState = Places<typeof webhookChart>

const table = tableOf(webhookChart)

/** The guards of the chart. They are given the data of the event. */
export const webhookGuards = { isEnabled: (data: unknown): boolean => (data as WebhookCreated).enabled }

/** The state after an event; undefined when the chart has no such move. */
export const webhookMoveOf = (state: WebhookState, type: string, data: unknown): WebhookState | undefined =>
  table
    .get(state)
    ?.get(type)
    ?.find(({ guard }) => guard === undefined || webhookGuards[guard as keyof typeof webhookGuards](data))
    ?.to as WebhookState | undefined
