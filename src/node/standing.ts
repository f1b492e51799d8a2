// Answers questions about a node that does not own the log: whether the node could take over, and its metrics.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ClusterCounts, clusterFamilies } from '../metrics/cluster-families.ts'
import { createExposition } from '../metrics/exposition.ts'
import type { NodeState } from '../shard/doors.ts'

type Deps = NodeState & {
  /** The headers that every answer to a request has. */
  headersOf: (request: IncomingMessage) => Record<string, string>
  counts: () => ClusterCounts
  /** The last position of this node's copy of the log. */
  position: () => number
  /** Whether this node follows the log, and could take over. */
  isReady: () => boolean
}
type Answer = (request: IncomingMessage, response: ServerResponse) => void

const unkept = { 'cache-control': 'no-store' }

/** The answers by path. */
export const createStanding = ({
  inCluster,
  counts,
  position,
  isReady,
  headersOf,
}: Deps): Map<string, Answer> => {
  const expose = createExposition(clusterFamilies(counts))
  return new Map<string, Answer>([
    [
      '/readyz',
      (request, response) => {
        const [status, code] = isReady() ? ['ready', 200] : ['not ready', 503]
        const read_models = counts().lag === 0 ? 'ok' : 'behind'
        const body = { status, read_models, position: position(), cluster: inCluster() }
        response
          .writeHead(code as number, {
            ...headersOf(request),
            ...unkept,
            'content-type': 'application/json; charset=utf-8',
          })
          .end(JSON.stringify(body))
      },
    ],
    [
      '/metrics',
      (request, response) => {
        void expose().then(({ contentType, text }) =>
          response
            .writeHead(200, { ...headersOf(request), ...unkept, 'content-type': contentType })
            .end(text),
        )
      },
    ],
  ])
}
