// The commands of a task. The actor of a task answers a command with events or a refusal.

import type { AskedTurn, StepEnd } from '../agent.ts'
import type { ApprovalDecision } from '../approvals.ts'
import type {
  Compressed,
  Question,
  StoredEntry,
  StoredMachine,
  TaskEvent,
  TaskEventData,
} from '../events/task-events.ts'
import type { StreamAppend } from '../stored.ts'
import type { EpisodeEnd } from '../tools.ts'
import type { Block, ErrorObject, MessageContent, PendingCallItem } from '../wire.ts'

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
  /** Nobody has approved the call yet. `subagent`: what an agent's code gives to a subagent besides the arguments. */
  | {
      plan: 'approve'
      name: string
      arguments: string
      subagent?: NonNullable<TaskEventData<'ApprovalRequired'>['subagent']>
    }
  | { plan: 'delegate'; name: string; child: Created; turn?: AskedTurn }
)

/**
 * A move of an agent's code, ready to be stored. `entry`: a new entry with what it says and how its call is handled; `bare`:
 * only the code sees the call. `ran`: the outcome of a side effect of the code; `at`: when the code got it, if that was before
 * it is stored. `drop`: an entry that is wanted no more.
 */
export type PlannedMove =
  | {
      entry: StoredEntry
      events: StepEvent[]
      call?: PlannedCall | { plan: 'bare'; name: string; safe: boolean }
    }
  | { ran: number; outcome: CallOutcome; at?: number }
  | { drop: number }

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
  /** Only for calls of an agent's code: what the code gets in place of a value, and what a call of a model stores. */
  error?: TaskEventData<'EffectCompleted'>['error']
  model?: TaskEventData<'EffectCompleted'>['model']
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
    /**
     * Stores a turn of an agent's code. `seen`: how many results the code has seen. `itemIds`: ids for the results of the
     * calls that the turn stops.
     */
    | {
        type: 'RecordTurn'
        agentStep: number
        effectId: string
        seen: number
        moves: PlannedMove[]
        machine?: StoredMachine
        end?: { end: 'answer'; events: StepEvent[] } | { end: 'fail'; error: ErrorObject }
        itemIds: string[]
      }
    /** A timer of an agent's code has ended: a sleep is over, or an entry has timed out. */
    | { type: 'EndWait'; n: number; itemId: string }
    /** The task waits for a worker that has its agent; `over`: one has come. */
    | { type: 'AwaitWorker'; over?: true }
    /** Stores what a call of a model says while it runs. `begins`: the call began again, so its earlier items are cut. */
    | { type: 'SayModel'; effectId: string; events: StepEvent[]; begins?: true }
    /** Stores the name under which a running call goes on outside; undefined: it does not any more. */
    | { type: 'PromiseEffect'; effectId: string; promise: string | undefined }
    /**
     * A running call asks the client, or takes back the questions with the ids `withdrawn`. `state`: what a later process gets with
     * the answers.
     */
    | {
        type: 'AskClient'
        effectId: string
        questions: Question[]
        state: string | undefined
        withdrawn?: string[]
      }
    /** Stores new text of a running call. `heard` is all text of the call so far. */
    | { type: 'SayEffect'; effectId: string; itemId: string; heard: string }
    /**
     * `heard`: all text that the call said while it ran. The result begins with this text. `events`: what a call of a model
     * has said and not stored yet.
     */
    | {
        type: 'CompleteEffect'
        effectId: string
        itemId: string
        outcome: CallOutcome
        heard?: string
        events?: StepEvent[]
      }
    /** The task of a turn or of a subagent waits for its client. */
    | { type: 'TurnWaits'; effectId: string; taskId: string; items: PendingCallItem[] }
    /** That task does not wait any more. */
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
     * Stores what somebody has decided about a call that waits for an approval. `call`: how the call is handled if it was
     * approved. `itemId`: the id of the result of a refused call.
     */
    | ({ type: 'DecideApproval'; callId: string; itemId: string; call?: PlannedCall } & ApprovalDecision)
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
    | {
        type: 'PostMessage'
        itemId: string
        content: MessageContent
        /** The message is this event for the statechart of the agent. */
        event?: { type: string }
        isRetry: boolean
        /** Nothing happens if a request with the same digest has brought input to the task. */
        once?: true
        keys: RequestKeys
      }
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
