// Subagents as tools: their definitions for the calling model, and the requests of the tasks that their calls create.
import type { AgentConfig, CreateTaskBody, ToolDefinition } from '../contract/wire.ts'
import { scriptProblems, scriptSteps } from './request/script.ts'

/** The name of the tool of a subagent is this, and then the name of the agent. */
export const subagentPrefix = 'agent_'

export const subagentTool = (agent: string): ToolDefinition => ({
  type: 'function',
  function: {
    name: `${subagentPrefix}${agent}`,
    description: `Gives a piece of work to the agent "${agent}"; the result is the last thing it says.`,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'What it is asked to do.' } },
      required: ['input'],
      additionalProperties: false,
    },
    strict: false,
  },
})

/** The part of the caller's config that a subagent inherits: the tools and the model settings, not the identity. */
const handedOn = ({
  agent_id,
  name,
  description,
  developer_prompt,
  script,
  group,
  ...rest
}: AgentConfig): AgentConfig => rest

/** The fields that are not undefined, since an absent field is not stored. */
const definedOnly = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

/**
 * The request of a subagent's task: its input, under the limits of the caller. The subagent does not get the client's
 * tools, since the client would not learn that a call waits.
 */
export const requestFor = (
  parent: CreateTaskBody,
  agent: string,
  input: string,
): { request: CreateTaskBody } | { why: string } => {
  const script = agent === 'script' ? scriptSteps(input) : undefined
  const problem = agent === 'script' ? scriptProblems(script, ['input'])[0] : undefined
  if (problem !== undefined) {
    return { why: `a script is a JSON list of steps: ${problem.loc.slice(1).join('.')}: ${problem.msg}` }
  }
  const request = definedOnly({
    user_message_content: input,
    stream: false,
    agent_config: definedOnly({ ...handedOn(parent.agent_config ?? {}), agent_id: agent, script }),
    allowed_tools: parent.allowed_tools,
    disallowed_tools: parent.disallowed_tools,
    allowed_subagents: parent.allowed_subagents,
    inference_args: parent.inference_args,
    workspace_dir: parent.workspace_dir,
    env: parent.env,
  }) as CreateTaskBody
  return { request }
}
