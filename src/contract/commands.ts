// The commands of a task. The actor of a task answers a command with events or a refusal.
import type { AskedTurn, StepEnd } from './agent.ts'
import type { StreamAppend } from './stored.ts'
import type { Compressed, TaskEvent, TaskEventData } from './task-events.ts'
import type { EpisodeEnd } from './tools.ts'
import type { Block, MessageContent, ToolCallItem } from './wire.ts'

/**
 * `principal` gave the command. `causation` is what caused it: `<stream>@<revision>` of an event, or else a request id.
 */
export type Asked = { principal: string; causation: string }

/** The events that an agent step may report while it runs. */
export type StepEvent = Extract<
  TaskEvent,
  { type: 'ItemDelta' | 'ItemCompleted' | 'ItemSaid' | 'ToolsOffered' | 'CompressionStarted' }
>

/** How a step ended, with the ids of the items that its end creates. */
export type RecordedEnd =
  | Exclude<StepEnd, { end: 'continue' | 'correct' }>
  | (Omit<Extract<StepEnd, { end: 'continue' }>, 'compressed'> & { compressed?: Compressed })
  | (Extract<StepEnd, { end: 'correct' }> & { itemId: string })

/** What an agent sees of earlier tasks at the start of its task. The last reference holds the task's own inputs. */
export type StartContext = Pick<TaskEventData<'TaskStarted'>, 'context' | 'context_of' | 'seen_until'>
type Created = TaskEventData<'TaskCreated'>

/** How the runtime handles a call that a step made. */
export type PlannedCall = { callId: string } & (
  | { plan: 'refuse'; itemId: string; why: string }
  | { plan: 'run'; name: string; safe: boolean; inSession?: true }
  | { plan: 'client'; name: string; arguments: string }
  | { plan: 'delegate'; name: string; child: Created; turn?: AskedTurn }
)

/** How a call ended: its result, or the reason why there is none, as the agent sees it. */
export type CallOutcome = {
  status: 'completed' | 'incomplete'
  content: MessageContent
  blocks?: Block[]
  ends?: EpisodeEnd
  step?: { stream: string; revision: number }
  child?: { stream: string; revision: number }
  usage?: Record<string, unknown>
  /** Only if the call created a task: the last message of that task, or (`failed`) why the task did not complete. */
  message?: { itemId: string; text: string }
  failed?: string
}

/** The result of a call that a client sends. */
export type CallAnswer = {
  callId: string
  itemId: string
  /** The client says that the call failed. */
  failed?: true
  content: MessageContent
  blocks: Block[]
}

/** An event of a fork. `copy_of`: if the event is a copy, the `<stream>@<revision>` of the original. */
export type ForkedEvent = { event: TaskEvent; copy_of?: string }

/**
 * Keys of the request that brings an input, stored in the first event of that request. `bodyDigest` covers the whole
 * body; it is compared when the request has no key.
 */
export type RequestKeys = { digest?: string; idempotencyKey?: string; bodyDigest?: string }

/**
 * A command that the task gives itself. It applies only while the stream is at this revision; at any other revision it
 * does nothing.
 */
type AtRevision = { revision: number }

export type TaskCommand = Asked &
  (
    | { type: 'CreateTask'; created: Created; start: boolean; seen: StartContext }
    /**
     * Begins a task with the past of another one. `events`: the past under the ids of the new task, then the events
     * that the fork itself adds. `made`: the first events of subagents' tasks that begin anew. `beside`: the copy of
     * the environment session.
     */
    | {
        type: 'ForkTask'
        created: Created
        events: ForkedEvent[]
        made: { created: Created; events: TaskEvent[] }[]
        beside: StreamAppend[]
      }
    | { type: 'StartTask'; seen: StartContext }
    | {
        type: 'RecordStep'
        agentStep: number
        effectId: string
        events: StepEvent[]
        end?: RecordedEnd
        calls?: PlannedCall[]
      }
    /** Stores new text of a running call. `heard` is all text of the call so far. */
    | { type: 'SayEffect'; effectId: string; itemId: string; heard: string }
    /** `heard`: all text that the call said while it ran. The result begins with this text. */
    | { type: 'CompleteEffect'; effectId: string; itemId: string; outcome: CallOutcome; heard?: string }
    /** The task of a turn waits for its client. */
    | { type: 'TurnWaits'; effectId: string; taskId: string; items: ToolCallItem[] }
    /** The task of a turn does not wait any more. */
    | { type: 'TurnGoesOn'; effectId: string }
    | {
        type: 'AnswerCalls'
        answers: CallAnswer[]
        /** True: the command is refused unless every pending call has an answer. */
        whole: boolean
        message?: { itemId: string; content: MessageContent }
        keys: RequestKeys
      }
    /**
     * Answers every pending call and completes the task. A new task, made in the same append, continues the
     * conversation.
     */
    | {
        type: 'ContinueElsewhere'
        answers: CallAnswer[]
        created: Created
        start: boolean
        seen: StartContext
      }
    | { type: 'PostMessage'; itemId: string; content: MessageContent; isRetry: boolean; keys: RequestKeys }
    | ({ type: 'ConsumeInputs' } & AtRevision)
    | { type: 'GiveReward'; reward: { value: number; name?: string; data?: unknown } }
    | ({ type: 'AbandonStep' } & AtRevision)
    | { type: 'PauseTask' }
    | ({ type: 'PauseNow'; reason: string } & AtRevision)
    /** `only`: nothing happens unless the task is paused for this reason. */
    | { type: 'ResumeTask'; only?: string }
    | { type: 'CancelTask'; reason?: string }
    | { type: 'FinishCancel'; receipts: TaskEventData<'EffectStopped'>[] }
    | { type: 'ExpireTask'; startedAt: number }
    | { type: 'DeleteTask' }
  )
