// A task as an actor: its chart and view, its decisions and its effects.

import { taskChart } from '../../src/contract/charts/task-chart.ts'
import { firstState } from '../../src/contract/charts/task-state.ts'
import type { TaskCommand } from '../../src/contract/commands/commands.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { TaskEvent } from '../../src/contract/events/task-events.ts'
import type { NewEvent } from '../../src/contract/stored.ts'
import type { Reach } from '../../src/contract/tools.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { isDropped } from '../../src/history/task/calls.ts'
import { type DecidedTask, emptyDecided, evolveDecided } from '../../src/history/task-view.ts'
import type { Decision, Kind } from '../runtime/kind.ts'
import type { Folded } from '../runtime/logic.ts'
import { beginningOf, envelopeOf, numbered, numberedCopies } from './append.ts'
import { childrenOf } from './calls/subagents.ts'
import { decide } from './decide/decide.ts'
import type { At } from './decide/events.ts'
import { judge } from './decide/judge.ts'
import type { TaskDeps } from './deps.ts'
import { createEffects } from './effects.ts'

// Gives a task the place in the scheduler that fits its status: the task works, waits, or needs no place.

/**
 * Reports the status of a task to the scheduler, and deletes the secrets of a task that has ended. Does nothing for a
 * subagent's task: it takes no place, and its secrets are those of its caller.
 */
const place = (
  { scheduler, forgetSecrets }: Pick<TaskDeps, 'scheduler' | 'forgetSecrets'>,
  { created, status, wakesAt }: DecidedTask,
): void => {
  if (created === undefined || created.parent_task_id !== undefined) return
  const { task_id: taskId, user_id: userId, session_id: sessionId, agent } = created
  const mine = { taskId, userId, sessionId, agent }
  if (status === 'working' && wakesAt !== undefined) scheduler.rest(mine)
  else if (status === 'working') scheduler.take(mine)
  else if (status === 'queued') scheduler.fill(mine, false)
  else scheduler.release(created.task_id)
  if (isTerminal(status) && created.secret_ref !== undefined) forgetSecrets(created.secret_ref)
}

// Finds the intents among decided events: the effects that begin once these events are stored. Also reports the points
// at which tests may kill the process.

/** The events of a decision about a task are events of tasks, with their numbers. */
const eventsOf = (decided: readonly NewEvent[]) => decided as readonly (NewEvent & TaskEvent)[]

const intendedEffects = (decided: readonly NewEvent[]): string[] =>
  eventsOf(decided).flatMap(({ type, data }) => (type === 'EffectIntended' ? [data.effect_id] : []))

/** Whether the events accept input: an answer to a call, or a message. */
const takesInput = (decided: readonly NewEvent[]): boolean =>
  decided.some(({ type }) => type === 'InputAccepted')

/** Reports the points before intents and input are stored. The copied events of a fork are none of them. */
const reachIntents = (reach: Reach, decided: readonly NewEvent[]): void => {
  const own = eventsOf(decided).filter(({ copy_of }) => copy_of === undefined)
  for (const { type, data } of own) {
    if (type === 'EffectIntended') {
      reach('before-intent', data.child === undefined ? 'tool' : 'child', data.name)
    }
    if (type === 'CancelRequested') reach('before-intent', 'cancel')
  }
  if (takesInput(own)) reach('before-intent', 'answer')
}

export const foldedTask: Folded<DecidedTask> = {
  chart: taskChart,
  empty: emptyDecided,
  evolve: (view, event) => evolveDecided(view, taskEvents.read(event)),
  placeOf: view => view.state.at,
}

const decideTask = (view: DecidedTask, command: TaskCommand, at: At): Decision => {
  const { events, made } = decide(view, command, at)
  for (const { events: first } of made) judge(firstState, first)
  const others = made.map(child => beginningOf(child, command))
  // The copied events of a fork are not checked against the chart: the original events were checked.
  if (command.type === 'ForkTask')
    return { events: numberedCopies(command.events), made: others, beside: command.beside }
  judge(view.state, events)
  return { events: numbered(events, view.seq), made: others }
}

export const taskKind = (deps: TaskDeps): Kind<DecidedTask, TaskCommand, At> => ({
  ...foldedTask,
  decide: decideTask,
  envelope(view, command) {
    const isNew = command.type === 'CreateTask' || command.type === 'ForkTask'
    const created = isNew ? command.created : view.created
    if (created === undefined) throw new Error('the task has no TaskCreated event')
    return envelopeOf(created, command)
  },
  effects(_stream, view, own, others) {
    const { world, calls, ttls, reach } = deps
    const placeNow = () => (view.wakesAt === undefined ? view.status : `${view.status} asleep`)
    /** What was last reported to the scheduler: the status, and whether the code of the agent sleeps. */
    let placed: string = placeNow()
    /** Whether the current turn stores input: an answer to a call, or a message. */
    let hasInput = false
    let isGone = false

    const effects = createEffects({ view, ...own }, deps, childrenOf(others), () => {
      if (!isGone) reconcile()
    })
    const reconcile = () => {
      if (hasInput) reach('after-result', 'answer')
      hasInput = false
      if (placed !== placeNow()) {
        placed = placeNow()
        place(deps, view)
      }
      effects.reconcile()
    }

    return {
      at: () => ({ now: world.clock.now(), ttls, codeOf: deps.codeOf, isServed: deps.isServed }),
      first: effects.first,
      decided(events) {
        effects.intend(intendedEffects(events))
        hasInput = takesInput(events)
        reachIntents(reach, events)
      },
      next: effects.next,
      stored(event) {
        const { type, data } = taskEvents.read(event)
        if (type !== 'EffectCompleted' || data.effect_id === undefined) return
        // The code of an agent wants the call no more: what runs for it stops, a subagent's task too.
        if (isDropped(data.error?.kind)) calls.find(data.effect_id)?.stop()
        calls.forget(data.effect_id)
      },
      reconcile,
      rest() {
        if (effects.isBusy()) return 'busy'
        return view.status === 'absent' || isTerminal(view.status) ? 'ended' : 'idle'
      },
      stop() {
        isGone = true
        effects.stop()
      },
    }
  },
})
