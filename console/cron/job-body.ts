// The bodies of the requests that create and change a cron job.
import { cronSettings, timeFields } from '../../src/contract/wire/cron-settings.ts'
import { createDraft, type Draft } from './job-draft.ts'
import type { Job } from './times.ts'

const whenOf = ({ kind, every, at, schedule }: Draft) => {
  if (kind.value === 'every') return { every_seconds: Number(every.value) }
  return kind.value === 'at' ? { at: at.value } : { schedule: schedule.value }
}
/** The settings of the table. An empty field means the usual value, or removes the setting. */
const howOf = (draft: Draft) =>
  Object.fromEntries(
    cronSettings.map(([name, { form, usual }]) => {
      const text = draft[name].value
      const value = form === 'number' ? Number(text) : text
      return [name, text === '' ? (usual ?? null) : value]
    }),
  )

const settingsOf = (draft: Draft) => ({
  name: draft.name.value,
  ...whenOf(draft),
  timezone: draft.timezone.value,
  ...howOf(draft),
})
const taskOf = ({ message, agent }: Draft, before: Partial<Job['task']> = {}) => {
  const { agent_id: _, ...config } = (before.agent_config ?? {}) as Record<string, unknown>
  const agent_config = { ...config, ...(agent.value === '' ? {} : { agent_id: agent.value }) }
  return {
    ...before,
    user_message_content: message.value,
    ...(Object.keys(agent_config).length > 0 && { agent_config }),
  }
}

export const bodyOf = (draft: Draft): object => ({ ...settingsOf(draft), task: taskOf(draft) })

/**
 * Whether the page can send the task of a job again. The server hides secret values, and the form has no field for a
 * message with images or files.
 */
export const canChangeTask = ({ task }: Job): boolean =>
  typeof task.user_message_content === 'string' && !JSON.stringify(task).includes('"***"')

const isTime = (name: string): boolean => timeFields.some(field => field === name)

/** The fields that the draft changes. With another time zone, these include the times, which are local times. */
export const changesOf = (draft: Draft, job: Job): object => {
  const original = createDraft(job)
  const [now, before] = [settingsOf(draft), settingsOf(original)] as Record<string, unknown>[]
  const isMoved = draft.timezone.value !== original.timezone.value
  const changed = Object.entries(now ?? {}).filter(
    ([name, value]) => value !== before?.[name] || (isMoved && isTime(name)),
  )
  const isOther = draft.message.value !== original.message.value || draft.agent.value !== original.agent.value
  return { ...Object.fromEntries(changed), ...(isOther && { task: taskOf(draft, job.task) }) }
}
