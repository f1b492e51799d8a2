// Makes the request of a turn's task: the speaker's settings, the newest message of the chat and the chat's tools.
import type { StepInput, TakenTurn } from '../../contract/agent.ts'
import { plainText } from '../../contract/plain-text.ts'
import type {
  CreateTaskBody,
  GroupConfig,
  MessageItem,
  ScriptStep,
  SpeakerConfig,
} from '../../contract/wire.ts'
import type { NextSpeaker } from './next-speaker.ts'
import { promptOf, question } from './prompts.ts'

// Finds the part of a speaker's script that one turn plays.

/**
 * The part of a script that one turn plays. A part ends with a message; after the last part comes the first one again.
 */
const scriptOfTurn = (script: readonly ScriptStep[], turnsBefore: number): ScriptStep[] => {
  const ends = script.flatMap(({ message }, n) => (message === undefined ? [] : [n + 1]))
  const cuts = [0, ...ends.filter(end => end < script.length), script.length]
  const n = turnsBefore % (cuts.length - 1)
  return script.slice(cuts[n], cuts[n + 1])
}

type Turn = Extract<NextSpeaker, { next: 'turn' | 'moderator' }>

/** The message to a speaker when the newest message of the chat is its own. */
const goOn = 'Go on.'

const definedOnly = (fields: object): CreateTaskBody =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as CreateTaskBody

const settingsOf = (config: SpeakerConfig, group: GroupConfig, turn: Turn, turns: readonly TakenTurn[]) => {
  const before = turns.filter(({ name }) => name === turn.name).length
  const prompts = [config.developer_prompt, promptOf(group, turn)].filter(Boolean)
  return {
    ...config,
    name: turn.name,
    developer_prompt: prompts.join('\n\n'),
    ...(config.script ? { script: scriptOfTurn(config.script, before) } : {}),
  }
}

/** `last`: the newest message of the chat, whoever wrote it. */
export const requestOf = (
  { request, turns = [] }: StepInput,
  group: GroupConfig,
  turn: Turn,
  last: MessageItem | undefined,
): { request: CreateTaskBody; messageId?: string } => {
  const isSpeaker = turn.next === 'turn'
  const config = isSpeaker ? turn.speaker : turn.moderator
  const { tool_mcp_config } = request.agent_config ?? {}
  const settings = settingsOf(config, group, turn, turns)
  const approve = [...(request.agent_config?.approve ?? []), ...(config.approve ?? [])]
  if (approve.length > 0) settings.approve = approve
  const isOwn = last?.role === 'assistant' && last.name === turn.name
  const heard = isSpeaker && !isOwn ? last : undefined
  const said = heard?.role === 'assistant' ? plainText(heard.message_content) : heard?.message_content
  const { allowed_tools, disallowed_tools, allowed_subagents, stop_tools, client_tools } = request
  const { inference_args, workspace_dir, env } = request
  const tools = { allowed_tools, disallowed_tools, allowed_subagents, stop_tools, client_tools }
  const whole = definedOnly({
    user_message_content: said ?? (isSpeaker ? goOn : question(group)),
    stream: false,
    agent_config: isSpeaker && tool_mcp_config ? { ...settings, tool_mcp_config } : settings,
    ...(isSpeaker ? tools : { allowed_tools: [], allowed_subagents: [] }),
    ...{ inference_args, workspace_dir, env },
  })
  return { request: whole, ...(heard?.id === undefined ? {} : { messageId: heard.id }) }
}
