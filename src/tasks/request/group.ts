// Checks the rules for a group chat that its schema cannot express.
import type { Problem } from '../../contract/refusals.ts'
import { type CreateTaskBody, GroupConfig, groupAgent, type SpeakerConfig } from '../../contract/wire.ts'
import { type AgentChoice, agentOf, unknownAgent } from './agent-choice.ts'
import { nameProblems } from './group-names.ts'
import { modelProblems } from './model-arguments.ts'
import { problem } from './problem.ts'
import { scriptProblems } from './script.ts'

type At = (string | number)[]
const here: At = ['agent_config', 'group']

/** The problems of one speaker, at its place in the body. */
const speakerProblems = (speaker: SpeakerConfig, at: At, agents: AgentChoice): Problem[] => {
  const body = { agent_config: speaker }
  const agent = agentOf(body, agents)
  const inside = [
    ...unknownAgent(body, agents),
    ...(agent === 'script' ? scriptProblems(speaker.script) : []),
    ...(agent === 'model' ? modelProblems(body) : []),
  ].map(found => ({ ...found, loc: ['body', ...at, ...found.loc.slice(2)] }))
  const nested =
    agent === groupAgent ? [problem([...at, 'agent_id'], 'A group chat cannot speak in another')] : []
  const servers = speaker.tool_mcp_config
    ? [problem([...at, 'tool_mcp_config'], 'The speakers use the servers in agent_config.tool_mcp_config')]
    : []
  return [...inside, ...nested, ...servers]
}

const moderatorProblems = ({ order, moderator }: GroupConfig): Problem[] => {
  const at = [...here, 'moderator']
  if (order === 'moderator') return moderator ? [] : [problem(at, 'Field required', 'missing')]
  return moderator ? [problem(at, 'Only the order "moderator" has a moderator')] : []
}

const wordProblems = (group: GroupConfig): Problem[] =>
  Object.keys(group)
    .filter(word => !(word in GroupConfig.properties))
    .map(word => problem([...here, word], 'There is no such field'))

export const groupProblems = (
  body: Partial<CreateTaskBody>,
  agent: string,
  agents: AgentChoice,
): Problem[] => {
  const group = body.agent_config?.group
  if (!group) return [problem(here, 'Field required', 'missing')]
  if (agent !== groupAgent) {
    return [problem(['agent_config', 'agent_id'], `agent_config.group needs the agent "${groupAgent}"`)]
  }
  const speakers = group.agents.map((speaker, n) => ({ speaker, at: [...here, 'agents', n] }))
  const named = speakers.map(({ speaker, at }) => ({ name: speaker.name ?? '', at }))
  const { moderator } = group
  const asked = moderator ? [{ speaker: moderator, at: [...here, 'moderator'] }] : []
  const chair = moderator ? [{ name: moderator.name || 'moderator', at: [...here, 'moderator'] }] : []
  const schema = body.structured_output
    ? [problem(['structured_output'], 'A group chat has no structured output')]
    : []
  return [
    ...wordProblems(group),
    ...(group.agents.length === 0
      ? [problem([...here, 'agents'], 'A group chat needs a speaker', 'too_short')]
      : []),
    ...nameProblems([...named, ...chair]),
    ...moderatorProblems(group),
    ...[...speakers, ...asked].flatMap(({ speaker, at }) => speakerProblems(speaker, at, agents)),
    ...schema,
  ]
}
