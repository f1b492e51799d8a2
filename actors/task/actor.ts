// A task as an actor: its machine, its decisions and its effects, put together for the runtime.
import { type Actor, createActor } from 'xstate'
import type { Agent } from '../../src/contract/agent.ts'
import type { TaskCommand } from '../../src/contract/commands.ts'
import type { World } from '../../src/contract/ports.ts'
import type { Log, NewEvent } from '../../src/contract/stored.ts'
import {
  isMove,
  type Lifecycle,
  type TaskEvent,
  type TaskEventType,
  taskEventVersion,
} from '../../src/contract/task-events.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { assemble, contributed, itemsAt } from '../../src/history/context.ts'
import { frameCount } from '../../src/history/frames.ts'
import { emptyTask, evolve, type TaskView } from '../../src/history/task-view.ts'
import type { Behaviour, Kind } from '../runtime.ts'
import { decide, type Ttls } from './decide.ts'
import { type RunningStep, runStep, wanted } from './effects.ts'
import { moveOf, taskMachine } from './machine.ts'
import type { Scheduler } from './scheduler.ts'

export type TaskParts = {
  world: World
  log: Log
  agents: (name: string) => Agent | undefined
  /** The values of a task's `env` by reference; undefined when they are gone. */
  secrets: (ref: string) => Record<string, unknown> | undefined
  forgetSecrets: (ref: string) => void
  scheduler: Scheduler
  ttls: Ttls
  /** While the server drains, running steps may finish and none begins. */
  draining: () => boolean
}

/** How long a step may take to let go of its work when it is canceled. */
const cancelDeadlineMs = 1000

