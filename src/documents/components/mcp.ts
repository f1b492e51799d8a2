// The named schemas of MCP.
import { McpAnswer, McpError, McpMetadata, McpRefusal } from '../../contract/mcp/messages.ts'
import type { Components } from '../component.ts'

export const mcpComponents: Components = {
  McpAnswer: {
    schema: McpAnswer,
    about: 'A message of the server: the answer to a request, or a notification.',
    fields: {
      jsonrpc: 'Always `2.0`.',
      id: 'The id of the request. A notification has none.',
      method: 'The name of a notification, or of a request of the server to an older client.',
      params: 'What the notification says.',
      result: 'The result of the request.',
      error: 'Why there is no result.',
    },
  },
  McpError: {
    schema: McpError,
    about: 'An error of MCP. Its codes are those of MCP.',
    fields: {
      code: 'The kind of error.',
      message: 'What is wrong, and what to do.',
      data: 'More about it. `reason` is the name of the refusal.',
    },
  },
  McpRefusal: {
    schema: McpRefusal,
    about: 'A refused message of MCP.',
    fields: {
      jsonrpc: 'Always `2.0`.',
      id: 'The id of the request; null if it cannot be known.',
      error: 'Why it is refused.',
    },
  },
  McpMetadata: {
    schema: McpMetadata,
    about: 'How `/mcp` takes tokens (RFC 9728).',
    fields: {
      resource: 'The address of `/mcp`.',
      resource_name: 'The name of the server.',
      bearer_methods_supported: 'Tokens are sent in the header `Authorization`.',
    },
  },
}
