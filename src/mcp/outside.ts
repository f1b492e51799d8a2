import type { Report, Timers } from '../contract/ports.ts'
import type { Fetch } from '../egress/guarded-fetch.ts'
import type { Children } from '../platform/children/children.ts'
import type { OddTools } from './odd-tools.ts'

/** What a connection needs from the server process. */
export type Outside = {
  children: Pick<Children, 'start' | 'end'>
  /** For URLs of the operator. */
  fetch: Fetch
  /** For URLs of callers. */
  guardedFetch: Fetch
  timers: Pick<Timers, 'after'>
  report: Report
  odd: Pick<OddTools, 'note'>
  /** The name and version that we send to servers. */
  client: { name: string; version: string }
}
