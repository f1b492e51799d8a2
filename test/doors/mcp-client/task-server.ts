// An MCP server of 2026-07-28 that answers calls with tasks, and does with them what a test says.

import type { Test } from 'tap'
import { listen } from '../../mcp/servers/http.ts'

type Fields = Record<string, unknown>
type Asked = { method: string; params: Fields; name: string | undefined }

const version = '2026-07-28'
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

/** `stateOf`: the fields of a task that `tasks/get` gives, at the n-th look at it. `refusal`: why it takes no answers; absent: it does. */
export const taskServer = async (
  t: Pick<Test, 'teardown'>,
  stateOf: (taskId: string, n: number) => Fields,
  refusal?: string,
) => {
  const asked: Asked[] = []
  const looks = new Map<string, number>()
  let tasks = 0
  const times = { createdAt: '2026-11-30T10:00:00Z', lastUpdatedAt: '2026-11-30T10:00:00Z' }
  const taskOf = (taskId: string) => ({
    taskId,
    ...times,
    status: 'working',
    ttlMs: null,
    pollIntervalMs: 250,
  })
  const resultOf = (method: string, params: Fields): Fields | undefined => {
    const taskId = String(params.taskId)
    switch (method) {
      case 'server/discover':
        return {
          ...complete,
          supportedVersions: [version],
          capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
          serverInfo: { name: 'tasks', version: '1' },
        }
      case 'tools/list':
        return { ...complete, tools: [{ name: 'slow', inputSchema: { type: 'object' } }] }
      case 'tools/call':
        return { ...taskOf(`t${++tasks}`), resultType: 'task' }
      case 'tasks/get': {
        const n = (looks.get(taskId) ?? 0) + 1
        looks.set(taskId, n)
        return { ...taskOf(taskId), ...stateOf(taskId, n), resultType: 'complete' }
      }
      case 'tasks/update':
        return refusal === undefined ? { resultType: 'complete' } : undefined
      case 'tasks/cancel':
        return { resultType: 'complete' }
    }
    return undefined
  }
  const { url } = await listen(t, async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    const { id, method, params = {} } = JSON.parse(body) as { id?: unknown; method: string; params?: Fields }
    asked.push({ method, params, name: request.headers['mcp-name'] as string | undefined })
    const result = resultOf(method, params)
    const answer =
      result === undefined ? { error: { code: -32601, message: refusal ?? 'unknown' } } : { result }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  const of = (method: string) => asked.filter(each => each.method === method)
  return { url, asked, of }
}
