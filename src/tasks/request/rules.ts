// Checks the rules for a create that its schema cannot express.
import { type Roots, within } from '../../access/user-folders.ts'
import { patternProblem } from '../../contract/approvals.ts'
import { isLonger, maxSmallText } from '../../contract/json/json-limits.ts'
import type { Problem } from '../../contract/refusals.ts'
import { type CreateTaskBody, groupAgent, reservedMetadata } from '../../contract/wire.ts'
import { mcpProblems } from '../../mcp/request.ts'
import { type IsRefused, typesProblems, urlProblems } from '../../webhooks/webhook-problems.ts'
import { type AgentChoice, agentOf, unknownAgent } from './agent-choice.ts'
import { groupProblems } from './group.ts'
import { modelProblems } from './model-arguments.ts'
import { problem } from './problem.ts'
import { scriptProblems } from './script.ts'

/**
 * Some fields must be small: the server writes them with each change of the task, or to a file that it syncs before it
 * stores the task.
 */
const sizeProblems = ({ env, metadata, agent_config }: Partial<CreateTaskBody>): Problem[] => {
  const small: [(string | number)[], unknown][] = [
    [['env'], env],
    [['metadata'], metadata],
    [['agent_config', 'tool_mcp_config'], agent_config?.tool_mcp_config],
  ]
  const msg = `The keys and texts of this field may have at most ${maxSmallText} characters in total`
  return small.flatMap(([at, value]) => (isLonger(value, maxSmallText) ? [problem(at, msg, 'too_long')] : []))
}

const metadataProblems = ({ metadata }: Partial<CreateTaskBody>): Problem[] =>
  Object.keys(metadata ?? {})
    .filter(key => reservedMetadata.has(key))
    .map(key => problem(['metadata', key], 'The service writes this key itself'))

/** The problems of the patterns of tools whose calls wait for an approval, also of those of speakers. */
const approvalProblems = ({ agent_config }: Partial<CreateTaskBody>): Problem[] => {
  const of = (patterns: string[] | null | undefined, at: (string | number)[]): Problem[] =>
    (patterns ?? []).flatMap((pattern, n) => {
      const msg = patternProblem(pattern)
      return msg === undefined ? [] : [problem(['agent_config', ...at, 'approve', n], msg)]
    })
  const { agents = [], moderator } = agent_config?.group ?? {}
  return [
    ...of(agent_config?.approve, []),
    ...agents.flatMap(({ approve }, n) => of(approve, ['group', 'agents', n])),
    ...of(moderator?.approve, ['group', 'moderator']),
  ]
}

const agentProblems = (body: Partial<CreateTaskBody>, agents: AgentChoice): Problem[] => {
  const unknown = unknownAgent(body, agents)
  const agent = agentOf(body, agents)
  if (agent === groupAgent || body.agent_config?.group)
    return [...unknown, ...groupProblems(body, agent, agents)]
  if (agent === 'script') return [...unknown, ...scriptProblems(body.agent_config?.script)]
  return agent === 'model' ? [...unknown, ...modelProblems(body)] : unknown
}

const folderProblems = (body: Partial<CreateTaskBody>, own: Roots): Problem[] => {
  const folders = { workspace_dir: own.workspace, rollout_save_dir: own.rollouts, log_dir: own.logs } as const
  return Object.entries(folders).flatMap(([field, folder]) => {
    const given = body[field as keyof typeof folders]
    if (!given || within(folder, given) !== undefined) return []
    return [problem([field], "The path leads outside of the user's own folder, or cannot exist")]
  })
}

/** Dependencies of the checks. `own`: the folders of the task's user. `problemsOfSchema`: problems of a JSON Schema.
 * `isRefused`: whether the server never sends a request to a URL.
 */
export type Checks = readonly [
  own: Roots,
  agents: AgentChoice,
  problemsOfSchema: (schema: object) => Promise<string[]>,
  isRefused: IsRefused,
]

/** All problems of a body that its schema cannot find. */
export const otherProblems = async (
  body: Partial<CreateTaskBody>,
  ...[own, agents, problemsOfSchema, isRefused]: Checks
): Promise<Problem[]> => {
  // The schema has an effect, and is checked, only when the task is not streamed.
  const { structured_output: schema } = body
  const wrong = schema && !body.stream ? await problemsOfSchema(schema) : []
  return [
    ...wrong.map(msg => problem(['structured_output'], msg)),
    ...sizeProblems(body),
    ...metadataProblems(body),
    ...agentProblems(body, agents),
    ...approvalProblems(body),
    ...mcpProblems(body.agent_config?.tool_mcp_config, agents.hasMcpServer ?? (() => false)),
    ...urlProblems(body.webhook?.url, isRefused, 'webhook'),
    ...typesProblems(body.webhook?.types, 'webhook'),
    ...folderProblems(body, own),
  ]
}
