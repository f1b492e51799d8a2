// Whether a request has a body, as its headers say.
import type { IncomingMessage } from 'node:http'

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The header that a request without a body lacks, if node would otherwise announce a body. */
export const emptyBody = ({ method = '', headers }: IncomingMessage): string[] =>
  ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].includes(method) || headers['content-length'] !== undefined
    ? []
    : ['content-length', '0']
