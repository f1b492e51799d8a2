// A task as an actor: combines its view, its decisions and its effects into the behaviour that the runtime needs.
import type { TaskCommand } from '../../src/contract/commands.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { firstState } from '../../src/contract/task-state.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { type DecidedTask, emptyDecided, evolveDecided } from '../../src/history/task-view.ts'
import type { Kind } from '../runtime/kind.ts'
import { beginningOf, envelopeOf, numbered, numberedCopies } from './append.ts'
import { childrenOf } from './children.ts'
import { decide } from './decide.ts'
import type { TaskDeps } from './deps.ts'
import { createEffects } from './effects.ts'
import { intendedEffects, reachIntents, takesInput } from './intents.ts'
import { judge } from './judge.ts'
import { liveTask } from './live.ts'
import { place } from './place.ts'

export const taskKind =
  (deps: TaskDeps): Kind<DecidedTask, TaskCommand> =>
  (stream, { tell }, others) => {
    const { world, calls, ttls, reach } = deps
    const view = emptyDecided()
    /** The status that was last reported to the scheduler. */
    let placed = view.status
    /** Whether the current turn stores input: an answer to a call, or a message. */
    let hasInput = false
    let isGone = false

    const effects = createEffects({ view, tell }, deps, childrenOf(others), () => {
      if (!isGone) reconcile()
    })
    const reconcile = () => {
      if (hasInput) reach('after-result', 'answer')
      hasInput = false
      if (placed !== view.status) {
        placed = view.status
        place(deps, view)
      }
      effects.reconcile()
    }

    /** The copied events of a fork are not checked against the chart: the original events were checked. */
    const forked = (command: Extract<TaskCommand, { type: 'ForkTask' }>) => {
      const { events, made } = decide(command, view, { now: world.clock.now(), ttls })
      for (const { events: first } of made) judge(firstState, first)
      effects.intend(intendedEffects(events))
      return {
        events: numberedCopies(command.events),
        made: made.map(child => beginningOf(child, command)),
        beside: command.beside,
      }
    }

    return {
      view,
      run: inspect => liveTask.run(stream, view.state, inspect),
      evolve: event => evolveDecided(view, taskEvents.read(event)),
      stored(event) {
        const { type, data } = taskEvents.read(event)
        if (type === 'EffectCompleted' && data.effect_id !== undefined) calls.forget(data.effect_id)
      },
      decide(command) {
        if (command.type === 'ForkTask') return forked(command)
        const { events, made } = decide(command, view, { now: world.clock.now(), ttls })
        judge(view.state, events)
        for (const { events: first } of made) judge(firstState, first)
        effects.intend(intendedEffects(events))
        hasInput = takesInput(events)
        reachIntents(reach, events)
        return {
          events: numbered(events, view.seq),
          made: made.map(child => beginningOf(child, command)),
        }
      },
      next: effects.next,
      envelope(command) {
        const isNew = command.type === 'CreateTask' || command.type === 'ForkTask'
        const created = isNew ? command.created : view.created
        if (created === undefined) throw new Error('the task has no TaskCreated event')
        return envelopeOf(created, command)
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
  }
