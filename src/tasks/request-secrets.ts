// Separates the secret values of a create from the rest. The stored, shown and digested body holds only their names.
import { masked } from '../contract/variables.ts'
import type { CreateTaskBody } from '../contract/wire.ts'
import { splitHeaders } from '../mcp/request.ts'
import { digestOfBody } from '../platform/digest.ts'

/** Takes out the values of `env` and of MCP headers. The names stay. */
export const splitSecrets = (
  body: CreateTaskBody,
): { shown: CreateTaskBody; secrets: Record<string, unknown> } => {
  const secrets: Record<string, unknown> = {}
  const shown = { ...body }
  if (body.env && Object.keys(body.env).length > 0) {
    secrets.env = body.env
    shown.env = masked(body.env)
  }
  const mcp = body.agent_config?.tool_mcp_config
  if (mcp) {
    const { shown: tool_mcp_config, headers } = splitHeaders(mcp)
    if (Object.keys(headers).length > 0) secrets.tool_mcp_config = headers
    shown.agent_config = { ...body.agent_config, tool_mcp_config }
  }
  return { shown, secrets }
}

/** The digest of a create: of the body as it was sent, without secret values. It identifies a retry. */
export const digestOfCreate = (body: CreateTaskBody): string => digestOfBody(splitSecrets(body).shown)
