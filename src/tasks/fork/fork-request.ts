// Makes the request of a fork: the request of the copied task, with the agent's settings that the caller gives.

import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid } from '../../contract/refusals.ts'
import { type CreateTaskBody, ForkTaskBody } from '../../contract/wire.ts'
import { splitHeaders } from '../../mcp/request.ts'
import { digestOfRequest } from '../../platform/digest.ts'
import type { RequestReader } from '../request-reader.ts'

const given = (value: unknown): boolean => value !== undefined && value !== null

/**
 * The body with the names of the interface in place of the short names of the command line. Throws Invalid when both names
 * of one field are given.
 */
export const withFullNames = (body: ForkTaskBody): ForkTaskBody => {
  const { agent, model, message, pause, ...rest } = body
  const config = rest.agent_config ?? {}
  const twice = [
    ['agent', agent, 'agent_config.agent_id', config.agent_id],
    ['model', model, 'agent_config.model', config.model],
    ['message', message, 'user_message_content', rest.user_message_content],
    ['pause', pause, 'run', rest.run],
  ].filter(([, short, , long]) => given(short) && given(long))
  if (twice.length > 0) {
    throw new Invalid(
      twice.map(([short, , long]) => {
        const msg = `Value error, ${short} is short for ${long}: give one of them`
        return { loc: ['body', String(short)], type: 'value_error', msg }
      }),
    )
  }
  const settings = { ...(given(agent) ? { agent_id: agent } : {}), ...(given(model) ? { model } : {}) }
  return {
    ...rest,
    ...(Object.keys(settings).length === 0 ? {} : { agent_config: { ...config, ...settings } }),
    ...(given(message) ? { user_message_content: message } : {}),
    ...(given(pause) ? { run: pause === false } : {}),
  }
}

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
