// Finds out whether a request comes from another node, and removes the headers that only nodes may send.
import type { IncomingMessage } from 'node:http'
import type { Report, World } from '../../contract/ports.ts'
import type { Hop, Hops } from './hop.ts'
import { hopHeader, removeInside, waitsHeader } from './inside-headers.ts'

export type Asked = {
  /** The node that sent the request; undefined: a client sent it. */
  hop?: Hop
  /** Whether that node waits for a 100 before it sends the body. */
  waits?: boolean
  /** Why this node may not send the request to a further node. */
  mayNotPass?: string
}

/** Milliseconds between two reports about signatures that are too old. */
const reportMs = 60_000

export const createAsked = ({
  hops,
  clock,
  report,
}: { hops: Hops; report: Report } & Pick<World, 'clock'>) => {
  let reportedAt = Number.NEGATIVE_INFINITY
  const reportOld = (): void => {
    if (clock.now() - reportedAt < reportMs) return
    reportedAt = clock.now()
    report('warn', 'a request of another node is too old or from the future: set the clocks of the nodes')
  }
  return (request: IncomingMessage): Asked => {
    const { method = '', url: path = '', headers } = request
    const text = headers[hopHeader]
    const waits = headers[waitsHeader] !== undefined
    removeInside(request)
    if (text === undefined) return {}
    const checked = hops.check({ method, path }, String(text))
    if (checked === 'old') reportOld()
    // Without this, two nodes with different clocks or keys could send a request to each other for ever.
    if (typeof checked === 'string')
      return { mayNotPass: `the request has a signature of a node that is ${checked}` }
    return { hop: checked, waits, mayNotPass: 'another node has sent the request here already' }
  }
}
