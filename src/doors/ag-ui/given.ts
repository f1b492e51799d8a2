// Finds, in the conversation that a client sends, what may answer a task that waits.
import type { AgUiMessage, AgUiResume, RunAgentInput } from '../../contract/ag-ui/input.ts'
import type { MessageContent } from '../../contract/wire.ts'
import type { Given, GivenResult } from '../answers.ts'
import { contentOf } from './messages.ts'

/** What the task hears of an answer to an interrupt. */
const answerOf = ({ status, payload }: AgUiResume): { content: MessageContent; failed?: true } => {
  if (status === 'cancelled') return { content: 'The user gave no answer.', failed: true }
  if (payload === undefined || payload === null) return { content: '' }
  return { content: typeof payload === 'string' ? payload : JSON.stringify(payload) }
}

const callsIn = (message: AgUiMessage): string[] =>
  message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : []

/**
 * The results and the messages behind the last answer of the agent. The results of earlier calls are among them, since only
 * the task that asked for them knows which are new. What the agent said at the end is left out: a client that joins a run
 * again has a part of it.
 */
export const givenIn = ({ messages, resume }: RunAgentInput): Given => {
  const answers = resume ?? []
  const resumed = new Set(answers.map(({ interruptId }) => interruptId))
  const end = messages.findLastIndex(({ role }) => role === 'user' || role === 'tool') + 1
  const asked = messages
    .slice(0, end)
    .findLastIndex(message => message.role === 'assistant' && callsIn(message).length === 0)
  const given = messages.map((message, at) => ({ message, at })).filter(({ at }) => at > asked && at < end)
  const results = given.flatMap(({ message, at }): GivenResult[] => {
    if (message.role !== 'tool' || resumed.has(message.toolCallId)) return []
    const { toolCallId: callId, error } = message
    if (error) return [{ at, callId, content: error, failed: true }]
    return [{ at, callId, content: contentOf(message.content, ['body', 'messages', at]) }]
  })
  const placeOf = new Map(messages.flatMap((message, at) => callsIn(message).map(id => [id, at] as const)))
  const resumes = answers.map(
    (answer): GivenResult => ({
      at: placeOf.get(answer.interruptId) ?? messages.length,
      callId: answer.interruptId,
      ...answerOf(answer),
    }),
  )
  return {
    list: 'messages',
    results: [...results, ...resumes],
    messages: given.flatMap(({ message, at }) =>
      message.role === 'user'
        ? [{ at, role: message.role, content: contentOf(message.content, ['body', 'messages', at]) }]
        : [],
    ),
  }
}
