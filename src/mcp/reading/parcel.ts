// The client checks results strictly, and refuses all tools when one of them is odd. So lists and results of calls pass
// through the client in `_meta`, where it checks nothing, and are read afterwards. They pass as JSON text, since the client
// parses answers over HTTP itself, and would change numbers that JavaScript cannot hold.
import { readJson } from '../../contract/json/exact-json.ts'
import type { Fields } from './heard.ts'

const key = 'reprise/result'

/** The result of `tools/list` or `tools/call`, as the client accepts it. */
export const packed = (result: unknown): Fields => ({
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  tools: [],
  content: [],
  _meta: result === undefined ? {} : { [key]: JSON.stringify(result) },
})

/** The result as the server has sent it; undefined: it has sent none. */
export const unpacked = ({ _meta }: { _meta?: Record<string, unknown> | undefined }): unknown => {
  const text = _meta?.[key]
  return typeof text === 'string' ? readJson(text) : undefined
}
