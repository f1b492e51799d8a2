// Subagents as tools: what a caller sees of one, and what the task is asked that its call makes.
import type { AgentConfig, CreateTaskBody, ToolDefinition } from '../contract/wire.ts'
import { scriptProblems, scriptSteps } from './request/script.ts'

export const subagentTool = (agent: string): ToolDefinition => ({
  type: 'function',
  function: {
    name: `agent_${agent}`,
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

/** Who it is and what it is called is the caller's own; what it may call and how its model is asked is handed on. */
const handedOn = ({
  agent_id,
  name,
  description,
  developer_prompt,
  script,
  ...rest
}: AgentConfig): AgentConfig => rest

/** Only what is there: a field that is not given is not stored. */
const given = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

/**
 * The request of a subagent's task: its input, under the limits of who asks. A client's tools are not handed on:
 * nobody would hear that they wait.
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
  const request = given({
    user_message_content: input,
    stream: false,
    agent_config: given({ ...handedOn(parent.agent_config ?? {}), agent_id: agent, script }),
    allowed_tools: parent.allowed_tools,
    disallowed_tools: parent.disallowed_tools,
    allowed_subagents: parent.allowed_subagents,
    inference_args: parent.inference_args,
    workspace_dir: parent.workspace_dir,
    env: parent.env,
  }) as CreateTaskBody
  return { request }
}
