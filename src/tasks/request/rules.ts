// What the schema of a create cannot say.
import { type Roots, within } from '../../access/user-folders.ts'
import { isLonger, mostSmallText } from '../../contract/json-limits.ts'
import type { Problem } from '../../contract/refusals.ts'
import { type CreateTaskBody, reservedMetadata } from '../../contract/wire.ts'
import { mcpProblems } from '../../mcp/request.ts'
import { type AgentChoice, agentOf, unknownAgent } from './agent-choice.ts'
import { problem } from './problem.ts'
import { scriptProblems } from './script.ts'

/** What would break the conversation with a model's endpoint, were it overridden. */
const protocolArgs = ['messages', 'model', 'stream', 'stream_options', 'tools', 'functions', 'n']
const modelProblems = ({ agent_config, inference_args }: Partial<CreateTaskBody>): Problem[] => {
  const lists: [(string | number)[], Record<string, unknown> | null | undefined][] = [
    [['inference_args'], inference_args],
    [['agent_config', 'inference_args'], agent_config?.inference_args],
  ]
  return lists.flatMap(([at, given]) =>
    Object.keys(given ?? {}).flatMap(name =>
      protocolArgs.includes(name) ? [problem([...at, name], 'This is decided by the service')] : [],
    ),
  )
}

/** What the checks need. `own`: the folders of the task's user; `problemsOfSchema`: what is wrong with a JSON Schema. */
export type Checks = readonly [
  own: Roots,
  agents: AgentChoice,
  problemsOfSchema: (schema: object) => Promise<string[]>,
]

/** What the schema of a body cannot say. */
export const otherProblems = async (
  body: Partial<CreateTaskBody>,
  ...[own, agents, problemsOfSchema]: Checks
): Promise<Problem[]> => {
  const problems: Problem[] = []
  // Honoured only when not streaming, and checked only when honoured.
  if (body.structured_output && !body.stream) {
    const wrong = await problemsOfSchema(body.structured_output)
    problems.push(...wrong.map(msg => problem(['structured_output'], msg)))
  }
  // These are written with every change of the task, or into a file that is synced before the task is stored.
  const small: [(string | number)[], unknown][] = [
    [['env'], body.env],
    [['metadata'], body.metadata],
    [['agent_config', 'tool_mcp_config'], body.agent_config?.tool_mcp_config],
  ]
  for (const [at, value] of small) {
    if (!isLonger(value, mostSmallText)) continue
    problems.push(
      problem(at, `Keys and texts may have at most ${mostSmallText} characters together`, 'too_long'),
    )
  }
  for (const key of Object.keys(body.metadata ?? {})) {
    if (reservedMetadata.has(key))
      problems.push(problem(['metadata', key], 'This key is written by the service'))
  }
  problems.push(...unknownAgent(body, agents))
  const agent = agentOf(body, agents)
  if (agent === 'script') problems.push(...scriptProblems(body.agent_config?.script))
  if (agent === 'model') problems.push(...modelProblems(body))
  const hasMcpServer = agents.hasMcpServer ?? (() => false)
  problems.push(...mcpProblems(body.agent_config?.tool_mcp_config, hasMcpServer))
  const folders = { workspace_dir: own.workspace, rollout_save_dir: own.rollouts, log_dir: own.logs } as const
  for (const [field, folder] of Object.entries(folders)) {
    const given = body[field as keyof typeof folders]
    if (given && within(folder, given) === undefined) {
      problems.push(problem([field], "The path leads outside of the user's own folder, or cannot exist"))
    }
  }
  return problems
}
