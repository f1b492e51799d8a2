// Asks another node something, with a signed request.

import type { Hops } from './hop.ts'
import { hopHeader } from './inside-headers.ts'

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

export const createAsk =
  (hops: Pick<Hops, 'sign'>) =>
  /** Resolves to the answer and the number of the request. Rejects with NodeRefused, or when the node is not reached. */
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
    if (response.status !== 200) throw new NodeRefused(`${response.status} ${bytes.toString()}`)
    return { bytes, nonce }
  }
export type Ask = ReturnType<typeof createAsk>
