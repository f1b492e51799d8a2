// Separates the secret values of a create from the rest. The stored, shown and digested body holds only their names.
import { masked } from '../contract/variables.ts'
import { CreateTaskBody } from '../contract/wire.ts'
import { splitHeaders } from '../mcp/request.ts'
import { digestOfRequest } from '../platform/digest.ts'

/** What is shown in place of a secret. */
const hidden = '***'

/** Takes out the values of `env`, of MCP headers, and the secret of a webhook. The names stay. */
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
  if (body.webhook?.secret) {
    secrets.webhook = { secret: body.webhook.secret }
    shown.webhook = { ...body.webhook, secret: hidden }
  }
  return { shown, secrets }
}

/** The digest of a create: of the body as it was sent, without secret values. It identifies a retry. */
export const digestOfCreate = (body: CreateTaskBody): string =>
  digestOfRequest(CreateTaskBody, splitSecrets(body).shown)
