// Answers that a node gives without the routes of the server.
import { Refusal } from '../../contract/refusals.ts'
import type { Answer } from '../../http/answer/errors.ts'
import type { UntimelyHop } from './hop.ts'
import { notOwnerHeader, timeHeader } from './inside-headers.ts'

export const notFound = new Refusal('RouteNotFound')
export const isStopping = new Refusal('ShuttingDown')
export const noOwner = new Refusal(
  'StorageDown',
  undefined,
  'no node of the cluster owns the event log at the moment, and nothing was done',
  { hint: 'Send the request again in a moment.' },
)
export const ownerLost = new Refusal(
  'StorageDown',
  undefined,
  'the node that had this request was lost, or gave the event log up, before it answered. The request may have happened',
  { hint: 'Send it again with the same `Idempotency-Key`.' },
)
export const isAlive: Answer = { status: 200, headers: {}, body: { status: 'ok' } }
export const unreadable = new Refusal('NotHttp')
/** The answer to a request that may not be sent to a further node. */
export const notOwner = (node: string, why: string): Refusal =>
  new Refusal('NotOwner', undefined, `this node does not own the event log, and ${why}`, {
    headers: { [notOwnerHeader]: node },
  })
/** How far one clock is ahead of another one, or behind it, in words. */
export const aheadInWords = (aheadMs: number): string => {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
}
/** The answer to a request of a node whose clock differs too much. `time`: what tells that node the time of this one. */
export const clocksDiffer = (node: string, { node: from, aheadMs }: UntimelyHop, time: string): Refusal =>
  new Refusal(
    'StorageDown',
    undefined,
    `the clock of the node ${from} is ${aheadInWords(aheadMs)} that of the node ${node}, so ${node} takes no requests from ${from}, and nothing was done`,
    {
      hint: `Set the clocks of both, and send the request to ${node} meanwhile.`,
      headers: { [timeHeader]: time },
    },
  )
