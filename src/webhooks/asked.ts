import type { Principal } from '../contract/events/token-events.ts'
import type { By } from '../log/record.ts'

/** The principal and the id of a request. */
export type AskedBy = { principal: Principal; requestId: string }
export const byOf = ({ principal, requestId }: AskedBy): By => ({
  principal: principal.id,
  causation: requestId,
})
