// The agents of the server as models of OpenAI, and what the bodies of both doors say in the same way about a task.
import type { Principal } from '../../contract/events/token-events.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import type { AgentDoor } from '../../http/doors.ts'
import { agentsOf } from '../agents.ts'
import { metadataOf } from '../metadata.ts'
import { OpenAIProblem } from './errors.ts'

/** Throws when the caller has no agent of this name. */
export const mustBeAgent = (agents: Pick<AgentDoor, 'list'>, principal: Principal, model: string): void => {
  const names = agentsOf(agents, principal).map(({ name }) => name)
  if (names.includes(model)) return
  const known = [...new Set(names)].toSorted().join(', ')
  const message = `There is no agent ${JSON.stringify(model)}: the agents are ${known}`
  throw new OpenAIProblem('model', message, 'model_not_found', 404)
}

type Tool = {
  name: string
  description?: string | null | undefined
  parameters?: Record<string, unknown> | null | undefined
  strict?: boolean | null | undefined
}

/** What a body says about the agent and its model. */
export type Settings = {
  model: string
  instructions?: string | null | undefined
  maxTokens?: number | null | undefined
  tools: readonly Tool[]
  tool_choice?: unknown
  schema?: Record<string, unknown> | undefined
  metadata?: Record<string, unknown> | null | undefined
  /** What the protocol asked for and a task cannot say. */
  facts?: Record<string, unknown>
  /** Arguments that the model gets. */
  args: Record<string, unknown>
  parallel?: boolean | null | undefined
}

/** Fields that are there. */
export const present = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** The key of a task's metadata that has what only these doors know of their request. */
export const ownMetadata = 'openai'

/** The part of a create that both doors make in the same way. */
export const settingsOf = (settings: Settings): Omit<CreateTaskBody, 'user_message_content'> => {
  const { model, instructions, maxTokens, schema, parallel } = settings
  const metadata = metadataOf(ownMetadata, settings.metadata, settings.facts ?? {})
  const tools = settings.tool_choice === 'none' ? [] : settings.tools
  const args = present({
    ...settings.args,
    ...(tools.length === 0 ? {} : { parallel_tool_calls: parallel }),
  })
  return {
    stream: false,
    agent_config: {
      agent_id: model,
      ...(instructions ? { developer_prompt: instructions } : {}),
      ...(maxTokens ? { max_response_length: maxTokens } : {}),
    },
    ...(tools.length === 0
      ? {}
      : {
          client_tools: tools.map(({ name, description, parameters, strict }) => ({
            type: 'function' as const,
            function: {
              name,
              parameters: parameters ?? {},
              ...(description ? { description } : {}),
              ...(strict == null ? {} : { strict }),
            },
          })),
        }),
    ...(Object.keys(args).length === 0 ? {} : { inference_args: args }),
    ...(schema === undefined ? {} : { structured_output: schema }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

/**
 * A choice of tools that the server does not carry out, as a list of fields. A task goes on after its calls, so none can be
 * forced for good.
 */
export const unusedChoice = ({ tool_choice: choice }: { tool_choice?: unknown }): string[] =>
  choice === undefined || choice === null || choice === 'auto' || choice === 'none' ? [] : ['tool_choice']

/** The schema of an answer that must be a JSON object. */
export const anyObject = { type: 'object' }
