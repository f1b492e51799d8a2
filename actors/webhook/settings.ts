// Computes the settings of a webhook from the body of a request.
import type { WebhookSettings } from '../../src/contract/events/webhook-events.ts'
import type { ChangeWebhookBody } from '../../src/contract/wire.ts'

/** The settings after a change. Absent fields stay as they are; null removes a field. */
export const changedSettings = (
  before: Partial<WebhookSettings>,
  body: ChangeWebhookBody,
): WebhookSettings => {
  const { url, types, session_id, task_id, headers } = body
  const kept = <T>(given: T | null | undefined, old: T | undefined): T | undefined =>
    given === undefined ? old : (given ?? undefined)
  const names = headers === undefined ? before.header_names : Object.keys(headers ?? {})
  const settings = {
    types: kept(types, before.types as typeof types | undefined),
    session_id: kept(session_id, before.session_id),
    task_id: kept(task_id, before.task_id),
    header_names: names?.length === 0 ? undefined : names,
    push: before.push,
  }
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  return { url: url ?? before.url ?? '', ...given }
}
