// Finds out whether a request answers a task that waits for its client. Clients of some protocols send their whole history
// each time, in which the results of calls stand among much else.
import type { Principal } from '../contract/events/token-events.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { ContentPart, CreateTaskBody, MessageContent, ToolResultItem } from '../contract/wire.ts'
import type { Pause } from '../fairness/slices.ts'
import type { TaskDoor } from '../http/doors.ts'
import { standingOf } from './follow.ts'
import { bare, inTask } from './ids.ts'

type Tasks = Pick<TaskDoor, 'openFeed' | 'queries' | 'storedFrames' | 'streamOf' | 'wereTaken'>

/** The result of a call, whose id may name its task. `at`: its place in the list that the client sent. */
export type GivenResult = { at: number; callId: string; content: MessageContent; failed?: true }

/** A message that the agent has not said. `at`: its place in the same list. */
export type GivenMessage = { at: number; role: string; content: MessageContent }

/** What a client sent. `list`: the name of the field that has it. */
export type Given = { list: string; results: readonly GivenResult[]; messages: readonly GivenMessage[] }

/** A create with which a task goes on, and the turn that begins with it. */
export type Answered = { create: CreateTaskBody; turn: number }

/** The row of a task; undefined: there is none, or the principal may not see it. */
export const rowOf = ({ queries }: Pick<Tasks, 'queries'>, principal: Principal, taskId: string) => {
  try {
    return queries.visible(principal, taskId)
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'TaskNotFound') return undefined
    throw error
  }
}

const resultOf = ({ callId, content, failed }: GivenResult): ToolResultItem => ({
  type: 'tool_result',
  call_id: bare(callId),
  ...(failed ? { status: 'incomplete' as const } : {}),
  message_content: content,
  block_list: [],
})

const partsOf = (content: MessageContent): ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** Several messages as one. Texts have an empty line between them. */
const joined = (contents: MessageContent[]): MessageContent => {
  if (contents.every(content => typeof content === 'string')) return contents.join('\n\n')
  return contents.length === 1 ? (contents[0] as MessageContent) : contents.flatMap(partsOf)
}

/** A task that goes on takes results and messages of its user. */
const mustBeOfUser = (list: string, messages: readonly GivenMessage[]): void => {
  const [other] = messages.filter(({ role }) => role !== 'user')
  if (other === undefined) return
  const msg = `A message of the role ${other.role} behind results does not reach a task that goes on: give it the role user, or leave it out`
  throw new Invalid([{ loc: ['body', list, other.at], msg, type: 'value_error' }])
}

/**
 * What gives these results to the task that asked for the last of them. `named`: the task of results whose ids name none.
 * Messages behind the first result of the turn come with the results. Undefined: no task waits for these results, so that
 * they are history. Results that were given before count again, unless other messages come with them: then the client has
 * gone on from there.
 */
export const answeredBy = async (
  tasks: Tasks,
  principal: Principal,
  { list, results, messages }: Given,
  { named, pause }: { named?: string | undefined; pause: Pause },
): Promise<Answered | undefined> => {
  const taskOf = ({ callId }: GivenResult) => inTask(callId)?.taskId ?? named
  const last = results.at(-1)
  const taskId = last === undefined ? undefined : taskOf(last)
  if (taskId === undefined || rowOf(tasks, principal, taskId) === undefined) return undefined
  const { turnAfter, waitsFor } = await standingOf(tasks, taskId, pause)
  const turnOf = ({ callId }: GivenResult): number => turnAfter.get(bare(callId)) ?? Number.NaN
  const known = results.filter(each => taskOf(each) === taskId && turnAfter.has(bare(each.callId)))
  const awaited = known.filter(({ callId }) => waitsFor.some(call => call.call_id === bare(callId)))
  const turn = Math.max(...(awaited.length > 0 ? awaited : known).map(turnOf))
  // All results of the turn, so that a repeated request has the same body, whichever of them the task has by then.
  const ofTurn = known.filter(result => turnOf(result) === turn)
  const [first] = ofTurn
  if (first === undefined) return undefined
  const behind = messages.filter(({ at, content }) => at > first.at && content.length > 0)
  const create = {
    user_message_content: joined(behind.map(({ content }) => content)),
    stream: false,
    task_id: taskId,
    history_messages: ofTurn.map(resultOf),
  }
  const isHistory = awaited.length === 0 && behind.length > 0 && !(await tasks.wereTaken(create, pause))
  if (isHistory) return undefined
  mustBeOfUser(list, behind)
  return { create, turn }
}
