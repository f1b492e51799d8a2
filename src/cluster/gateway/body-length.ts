// Finds out from the headers of a request whether it has a body.
import type { IncomingMessage } from 'node:http'

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * The header to add to a request that has no body, because Node.js would otherwise announce one. Empty: none is needed.
 */
export const emptyBody = ({ method = '', headers }: IncomingMessage): string[] =>
  ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].includes(method) || headers['content-length'] !== undefined
    ? []
    : ['content-length', '0']
