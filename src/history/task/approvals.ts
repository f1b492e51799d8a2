// The part of a task's view with the calls that wait, or waited, until somebody approves them.
import type { ApprovalDecision } from '../../contract/approvals.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { Calls } from './calls.ts'
import type { Part } from './part.ts'

export type Approval = {
  /** The id of the effect that begins when the call is approved. */
  effectId: string
  subagent: TaskEventData<'ApprovalRequired'>['subagent']
  decided: ApprovalDecision | undefined
}

export type Approvals = {
  /** By the id of the call. */
  approvals: Map<string, Approval>
}

/** Whether a call waits for an approval. */
export const awaitsApproval = (
  { approvals, calls }: Approvals & Pick<Calls, 'calls'>,
  callId: string,
): boolean => {
  const approval = approvals.get(callId)
  return approval !== undefined && approval.decided === undefined && calls.get(callId)?.ended === false
}

export const approvals: Part<Approvals> = {
  begin(view) {
    view.approvals = new Map()
  },
  folds: {
    ApprovalRequired(view, { call_id, effect_id: effectId, subagent }) {
      view.approvals.set(call_id, { effectId, subagent, decided: undefined })
    },
    ApprovalDecided(view, { call_id, decision, arguments: given, reason }) {
      const approval = view.approvals.get(call_id)
      if (approval === undefined) throw new Error(`the call ${call_id} waits for no approval`)
      const decided = {
        decision,
        ...(given === undefined ? {} : { arguments: given }),
        ...(reason === undefined ? {} : { reason }),
      }
      view.approvals.set(call_id, { ...approval, decided })
    },
  },
}
