// Finds out whether a request comes from another node, and removes the headers that only nodes may send.
import type { IncomingMessage } from 'node:http'
import type { Hop, Hops, UntimelyHop } from './hop.ts'
import { hopHeader, removeInside, waitsHeader } from './inside-headers.ts'

export type Asked = {
  /** The node that sent the request; undefined: a client sent it. */
  hop?: Hop
  /** The node that sent the request, and whose clock differs too much: this node answers nothing else than that. */
  untimely?: UntimelyHop
  /** Whether that node waits for a 100 before it sends the body. */
  waits?: boolean
  /** Why this node may not send the request to a further node. */
  mayNotPass?: string
}

export const createAsked =
  (hops: Pick<Hops, 'check'>) =>
  (request: IncomingMessage): Asked => {
    const { method = '', url: path = '', headers } = request
    const text = headers[hopHeader]
    const waits = headers[waitsHeader] !== undefined
    removeInside(request)
    if (text === undefined) return {}
    const checked = hops.check({ method, path }, String(text))
    // Without this, two nodes with different keys could send a request to each other for ever.
    if (typeof checked === 'string')
      return { mayNotPass: `the request has a signature of a node that is ${checked}` }
    if ('aheadMs' in checked) return { untimely: checked }
    return { hop: checked, waits, mayNotPass: 'another node has sent the request here already' }
  }
