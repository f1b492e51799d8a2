// Answers that a node gives without the routes of the server.
import { Refusal, refusals } from '../../contract/refusals.ts'
import { type Answer, closing } from '../../http/errors.ts'
import type { UntimelyHop } from './hop.ts'
import { notOwnerHeader, timeHeader } from './inside-headers.ts'

export const notFound = new Refusal('RouteNotFound')
export const isStopping = new Refusal('ShuttingDown')
export const noOwner = new Refusal(
  'StorageDown',
  undefined,
  'no node of the cluster owns the event log at the moment, and nothing was done: send the request again in a moment',
)
export const ownerLost = new Refusal(
  'StorageDown',
  undefined,
  'the node that had this request was lost, or gave the event log up, before it answered. The request may have happened: send it again with the same Idempotency-Key',
)
export const isAlive: Answer = { status: 200, headers: {}, body: { status: 'ok' } }
export const unreadable: Answer = {
  status: 400,
  headers: closing,
  body: { code: refusals.BodyTooSlow.code, message: 'the server cannot read this as an HTTP request' },
}
/** The answer to a request that may not be sent to a further node. */
export const notOwner = (node: string, why: string): Answer => ({
  status: 508,
  headers: { 'retry-after': '1', [notOwnerHeader]: node },
  body: {
    code: refusals.Fault.code,
    message: `this node does not own the event log, and ${why}: send the request again in a moment`,
  },
})
/** How far one clock is ahead of another one, or behind it, in words. */
export const aheadInWords = (aheadMs: number): string => {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
}
/** The answer to a request of a node whose clock differs too much. `time`: what tells that node the time of this one. */
export const clocksDiffer = (node: string, { node: from, aheadMs }: UntimelyHop, time: string): Answer => ({
  status: 503,
  headers: { 'retry-after': '1', [timeHeader]: time },
  body: {
    code: refusals.StorageDown.code,
    message: `the clock of the node ${from} is ${aheadInWords(aheadMs)} that of the node ${node}, so ${node} takes no requests from ${from}, and nothing was done: set the clocks of both, and send the request to ${node} meanwhile`,
  },
})
