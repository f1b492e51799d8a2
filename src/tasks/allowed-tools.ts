// What the lists of a request say of a tool or a subagent. A list that is absent allows everything.
import type { CreateTaskBody, ToolDefinition } from '../contract/wire.ts'

const isOn = (list: string[] | null | undefined, name: string): boolean => list?.includes(name) ?? true

/** The list of forbidden tools holds for every tool, whatever its source. */
export const isDenied = (request: CreateTaskBody, name: string): boolean =>
  request.disallowed_tools?.includes(name) === true

/** The lists of allowed tools hold for the tools of the server. Subagents have a list of their own, client tools need none. */
export const isListed = (request: CreateTaskBody, name: string): boolean =>
  isOn(request.allowed_tools, name) && isOn(request.agent_config?.allowed_tools, name)

export const isBuiltinOn = (request: CreateTaskBody, name: string): boolean =>
  isOn(request.agent_config?.builtin_tools, name)

export const isSubagentOn = (request: CreateTaskBody, agent: string): boolean =>
  isOn(request.allowed_subagents, agent) && isOn(request.agent_config?.builtin_subagents, agent)

/** Whether a subagent is offered: an agent without a model may be called, but is offered only where a list names it. */
export const isInvited = (request: CreateTaskBody, agent: string): boolean =>
  agent === 'model' ||
  [request.allowed_subagents, request.agent_config?.builtin_subagents].some(list => list?.includes(agent))

export const clientTool = (request: CreateTaskBody, name: string): ToolDefinition | undefined =>
  request.client_tools?.find(tool => tool.function.name === name)
