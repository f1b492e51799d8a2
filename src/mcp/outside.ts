import type { Report, Timers } from '../contract/ports.ts'
import type { Fetch } from '../egress/guarded-fetch.ts'
import type { Children } from '../platform/children/children.ts'

/** What a connection to a server uses of us. */
export type Outside = {
  children: Pick<Children, 'start' | 'end'>
  /** For the operator's URLs. */
  fetch: Fetch
  /** For the callers'. */
  guardedFetch: Fetch
  timers: Pick<Timers, 'after'>
  report: Report
  /** How we present ourselves. */
  client: { name: string; version: string }
}
