// The values in the form for a webhook, and the bodies of the requests that make and change a webhook.
import { signal } from '@preact/signals'
import { wrongField } from '../api/api-error.ts'
import type { Webhook } from './webhook-state.tsx'

/** What the server shows in place of the value of a header. */
const hidden = '***'

/** Makes the draft of a change of `webhook`; without `webhook`, the draft of a new one. */
export const createDraft = (webhook?: Webhook) => ({
  url: signal(webhook?.url ?? ''),
  types: signal<readonly string[]>(webhook?.types ?? []),
  session: signal(webhook?.session_id ?? ''),
  task: signal(webhook?.task_id ?? ''),
  headers: signal(
    Object.entries(webhook?.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  ),
})
export type Draft = ReturnType<typeof createDraft>

/** Reads one header from each line of a text. Throws ApiError for a line that is no header. */
const headersOf = (text: string): Record<string, string> | null => {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  if (lines.length === 0) return null
  const entries = lines.map(line => {
    const [, name = '', value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? []
    if (name === '') throw wrongField('headers', `“${line.trim()}” is no header, such as X-Name: value`)
    if (value === hidden)
      throw wrongField('headers', `Write the value of ${name} again; the server does not show it`)
    return [name, value] as const
  })
  return Object.fromEntries(entries)
}
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The body of a request. Throws ApiError for headers that cannot be sent. */
export const bodyOf = (draft: Draft) => ({
  url: draft.url.value,
  types: draft.types.value.length === 0 ? null : draft.types.value,
  session_id: orNull(draft.session.value),
  task_id: orNull(draft.task.value),
  headers: headersOf(draft.headers.value),
})

/** The fields that the draft changes. Headers are replaced together, so they are sent only when they were changed. */
export const changesOf = (draft: Draft, webhook: Webhook): object => {
  const { headers: before } = createDraft(webhook)
  const isSame = draft.headers.value === before.value
  const { headers, ...body } = bodyOf(isSame ? { ...draft, headers: signal('') } : draft)
  const old = webhook as Record<string, unknown>
  const changed = Object.entries(body).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
  )
  return { ...Object.fromEntries(changed), ...(!isSame && { headers }) }
}
