// The input of an agent step: what the agent sees, and what the service does for the step.
import type { StepInput } from '../../../src/contract/agent.ts'
import type { PlannedCall } from '../../../src/contract/commands/commands.ts'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import type {
  CreateTaskBody,
  ErrorObject,
  MessageContent,
  OddTool,
  OutputItem,
  ToolDefinition,
} from '../../../src/contract/wire.ts'
import { firstSeen, givenNext, type Seen, seenNext } from '../../../src/history/context.ts'
import { system } from '../../../src/history/task/messages.ts'
import { tokensUsed } from '../../../src/history/task/model-calls.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import type { TaskDeps } from '../deps.ts'
import { scopeOf } from '../scope.ts'
import { planCalls } from './planning.ts'
import type { SaidCall } from './step-draft.ts'

export type StepGiven = {
  effectId: string
  agentStep: number
  /** Resolves when the step may begin; undefined: now. */
  turn: () => Promise<void> | undefined
  attempt: number
  request: CreateTaskBody
  asked: MessageContent
  workdir: string
  history: () => Promise<OutputItem[]>
  given: StepInput['given']
  tools: (signal: AbortSignal) => ReturnType<TaskDeps['tools']['offered']>
  env: () => Record<string, unknown>
  /** Decides who handles each call. */
  plan: (calls: readonly SaidCall[], signal: AbortSignal) => Promise<PlannedCall[]>
  /** Why an answer is refused; absent: any answer is accepted. */
  refuse?: (answer: string | undefined) => Promise<ErrorObject | undefined>
  corrected: StepInput['corrected']
  summed: boolean
  newestResult: StepInput['newestResult']
  used: StepInput['used']
  turns: NonNullable<StepInput['turns']>
  /** The stream of the tool list that the model was offered last, and the odd ones of its tools. */
  offered: { stream: string | undefined; odd: OddTool[] }
  /** Stores this list of tools if it is new, and returns the stream that holds it. */
  listOf: (tools: ToolDefinition[]) => Promise<string>
}

/** The text of the last completed message. */
const lastMessage = ({ output }: DecidedTask): string => {
  const item = output.findLast(({ type, status }) => type === 'message' && status === 'completed')
  if (item?.type !== 'message' || typeof item.message_content === 'string') return ''
  return item.message_content
    .map(part => (typeof part !== 'string' && 'text' in part ? part.text : ''))
    .join('')
}

/** The newest message of the user that the agent has seen; if there is none, the message of the request. */
export const askedOf = ({ messages }: DecidedTask, request: CreateTaskBody): MessageContent =>
  messages.findLast(({ by, at }) => by !== system && at !== undefined)?.content ??
  request.user_message_content

/** The schema that an answer must fit; undefined: none, as in every streamed task. */
export const schemaOf = ({ stream, structured_output }: CreateTaskBody): object | undefined =>
  stream ? undefined : (structured_output ?? undefined)

type DueStep = {
  created: TaskEventData<'TaskCreated'>
  agentStep: number
  effectId: string
  /** The secret values of the task's request. */
  secrets: Record<string, unknown>
  /** Collects functions: each releases the place that was kept for a subagent's task. */
  reserved: (() => void)[]
}

export const stepGiven = (
  deps: TaskDeps,
  view: DecidedTask,
  { created, agentStep, effectId, secrets, reserved }: DueStep,
): StepGiven => {
  const { request, user_id } = created
  const schema = schemaOf(request)
  let read: Promise<Seen> | undefined
  /** The context of the task at its start, which is read once. */
  const first = (): Promise<Seen> => (read ??= firstSeen(deps.log.readStream, view))
  return {
    effectId,
    agentStep,
    // The first step needs no turn: the request that created the task has waited for one.
    turn: () => (agentStep === 1 ? undefined : deps.turnOf(user_id)),
    attempt: view.brokenOff,
    request,
    asked: askedOf(view, request),
    corrected: view.messages.some(({ by }) => by === system),
    summed: view.summed,
    newestResult: view.output.findLast(item => item.type === 'tool_result'),
    used: { tokens: tokensUsed(view), context: view.contextTokens, startedAt: view.startedAt },
    turns: view.turns,
    offered: { stream: view.toolList, odd: view.oddTools },
    listOf: tools => deps.storeTools(user_id, tools),
    workdir: deps.workspaceOf(created).workdir,
    history: async () => seenNext(view, await first()).items,
    given: async () => givenNext(view, await first()),
    tools: async signal =>
      view.lastCall === undefined
        ? deps.tools.offered(scopeOf(deps, created), signal)
        : { tools: [], odd: view.oddTools },
    env: () => (secrets.env ?? {}) as Record<string, unknown>,
    plan: (said, signal) =>
      planCalls(
        deps,
        { created, agentStep, scope: scopeOf(deps, created), isOver: view.lastCall !== undefined },
        said,
        signal,
        reserved,
      ),
    ...(schema === undefined
      ? {}
      : { refuse: answer => deps.answerProblem(schema, answer ?? lastMessage(view), user_id) }),
  }
}
