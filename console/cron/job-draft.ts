// The form of a cron job that is not created yet.
import { signal } from '@preact/signals'

export const kinds = { schedule: 'At the times of a pattern', every: 'Again and again', at: 'Once' } as const
type Kind = keyof typeof kinds

export const createDraft = () => ({
  name: signal(''),
  kind: signal<Kind>('schedule'),
  schedule: signal('0 7 * * MON-FRI'),
  every: signal('3600'),
  at: signal(''),
  timezone: signal(Intl.DateTimeFormat().resolvedOptions().timeZone),
  message: signal(''),
  agent: signal(''),
  missed: signal<string>('skip'),
  overlap: signal<string>('skip'),
})
export type Draft = ReturnType<typeof createDraft>

const whenOf = (draft: Draft) => {
  const timezone = draft.timezone.value
  if (draft.kind.value === 'every') return { every_seconds: Number(draft.every.value) }
  if (draft.kind.value === 'at') return { at: draft.at.value, timezone }
  return { schedule: draft.schedule.value, timezone }
}
export const bodyOf = (draft: Draft) => ({
  name: draft.name.value,
  ...whenOf(draft),
  missed: draft.missed.value,
  overlap: draft.overlap.value,
  task: {
    user_message_content: draft.message.value,
    ...(draft.agent.value === '' ? {} : { agent_config: { agent_id: draft.agent.value } }),
  },
})
