// Requests as command lines. The token stays out of the text: the shell takes it from a variable.
import { root } from '../api/address.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** `path`: below /v1. */
export const curlOf = (method: string, path: string, body?: object): string =>
  [
    `curl -X ${method} ${quoted(`${location.origin}${root}v1${path}`)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