export const taskKind =
  (parts: TaskParts): Kind<TaskView, TaskCommand> =>
  (_stream, tell) => {
    const { world, scheduler } = parts
    const view = emptyTask()
    let machine: Actor<typeof taskMachine> | undefined
    let running: RunningStep | undefined
    let canceling = false
    let known = view.status

    /** The live machine: made when it is first asked, in the state that the log tells; moves follow it then. */
    const live = (): Actor<typeof taskMachine> => {
      machine ??= createActor(taskMachine, {
        snapshot: taskMachine.resolveState({ value: view.status }),
      }).start()
      return machine
    }

    const ownStream = () => taskStream(view.created?.task_id ?? '')
    /** What the task does by itself is caused by its newest event. */
    const bySystem = () => ({ principal: 'system', causation: `${ownStream()}@${view.revision}` })
    const act = (command: { type: 'AbandonStep' } | { type: 'PauseNow'; reason: string }) =>
      void tell({ ...command, ...bySystem() })

    const history = async () => {
      const lists = []
      for (const reference of view.context) {
        const own = reference.stream === ownStream()
        lists.push(itemsAt(own ? view : await foldStream(parts.log, reference.stream), reference))
      }
      lists.push(itemsAt(view, { stream: '', items: contributed(view) }))
      return assemble(lists.flat())
    }

    const start = (agentStep: number, effectId: string) => {
      const { created } = view
      if (created === undefined || parts.draining()) return
      const secret = created.secret_ref === undefined ? {} : parts.secrets(created.secret_ref)
      if (secret === undefined) return act({ type: 'PauseNow', reason: 'secret_missing' })
      const agent = parts.agents(created.agent)
      if (agent === undefined) return act({ type: 'PauseNow', reason: 'agent_missing' })
      const cause = bySystem()
      const step = runStep(
        agent,
        {
          effectId,
          agentStep,
          request: created.request,
          workdir: created.workdir,
          history,
          env: () => secret,
        },
        ({ facts, end }) =>
          tell({
            type: 'RecordStep',
            agentStep,
            effectId,
            facts,
            ...(end === undefined ? {} : { end }),
            ...cause,
          }),
        world,
      )
      running = step
      void step.settled.then(() => {
        if (running === step) running = undefined
      })
    }

    const finishCancel = () => {
      if (canceling) return
      canceling = true
      const step = running
      const effectId = step?.effectId ?? view.openStep?.effectId
      step?.abort()
      let stopWaiting = () => {}
      const deadline = new Promise<boolean>(resolve => {
        stopWaiting = world.timers.after(cancelDeadlineMs, () => resolve(false))
      })
      const settled = step === undefined ? Promise.resolve(true) : step.settled.then(() => true)
      void Promise.race([settled, deadline]).then(stopped => {
        stopWaiting()
        const receipts = effectId === undefined ? [] : [{ effect_id: effectId, stopped }]
        return tell({ type: 'FinishCancel', receipts, ...bySystem() })
      })
    }

    const reconcile = () => {
      if (known !== view.status) place()
      // A step that has reported its end is only returning: the next one need not wait for it.
      if (running !== undefined && view.completedSteps >= running.agentStep) running = undefined
      const want = wanted(view, running?.effectId)
      if (want.want === 'step') {
        if (running === undefined) start(want.agentStep, want.effectId)
        return
      }
      if (want.want === 'finish-cancel') return finishCancel()
      running?.abort()
      running = undefined
      if (want.want === 'abandon') act({ type: 'AbandonStep' })
      if (want.want === 'pause') act({ type: 'PauseNow', reason: 'pause_requested' })
    }

    /** The scheduler follows the status, secrets go with the end. */
    const place = () => {
      known = view.status
      const { created } = view
      if (created === undefined || created.parent_task_id !== undefined) return
      const mine = { taskId: created.task_id, userId: created.user_id, sessionId: created.session_id }
      if (known === 'working') scheduler.enter(mine)
      else if (known === 'queued') scheduler.fill(mine, false)
      else scheduler.leave(created.task_id)
      if (isTerminal(known) && created.secret_ref !== undefined) parts.forgetSecrets(created.secret_ref)
    }

    const behaviour: Behaviour<TaskView, TaskCommand> = {
      view,
      evolve(event) {
        evolve(view, event)
        if (machine !== undefined && isMove(event.header.type as TaskEventType)) {
          machine.send({ type: event.header.type as TaskEventType })
          if (machine.getSnapshot().value !== view.status) throw new Error('machine and history disagree')
        }
      },
      decide: command => {
        const can = (type: TaskEventType) => live().getSnapshot().can({ type })
        const events = decide(command, view, { can, now: world.clock.now(), ttls: parts.ttls })
        judge(view.status, events)
        let { seq } = view
        return events.map(({ type, data }): NewEvent => {
          const frames = frameCount(type, data as never)
          const numbered = { type, schema_version: taskEventVersion, data, seq, frames }
          seq += frames
          return numbered
        })
      },
      envelope: command => {
        const created = command.type === 'CreateTask' ? command.created : view.created
        if (created === undefined) throw new Error('a task without a beginning')
        return {
          principal: command.principal,
          owner: created.user_id,
          session_id: created.session_id,
          correlation_id: created.parent_task_id ?? created.task_id,
          causation_id: command.causation,
        }
      },
      reconcile,
      rest() {
        if (running !== undefined || (canceling && !isTerminal(view.status))) return 'busy'
        return view.status === 'absent' || isTerminal(view.status) ? 'ended' : 'idle'
      },
      stop() {
        running?.abort()
        running = undefined
        machine?.stop()
        machine = undefined // an append under way is still folded, for the caller that waits for it
      },
    }
    return behaviour
  }

/** The machine's word on every move before it is stored; a move that it refuses is a bug of ours. */
const judge = (status: Lifecycle, events: TaskEvent[]): void => {
  let at = status
  for (const { type } of events) {
    if (!isMove(type)) continue
    const next = moveOf(at, type)
    if (next === undefined) throw new Error(`${type} was decided from ${at}, where it is no move`)
    at = next
  }
}

const foldStream = async (log: Log, stream: string): Promise<TaskView> => {
  const view = emptyTask()
  for await (const page of log.readStream(stream)) for (const event of page) evolve(view, event)
  return view
}
