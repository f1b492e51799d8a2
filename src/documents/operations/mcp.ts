// The operations of MCP: one path for all its messages, and the document that says how its tokens are sent.
import { McpAnswer, McpMessage, McpMetadata } from '../../contract/mcp/messages.ts'
import { defineOperations, eventStream, json } from '../operation.ts'
import { idempotencyKey, retryCount } from '../parameters.ts'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const mcpOperations = defineOperations({
  mcp: {
    method: 'POST',
    path: '/mcp',
    tag: 'MCP',
    access: 'read',
    errors: 'mcp',
    summary: 'Send a message of MCP',
    about:
      'Streamable HTTP of MCP, in the versions 2026-07-28 and 2025-11-25. Calls of tools, and changes to tasks, need a role that may write. A call that is given up cancels its task. The headers are those of MCP: `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, and in older versions `Mcp-Session-Id`.',
    parameters: [idempotencyKey, retryCount],
    body: {
      schema: McpMessage,
      examples: {
        discover: {
          summary: 'What the server can do',
          value: { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } },
        },
      },
    },
    answers: [
      { status: 200, about: 'The answer to a request.', type: json, schema: McpAnswer },
      {
        status: 200,
        about: 'The answer as server-sent events: messages about the progress, and at the end the answer.',
        type: eventStream,
        items: McpAnswer,
      },
      { status: 202, about: 'The message is a notification or an answer, which has no answer itself.' },
    ],
    refusals: ['Forbidden', 'OverQuota', 'RouteNotFound'],
  },
  getMcpMetadata: {
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp',
    tag: 'MCP',
    access: 'open',
    summary: 'Read how /mcp takes tokens',
    about:
      'The metadata of a protected resource (RFC 9728), to which an answer 401 of `/mcp` leads. The server takes bearer tokens, and has no authorization server.',
    answers: [{ status: 200, about: 'The metadata.', type: json, schema: McpMetadata }],
  },
})
