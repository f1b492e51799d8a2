// Checks tools and subagents against the lists of a request. An absent list allows everything.
import type { CreateTaskBody, ToolDefinition } from '../contract/wire.ts'

const isOn = (list: string[] | null | undefined, name: string): boolean => list?.includes(name) ?? true

/** The list of forbidden tools applies to every tool, from any source. */
export const isDenied = (request: CreateTaskBody, name: string): boolean =>
  request.disallowed_tools?.includes(name) === true

/**
 * The lists of allowed tools apply to tools of the server. Subagents have a list of their own; client tools need none.
 */
export const isListed = (request: CreateTaskBody, name: string): boolean =>
  isOn(request.allowed_tools, name) && isOn(request.agent_config?.allowed_tools, name)

export const isBuiltinOn = (request: CreateTaskBody, name: string): boolean =>
  isOn(request.agent_config?.builtin_tools, name)

export const isSubagentOn = (request: CreateTaskBody, agent: string): boolean =>
  isOn(request.allowed_subagents, agent) && isOn(request.agent_config?.builtin_subagents, agent)

/** Whether a subagent is offered to the model. An agent without a model is offered only when a list names it. */
export const isInvited = (request: CreateTaskBody, agent: string): boolean =>
  agent === 'model' ||
  [request.allowed_subagents, request.agent_config?.builtin_subagents].some(list => list?.includes(agent))

export const clientTool = (request: CreateTaskBody, name: string): ToolDefinition | undefined =>
  request.client_tools?.find(tool => tool.function.name === name)
