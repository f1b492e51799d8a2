// The tools of the environment session that a task's session names, as tools like any other: each call is a step of the
// session, journalled there under the call's effect, so that the same call is never two steps.
import type { Recovery } from '../contract/environment.ts'
import type { Tool, ToolScope, ToolSource } from '../contract/tools.ts'
import { asTexts } from '../contract/variables.ts'
import type { EnvStepAnswer, ToolDefinition } from '../contract/wire.ts'
import type { Sessions } from './commands.ts'

/** What the agent is told of a step: its content, then what is there to see. */
const told = ({ tool_result, observation, reward, done, info }: EnvStepAnswer) => {
  // A step that was done may have an error, too: its state could not be kept.
  const error = tool_result.status === 'completed' && info.error !== undefined ? { error: info.error } : {}
  const seen = JSON.stringify({ observation, reward, done, ...error })
  const { message_content: content } = tool_result
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
    // A step that was taken is found in the session. One that was cut off runs again only where the author of the
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
      const { answer, at } = await takeFor(sessionId, step, { emit, signal })
      const { tool_result, info, done } = answer
      if (tool_result.status === 'incomplete' && !done) {
        return { content: String(info.error ?? told(answer)), step: at, failed: true }
      }
      const { block_list: blocks } = tool_result
      return { content: told(answer), blocks, step: at, ...(done ? { ends: true } : {}) }
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
      // The session may have ended with this very step.
      if (effectId !== undefined && (await hasBegun(sessionId, userId, effectId))) {
        return asTool(scope, ended(name))
      }
      const { tools, recovery } = await toolsFor(sessionId, userId)
      const definition = tools.find(known => known.function.name === name)
      return definition && asTool(scope, definition, recovery)
    },
  }
}
