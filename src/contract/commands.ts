// What can be asked of a task. A command is a wish: its actor answers with events or refuses.
import type { StepEnd } from './agent.ts'
import type { Compressed, TaskEvent, TaskEventData } from './task-events.ts'
import type { Block, MessageContent } from './wire.ts'

/** Who asks, and because of what: `<stream>@<revision>` of an event, else a request id. */
export type Asked = { principal: string; causation: string }

/** The events that an agent step may report while it runs. */
export type StepEvent = Extract<
  TaskEvent,
  { type: 'ItemDelta' | 'ItemCompleted' | 'ItemSaid' | 'ToolsOffered' | 'CompressionStarted' }
>

/** How a step ended, with ids for what its end makes. */
export type RecordedEnd =
  | Exclude<StepEnd, { end: 'continue' | 'correct' }>
  | (Omit<Extract<StepEnd, { end: 'continue' }>, 'compressed'> & { compressed?: Compressed })
  | (Extract<StepEnd, { end: 'correct' }> & { itemId: string })

type Context = TaskEventData<'TaskStarted'>['context']
type Created = TaskEventData<'TaskCreated'>

/** What becomes of a call that a step made. */
export type PlannedCall = { callId: string } & (
  | { plan: 'refuse'; itemId: string; why: string }
  | { plan: 'run'; name: string; safe: boolean; inSession?: true }
  | { plan: 'client'; name: string }
  | { plan: 'delegate'; name: string; child: Created }
)

/** How a call ended: its result, or why there is none, as the agent is told it. */
export type CallOutcome = {
  status: 'completed' | 'incomplete'
  content: MessageContent
  blocks?: Block[]
  ends?: true
  step?: { stream: string; revision: number }
  child?: { stream: string; revision: number }
  usage?: Record<string, unknown>
}

/** What somebody outside gives as the result of a call. */
export type CallAnswer = {
  callId: string
  itemId: string
  /** The call failed, says who made it. */
  failed?: true
  content: MessageContent
  blocks: Block[]
}

/**
 * Keys of the request that brings an input. They stand in the first event that it stores. `bodyDigest` covers all that
 * the body says; it is compared where there is no key.
 */
export type RequestKeys = { digest?: string; idempotencyKey?: string; bodyDigest?: string }

/** What a task wishes by itself holds for the revision at which it was wished, and is void when it has moved on. */
type Wish = { revision: number }

export type TaskCommand = Asked &
  (
    | { type: 'CreateTask'; created: Created; start: boolean; context: Context }
    | { type: 'StartTask'; context: Context }
    | {
        type: 'RecordStep'
        agentStep: number
        effectId: string
        events: StepEvent[]
        end?: RecordedEnd
        calls?: PlannedCall[]
      }
    /** A call has said so much since it began to run. */
    | { type: 'SayEffect'; effectId: string; itemId: string; heard: string }
    /** `heard`: all that the call has said while it ran; the result begins with it. */
    | { type: 'CompleteEffect'; effectId: string; itemId: string; outcome: CallOutcome; heard?: string }
    | {
        type: 'AnswerCalls'
        answers: CallAnswer[]
        /** Every pending call must be among the answers. */
        whole: boolean
        message?: { itemId: string; content: MessageContent }
        keys: RequestKeys
      }
    /** Answers every pending call and completes: the conversation goes on in a new task, made in the same append. */
    | { type: 'ContinueElsewhere'; answers: CallAnswer[]; created: Created; start: boolean; context: Context }
    | { type: 'PostMessage'; itemId: string; content: MessageContent; isRetry: boolean; keys: RequestKeys }
    | ({ type: 'ConsumeInputs' } & Wish)
    | { type: 'GiveReward'; reward: { value: number; name?: string; data?: unknown } }
    | ({ type: 'AbandonStep' } & Wish)
    | { type: 'PauseTask' }
    | ({ type: 'PauseNow'; reason: string } & Wish)
    | { type: 'ResumeTask' }
    | { type: 'CancelTask'; reason?: string }
    | { type: 'FinishCancel'; receipts: TaskEventData<'EffectStopped'>[] }
    | { type: 'ExpireTask'; startedAt: number }
    | { type: 'DeleteTask' }
  )
