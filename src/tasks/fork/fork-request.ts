// Makes the request of a fork: the request of the copied task, with the agent's settings that the caller gives.
import type { TaskEventData } from '../../contract/task-events.ts'
import type { Principal } from '../../contract/token-events.ts'
import { type CreateTaskBody, ForkTaskBody } from '../../contract/wire.ts'
import { splitHeaders } from '../../mcp/request.ts'
import { digestOfRequest } from '../../platform/digest.ts'
import type { RequestReader } from '../request-reader.ts'

/** The digest of a request to fork, without secret values. It identifies a retry. */
export const digestOfFork = (taskId: string, body: ForkTaskBody): string => {
  const { agent_config: config } = body
  const servers = config?.tool_mcp_config
  const agent_config = { ...config, tool_mcp_config: servers && splitHeaders(servers).shown }
  return digestOfRequest(ForkTaskBody, servers ? { ...body, agent_config } : body, 'fork', taskId)
}

export type ForkRequest = {
  request: CreateTaskBody
  agent: string
  /** Secret values that the caller gives now. */
  secrets: Record<string, unknown>
}

/**
 * The settings of the caller replace those of the copied task one by one. The webhook of a task is for that task alone,
 * so a fork has none. Throws Invalid with the problems of the settings.
 */
export const forkRequest = async (
  requests: RequestReader,
  principal: Principal,
  created: TaskEventData<'TaskCreated'>,
  config: ForkTaskBody['agent_config'],
): Promise<ForkRequest> => {
  const { webhook: _, task_id: __, session_id: ___, request_id: ____, ...request } = created.request
  if (!config) return { request, agent: created.agent, secrets: {} }
  const agent_config = { ...request.agent_config, ...config }
  const asked = { ...request, agent_config, user_id: created.user_id }
  const { shown, secrets, agent } = await requests.read(principal, asked, '')
  const { tool_mcp_config: headers } = secrets
  const isGiven = config.tool_mcp_config && headers !== undefined
  return {
    request: { ...request, agent_config: shown.agent_config ?? null },
    agent,
    secrets: isGiven ? { tool_mcp_config: headers } : {},
  }
}
