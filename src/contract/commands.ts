// What can be asked of a task. A command is a wish: its actor answers with facts or refuses.
import type { StepEnd } from './agent.ts'
import type { TaskEvent, TaskEventData } from './task-events.ts'

/** Who asks, and because of what: `<stream>@<revision>` of an event, else a request id. */
export type Asked = { principal: string; causation: string }

/** The facts an agent step may report while it runs. */
export type StepFact = Extract<TaskEvent, { type: 'ItemDelta' | 'ItemCompleted' | 'ItemSaid' }>

type Context = TaskEventData<'TaskStarted'>['context']

export type TaskCommand = Asked &
  (
    | { type: 'CreateTask'; created: TaskEventData<'TaskCreated'>; start: boolean; context: Context }
    | { type: 'StartTask'; context: Context }
    | { type: 'RecordStep'; agentStep: number; effectId: string; facts: StepFact[]; end?: StepEnd }
    | { type: 'AbandonStep' }
    | { type: 'PauseTask' }
    | { type: 'PauseNow'; reason: string }
    | { type: 'ResumeTask' }
    | { type: 'CancelTask'; reason?: string }
    | { type: 'FinishCancel'; receipts: TaskEventData<'EffectStopped'>[] }
    | { type: 'ExpireTask'; startedAt: number }
    | { type: 'DeleteTask' }
  )
