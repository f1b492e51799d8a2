// Asks another node something, with a signed request.

import { aheadInWords } from './answers.ts'
import type { Hops } from './hop.ts'
import { hopHeader, timeHeader } from './inside-headers.ts'

/** Milliseconds that a node has for its answer. */
const patienceMs = 2000

type Question = {
  method: string
  path: string
  /** Makes the body from the number of this request. */
  body?(nonce: string): Buffer
  signal?: AbortSignal
}

/** The status of the answer is not 200. `message` has the status and the body of the answer. */
export class NodeRefused extends Error {}
/** The other node refuses the request, because its clock and the clock here differ too much. */
export class ClocksDiffer extends NodeRefused {
  readonly node: string
  /** How far the clock of the other node is ahead of the clock here. */
  readonly aheadMs: number
  constructor({ node, aheadMs }: { node: string; aheadMs: number }) {
    super(
      `the clock of the node ${node} is ${aheadInWords(aheadMs)} the clock of this machine: set the clocks of both`,
    )
    this.node = node
    this.aheadMs = aheadMs
  }
}

export const createAskNode =
  (hops: Pick<Hops, 'sign' | 'timeTold'>) =>
  /**
   * Resolves to the answer and the number of the request. Rejects with ClocksDiffer and NodeRefused, or when the node is
   * not reached.
   */
  async (
    url: string,
    { method, path, body, signal }: Question,
  ): Promise<{ bytes: Buffer; nonce: string }> => {
    const { text, nonce } = hops.sign({ method, path })
    const late = AbortSignal.timeout(patienceMs)
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { [hopHeader]: text },
      redirect: 'error',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
      ...(body === undefined ? {} : { body: body(nonce) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const told = hops.timeTold(nonce, response.headers.get(timeHeader) ?? '')
    if (told !== undefined) throw new ClocksDiffer(told)
    if (response.status !== 200) throw new NodeRefused(`${response.status} ${bytes.toString()}`)
    return { bytes, nonce }
  }
export type Ask = ReturnType<typeof createAskNode>
