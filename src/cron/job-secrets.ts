// Stores the secret values of a job's task. They are kept until the job is deleted or its task is replaced.
import type { CronSettings } from '../contract/events/cron-events.ts'
import type { Ids } from '../contract/ports.ts'
import { mayBeStored } from '../contract/stored.ts'
import type { Secrets } from '../platform/secrets.ts'

type Deps = { secrets: Pick<Secrets, 'put' | 'forget'>; ids: Ids }

/** Stores secret values, if any, under a new reference, and then the settings that name this reference. */
export const createSecretKeeper =
  ({ secrets, ids }: Deps) =>
  async (
    settings: CronSettings,
    values: Record<string, unknown>,
    store: (settings: CronSettings) => Promise<unknown>,
  ): Promise<void> => {
    if (Object.keys(values).length === 0) return void (await store(settings))
    const secret_ref = ids.next('sec_')
    secrets.put(secret_ref, values)
    await store({ ...settings, secret_ref }).catch(error => {
      // If the events are not stored, the next start removes the values.
      if (!mayBeStored(error)) secrets.forget(secret_ref)
      throw error
    })
  }
