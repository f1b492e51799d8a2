// Gives a task the tools of the environment session that has the id of the task's session. Each call is a step of this
// environment session, stored there under the call's effect id, so that a repeated call is not a second step.
import type { Recovery } from '../contract/environment.ts'
import type { Tool, ToolScope, ToolSource } from '../contract/tools.ts'
import { asTexts } from '../contract/variables.ts'
import type { EnvStepAnswer, MessageContent, ToolDefinition } from '../contract/wire.ts'
import type { Sessions } from './commands.ts'

const last = 'The episode is over. No tool can be called any more: give your last answer.'

/**
 * The result of a step for the agent: its content, then the observation if the kind wants it shown, the reward if it is
 * not 0, and that the episode is over.
 */
const resultText = (answer: EnvStepAnswer, showsObservation: boolean): MessageContent => {
  const { tool_result, observation, reward, terminated, truncated, done, info } = answer
  const { message_content: content } = tool_result
  const told = {
    ...(showsObservation ? { observation } : {}),
    ...(reward === 0 ? {} : { reward }),
    ...(terminated ? { terminated } : {}),
    ...(truncated ? { truncated } : {}),
    // A completed step can have an error too: its state could not be kept.
    ...(tool_result.status === 'completed' && info.error !== undefined ? { error: info.error } : {}),
  }
  const seen = [Object.keys(told).length === 0 ? [] : JSON.stringify(told), done ? last : []]
    .flat()
    .join('\n')
  if (seen === '') return content
  return typeof content === 'string'
    ? `${content}\n${seen}`
    : [...content, { type: 'text' as const, text: seen }]
}

const ended = (name: string): ToolDefinition => ({ type: 'function', function: { name, parameters: {} } })

export const createSessionTools = ({
  toolsFor,
  takeFor,
  hasBegun,
  isOf,
}: Pick<Sessions, 'toolsFor' | 'takeFor' | 'hasBegun' | 'isOf'>): ToolSource => {
  const asTool = (
    { sessionId, taskId }: ToolScope,
    definition: ToolDefinition,
    recovery?: Recovery,
  ): Tool => ({
    definition,
    origin: `env:${definition.function.name}`,
    // The session knows the result of a completed step. An interrupted step runs again only if the author of the
    // environment says that its actions may be repeated.
    isSafe: () => recovery === 'refold',
    ...(recovery === 'refold' ? {} : { inSession: true }),
    async run({ effectId, attempt = 1, arguments: toolArgs, env, emit, signal }) {
      const toolName = definition.function.name
      const step = {
        toolName,
        toolArgs,
        ...(Object.keys(env).length === 0 ? {} : { envVars: asTexts(env) }),
        effectId,
        attempt,
        itemId: `tr_${effectId}`,
        taskId,
      }
      const { answer, showsObservation, at } = await takeFor(sessionId, step, { emit, signal })
      const { tool_result, info, done } = answer
      if (tool_result.status === 'incomplete' && !done) {
        return {
          content: info.error === undefined ? tool_result.message_content : String(info.error),
          step: at,
          failed: true,
        }
      }
      const { block_list: blocks } = tool_result
      const ends = done ? { ends: answer.terminated ? ('terminated' as const) : ('truncated' as const) } : {}
      return { content: resultText(answer, showsObservation), blocks, step: at, ...ends }
    },
  })
  return {
    isFor: ({ sessionId, userId }) => isOf(sessionId, userId),
    async list(scope) {
      const { tools, recovery } = await toolsFor(scope.sessionId, scope.userId)
      return tools.map(definition => asTool(scope, definition, recovery))
    },
    async find(scope, name, _signal, effectId) {
      const { sessionId, userId } = scope
      // A session that has ended has no tools. But if the step of this call ended it, the result of the call is there.
      if (effectId !== undefined && (await hasBegun(sessionId, userId, effectId))) {
        return asTool(scope, ended(name))
      }
      const { tools, recovery } = await toolsFor(sessionId, userId)
      const definition = tools.find(known => known.function.name === name)
      return definition && asTool(scope, definition, recovery)
    },
  }
}
