// Cancels a task for its client.
import { Refusal } from '../../contract/refusals.ts'
import type { Exchange } from './exchange.ts'

/** Resolves when the task has ended, perhaps by itself in the meantime. */
export const cancel = async (
  { deps: { tasks }, request: { principal, envelopeId } }: Pick<Exchange, 'deps' | 'request'>,
  taskId: string,
  reason?: string,
): Promise<void> => {
  await tasks.commands.cancel(principal, taskId, envelopeId, reason).catch(error => {
    if (!(error instanceof Refusal) || error.reason !== 'NotCancelable') throw error
  })
}
