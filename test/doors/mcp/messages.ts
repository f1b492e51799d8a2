// Messages of the version 2026-07-28, as a client without a library sends them.
import { adminToken } from '../../support/server.ts'

export type Answer = {
  result?: Record<string, unknown> & { content?: { text: string }[]; inputRequests?: Record<string, object> }
  error?: { code: number; message: string; data?: Record<string, unknown> }
}
export const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
export const forms = { elicitation: {} }

type Wishes = { token?: string; capabilities?: object; headers?: Record<string, string> }

/** The headers and the body of a message. */
export const messageOf = (
  method: string,
  params: Record<string, unknown>,
  { token = adminToken, capabilities = { ...tasks, ...forms }, headers = {} }: Wishes = {},
) => {
  const name = params.name ?? params.uri ?? params.taskId
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } }),
  }
}

export const messagesTo =
  (url: string, wishes: Wishes = {}) =>
  async (method: string, params: Record<string, unknown> = {}) => {
    const response = await fetch(`${url}/mcp`, messageOf(method, params, wishes))
    const answer = JSON.parse((await response.text()) || '{}') as Answer
    return { status: response.status, headers: response.headers, ...answer }
  }
export type Messages = ReturnType<typeof messagesTo>

/** Asks for a task until it stands as it shall. */
export const becomes = async (send: Messages, taskId: unknown, status: string) => {
  for (;;) {
    const { result } = await send('tasks/get', { taskId })
    if (result?.status === status) return result
    if (['completed', 'failed', 'cancelled'].includes(String(result?.status)))
      throw new Error(`the task is ${result?.status}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

/** Sends messages as a client of 2025-11-25 does, without waiting for the end of a stream. */
export const olderMessagesTo =
  (url: string, { token = adminToken, headers = {} }: Wishes = {}) =>
  (message: object) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
