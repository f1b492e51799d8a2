// What clients of 2025-11-25 and before do in another way. They begin with a handshake, in which they say what they can do;
// the server asks them on the stream of a call, and they send the answer as a message of its own. Nothing of that is kept
// here: the id of the session says what the client can do, and the id of a question names its call and its task. So an
// answer also reaches a task after the server has started again.
import type { Principal } from '../../contract/events/token-events.ts'
import { withTask } from '../ids.ts'
import { type Exchange, isRecord } from './exchange.ts'
import { elicitationFor, type Questions } from './questions.ts'

const asking = 'asks'
const silent = 'silent'

/** Whether a client can show a form to its user, by the capabilities that it has declared. */
export const showsForms = (capabilities: unknown): boolean => {
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined
  return isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** The id of a session that begins with this request. */
export const sessionFor = (params: Record<string, unknown>, newId: string): string =>
  `${showsForms(params.capabilities) ? asking : silent}.${newId}`

export const elicitsIn = (sessionId: string | string[] | undefined): boolean =>
  typeof sessionId === 'string' && sessionId.startsWith(`${asking}.`)

/**
 * Asks the client, each question once. Its answers come as messages of their own, so the task goes on without this request,
 * too. `asked`: the calls for which it was asked already.
 */
export const askOlderClient = async (
  { send }: Exchange,
  taskId: string,
  questions: Questions,
  asked: Set<string>,
): Promise<void> => {
  for (const call of questions.values()) {
    if (asked.has(call.call_id)) continue
    asked.add(call.call_id)
    await send({ jsonrpc: '2.0', id: withTask(call.call_id, taskId), ...elicitationFor(call) })
  }
}

/** Whether a message is the answer to a request of ours. */
export const isAnswer = (message: Record<string, unknown>): boolean =>
  message.method === undefined && ('result' in message || 'error' in message)

/**
 * The calls of older clients that are open, so that a message of theirs can cancel one. Without a session, clients with one
 * token cannot be told apart: if two of them have a call of the same id open, a message cancels neither.
 */
export const createOpenCalls = () => {
  const open = new Map<string, Set<AbortController>>()
  const keyOf = ({ id: token }: Principal, session: unknown, id: unknown): string =>
    JSON.stringify([token, session, id])
  return {
    /** `canceled` aborts when the client cancels the call. */
    add(principal: Principal, session: unknown, id: unknown): { canceled: AbortSignal; forget: () => void } {
      const key = keyOf(principal, session, id)
      const calls = open.get(key) ?? new Set()
      const call = new AbortController()
      open.set(key, calls.add(call))
      const forget = () => {
        if (calls.delete(call) && calls.size === 0) open.delete(key)
      }
      return { canceled: call.signal, forget }
    },
    cancel(principal: Principal, session: unknown, id: unknown): void {
      const [call, ...others] = open.get(keyOf(principal, session, id)) ?? []
      if (others.length === 0) call?.abort()
    },
  }
}
export type OpenCalls = ReturnType<typeof createOpenCalls>
