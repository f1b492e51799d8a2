// The tools of the environment session that a task's session names, as tools like any other: each call is a step of the
// session, journalled there under the call's effect, so that the same call is never two steps.
import type { Tool, ToolScope, ToolSource } from './contract/tools.ts'
import { asTexts } from './contract/variables.ts'
import type { EnvStepAnswer, ToolDefinition } from './contract/wire.ts'
import type { Sessions } from './sessions.ts'

/** What the agent is told of a step: its content, then what is there to see. */
const told = ({ tool_result, observation, reward, done }: EnvStepAnswer) => {
  const seen = JSON.stringify({ observation, reward, done })
  const { message_content: content } = tool_result
  return typeof content === 'string'
    ? `${content}\n${seen}`
    : [...content, { type: 'text' as const, text: seen }]
}

const ended = (name: string): ToolDefinition => ({ type: 'function', function: { name, parameters: {} } })

export const createSessionTools = ({
  toolsFor,
  takeFor,
  hasTaken,
  isOf,
}: Pick<Sessions, 'toolsFor' | 'takeFor' | 'hasTaken' | 'isOf'>): ToolSource => {
  const asTool = ({ sessionId, taskId }: ToolScope, definition: ToolDefinition): Tool => ({
    definition,
    // Asked for again, it is the step that it was.
    isSafe: () => true,
    async run({ effectId, arguments: toolArgs, env, emit, signal }) {
      const toolName = definition.function.name
      const step = {
        toolName,
        toolArgs,
        ...(Object.keys(env).length === 0 ? {} : { envVars: asTexts(env) }),
        effectId,
        itemId: `tr_${effectId}`,
        taskId,
        began() {},
        emit,
        signal,
      }
      const { answer, at } = await takeFor(sessionId, step)
      const { tool_result, info, done } = answer
      if (tool_result.status === 'incomplete' && !done) {
        return { content: String(info.error ?? told(answer)), step: at, failed: true }
      }
      const { block_list: blocks } = tool_result
      return { content: told(answer), blocks, step: at, ...(done ? { ends: true } : {}) }
    },
  })
  const definitions = ({ sessionId, userId }: ToolScope) => toolsFor(sessionId, userId)
  return {
    isFor: ({ sessionId, userId }) => isOf(sessionId, userId),
    async list(scope) {
      return (await definitions(scope)).map(definition => asTool(scope, definition))
    },
    async find(scope, name, _signal, effectId) {
      const { sessionId, userId } = scope
      // The session may have ended with this very step.
      if (effectId !== undefined && (await hasTaken(sessionId, userId, effectId))) {
        return asTool(scope, ended(name))
      }
      const definition = (await definitions(scope)).find(known => known.function.name === name)
      return definition && asTool(scope, definition)
    },
  }
}
