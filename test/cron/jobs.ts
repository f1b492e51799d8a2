// Helpers for tests of cron jobs: a world whose clock can be set, and jobs as requests over HTTP make them.

import type { Recorded } from '../../src/contract/stored.ts'
import type { CreateCronJobBody } from '../../src/contract/wire.ts'
import { admin, type TestSystem } from '../support/system.ts'
import { type TestWorld, testWorld } from '../support/world.ts'

/** A world whose clock can be set, forward and back, while no timer notices. */
export const settableWorld = (start: string): TestWorld & { set(to: string | number): void } => {
  const world = testWorld(1, Date.parse('2026-01-01T00:00:00Z'))
  let offset = Date.parse(start) - world.clock.now()
  return {
    ...world,
    clock: { now: () => world.clock.now() + offset },
    set(to) {
      offset = (typeof to === 'string' ? Date.parse(to) : to) - world.clock.now()
    },
  }
}

/** A request without a key that is no retry, and whose answer arrives. */
export const noRetry = { key: undefined, isRetry: false, delivery: { onEnd: () => {} } }
export const asked = { principal: admin, requestId: 'req' }

export const givenJob = async (
  { cron }: Pick<TestSystem, 'cron'>,
  given: Partial<CreateCronJobBody>,
  principal = admin,
): Promise<string> => {
  const body = { name: 'job', task: { user_message_content: 'go' }, ...given } as CreateCronJobBody
  const { row } = await cron.commands.create({ principal, requestId: 'req' }, { body, found: [] }, noRetry)
  return row.id
}

/** The events of all jobs, oldest first. */
export const cronEventsOf = async ({ stored }: Pick<TestSystem, 'stored'>): Promise<Recorded[]> =>
  (await stored()).filter(({ header }) => header.stream.startsWith('cron-'))

type Data = { scheduled_at: number; task_id?: string; run_id: string; reason?: string; next?: { at: number } }
export const dataOf = (events: Recorded[], type: string): Data[] =>
  events.filter(({ header }) => header.type === type).map(({ data }) => data as Data)

/** The times of the runs that began, as ISO 8601. */
export const triggeredAt = async (system: Pick<TestSystem, 'stored'>): Promise<string[]> =>
  dataOf(await cronEventsOf(system), 'CronJobTriggered').map(({ scheduled_at }) =>
    new Date(scheduled_at).toISOString(),
  )
