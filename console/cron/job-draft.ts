// The values in the form for a cron job, which is new or is changed.
import { type Signal, signal } from '@preact/signals'
import { cronSettings, type SettingName } from '../../src/contract/wire/cron-settings.ts'
import { zoneOf } from '../../src/cron/schedule/zone.ts'
import type { Job } from './times.ts'

export const kinds = { schedule: 'By a pattern', every: 'Again and again', at: 'Once' } as const
type Kind = keyof typeof kinds

const kindOf = ({ every_seconds, at }: Job): Kind =>
  every_seconds !== undefined ? 'every' : at !== undefined ? 'at' : 'schedule'
/** Converts a time of the server to the local time of a zone, as the user writes times in the form. */
const localOf = (time: string | undefined, timezone: string): string => {
  if (time === undefined) return ''
  const moment = Date.parse(time)
  return new Date(moment + zoneOf(timezone).offsetAt(moment)).toISOString().slice(0, 19)
}
const agentOf = ({ task }: Job): string =>
  (task.agent_config as { agent_id?: string } | undefined)?.agent_id ?? ''

const fresh = () => ({
  name: signal(''),
  kind: signal<string>('schedule'),
  schedule: signal('0 7 * * MON-FRI'),
  every: signal('3600'),
  at: signal(''),
  timezone: signal(Intl.DateTimeFormat().resolvedOptions().timeZone),
  message: signal(''),
  agent: signal(''),
  ...(Object.fromEntries(
    cronSettings.map(([name, { form, usual }]) => [name, signal(form === 'choice' ? String(usual) : '')]),
  ) as Record<SettingName, Signal<string>>),
})
export type Draft = ReturnType<typeof fresh>

/** Makes the draft of a change of `job`; without `job`, the draft of a new job. */
export const createDraft = (job?: Job): Draft => {
  const draft = fresh()
  if (job === undefined) return draft
  const { timezone, task } = job
  const message = task.user_message_content
  const given: Partial<Record<keyof Draft, string>> = {
    name: job.name,
    kind: kindOf(job),
    at: localOf(job.at, timezone),
    message: typeof message === 'string' ? message : '',
    agent: agentOf(job),
    timezone,
    ...(job.schedule !== undefined && { schedule: job.schedule }),
    ...(job.every_seconds !== undefined && { every: String(job.every_seconds) }),
  }
  for (const [name, value] of Object.entries(given)) draft[name as keyof Draft].value = value
  for (const [name, { form, usual }] of cronSettings) {
    const value = job[name]
    if (form === 'time') draft[name].value = localOf(value as string | undefined, timezone)
    else draft[name].value = form === 'number' && value === usual ? '' : String(value ?? '')
  }
  return draft
}
