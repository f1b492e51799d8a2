// The calls of a turn: what is stored about them when they are made, and how they stand. Pure.
import type { PlannedCall } from '../../src/contract/commands.ts'
import type { TaskEvent } from '../../src/contract/task-events.ts'
import { callEffectId } from '../../src/history/task/calls.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'

/** How the calls of the newest step stand. */
export type Standing = {
  /** One of them runs here. */
  running: boolean
  /** One that ends the task was made, and has its result if it could run here. */
  stopped: boolean
  /** Those that wait for the client, oldest first. */
  waiting: string[]
  /** The agent has given its answer with them. */
  final: boolean
}

/** The events that go with the end of a step that made calls: an intent for each that runs, a result for each refused. */
export const planned = (calls: PlannedCall[], agentStep: number, stepEffectId: string): TaskEvent[] =>
  calls.flatMap((call, index): TaskEvent[] => {
    const call_id = call.callId
    if (call.plan === 'client') return []
    if (call.plan === 'refuse') {
      const { itemId, why } = call
      const data = {
        agent_step: agentStep,
        item_id: itemId,
        call_id,
        status: 'incomplete',
        content: why,
      } as const
      return [{ type: 'EffectCompleted', data }]
    }
    const intent = { effect_id: callEffectId(stepEffectId, index + 1), call_id, name: call.name }
    if (call.plan === 'delegate') {
      return [{ type: 'EffectIntended', data: { ...intent, child: call.child.task_id } }]
    }
    const safe = call.safe ? { safe: true as const } : {}
    const inSession = call.inSession ? { in_session: true as const } : {}
    return [{ type: 'EffectIntended', data: { ...intent, ...safe, ...inSession } }]
  })

/** How calls stand that are about to be stored. */
export const callsAfter = (calls: PlannedCall[], view: DecidedTask, final: boolean): Standing => {
  const stops = new Set(view.created?.request.stop_tools ?? [])
  return {
    running: calls.some(({ plan }) => plan === 'run' || plan === 'delegate'),
    stopped: calls.some(call => call.plan === 'client' && stops.has(call.name)),
    waiting: calls.filter(({ plan }) => plan === 'client').map(({ callId }) => callId),
    final,
  }
}

/** How the stored calls stand once `ended` have their results, too. */
export const standing = (view: DecidedTask, ended: ReadonlySet<string> = new Set()): Standing => {
  const stops = new Set(view.created?.request.stop_tools ?? [])
  const calls = [...view.calls.values()]
  const open = calls.filter(call => call.ended === false && !ended.has(call.callId))
  return {
    running: open.some(({ effect }) => effect !== undefined),
    stopped: calls.some(call => call.ended === 'last' || (call.ended !== 'refused' && stops.has(call.name))),
    waiting: open.filter(({ effect }) => effect === undefined).map(({ callId }) => callId),
    final: view.finalStep,
  }
}
