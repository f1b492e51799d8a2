// How a task reaches the tasks of its subagents: it sends commands to their mailboxes and waits for their ends.
import type { TaskCommand } from '../../../src/contract/commands/commands.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import { isTerminal } from '../../../src/contract/wire.ts'
import { forkedReason } from '../../../src/history/task-object.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import type { Mailboxes } from '../../runtime/kind.ts'

export type Children = {
  /** Resolves with the view of the task when the task has ended; rejects when it cannot be followed any more. */
  ended(stream: string): Promise<DecidedTask>
  /** Resolves with the view when the task has ended, or when `waitsFor(view)` is no longer `known`. */
  changed(stream: string, known: string): Promise<DecidedTask>
  /** Resumes the task if it is paused because its caller did not work at the moment of a fork. */
  wake(stream: string, causation: string): Promise<void>
  /** Cancels the task because its caller has ended. A task that has ended already stays as it is. */
  cancel(stream: string, causation: string): Promise<void>
}

/** The calls for which a task waits, as one text; empty when it does not wait. */
export const waitsFor = ({ status, pendingCalls }: DecidedTask): string =>
  status === 'input-required' ? pendingCalls.map(({ call_id }) => call_id).join(' ') : ''

const refused = (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
}

export const childrenOf = ({ ask, until }: Mailboxes<DecidedTask, TaskCommand>): Children => ({
  ended: stream => until(stream, view => isTerminal(view.status)),
  changed: (stream, known) => until(stream, view => isTerminal(view.status) || waitsFor(view) !== known),
  async wake(stream, causation) {
    const { status, reason } = await until(stream, () => true)
    if (status !== 'paused' || reason !== forkedReason) return
    await ask(stream, { type: 'ResumeTask', principal: 'system', causation }).catch(refused)
  },
  async cancel(stream, causation) {
    const asked = { principal: 'system', causation }
    await ask(stream, { type: 'CancelTask', reason: 'caller_ended', ...asked }).catch(refused)
  },
})
