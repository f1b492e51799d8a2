// A task as an actor: its machine, its decisions and its effects, put together for the runtime.
import type { TaskCommand } from '../../src/contract/commands.ts'
import { taskEvents } from '../../src/contract/decoders/task.ts'
import { firstState } from '../../src/contract/task-state.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import type { ToolScope } from '../../src/contract/tools.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { firstSeen, seenNext } from '../../src/history/context.ts'
import { openCalls } from '../../src/history/task/calls.ts'
import { formOf } from '../../src/history/task/course.ts'
import { system } from '../../src/history/task/messages.ts'
import { effectIdOf } from '../../src/history/task/steps.ts'
import { type DecidedTask, emptyDecided, evolveDecided } from '../../src/history/task-view.ts'
import type { Behaviour, Kind } from '../runtime/kind.ts'
import { beginningOf, envelopeOf, numbered } from './append.ts'
import { createCallRunner } from './call-runner.ts'
import { childrenOf } from './children.ts'
import { decide } from './decide.ts'
import type { TaskDeps } from './deps.ts'
import { judge } from './judge.ts'
import { liveTask } from './live.ts'
import { planCalls } from './planning.ts'
import { receiptsOf } from './receipts.ts'
import { type RunningStep, runStep } from './step.ts'
import { wanted } from './wanted.ts'

type Created = NonNullable<DecidedTask['created']>

export const taskKind =
  (parts: TaskDeps): Kind<DecidedTask, TaskCommand> =>
  (stream, { tell }, others) => {
    const { world, scheduler, calls, reach } = parts
    const view = emptyDecided()
    let running: RunningStep | undefined
    let canceling = false
    let answered = false
    let gone = false
    let known = view.status

    const ownStream = () => taskStream(view.created?.task_id ?? '')
    /** What the task does by itself is caused by its newest event. */
    const bySystem = () => ({ principal: 'system', causation: `${ownStream()}@${view.revision}` })
    const act = (
      command: { type: 'AbandonStep' } | { type: 'ConsumeInputs' } | { type: 'PauseNow'; reason: string },
    ) => void tell({ ...command, revision: view.revision, ...bySystem() })

    const secretsOf = ({ secret_ref }: Created) => (secret_ref === undefined ? {} : parts.secrets(secret_ref))
    const scope = (created: Created): ToolScope => ({
      request: created.request,
      taskId: created.task_id,
      rootTaskId: created.root_task_id ?? created.task_id,
      depth: created.depth ?? 0,
      userId: created.user_id,
      sessionId: created.session_id,
      secrets: () => secretsOf(created) ?? {},
    })

    const lookAgain = () => {
      if (!gone) reconcile()
    }
    const effects = createCallRunner({
      view,
      parts,
      children: childrenOf(others),
      scope,
      tell,
      lookAgain,
      bySystem,
    })

    const history = async () => seenNext(view, await firstSeen(parts.log.readStream, view))

    const start = (agentStep: number, effectId: string) => {
      const { created } = view
      if (created === undefined || parts.draining()) return
      const secrets = secretsOf(created)
      if (secrets === undefined) return act({ type: 'PauseNow', reason: 'secret_missing' })
      const agent = parts.agents(created.agent)
      if (agent === undefined) return act({ type: 'PauseNow', reason: 'agent_missing' })
      const cause = bySystem()
      /** Tasks of subagents that count, though no event says yet that they are there. */
      const reserved: (() => void)[] = []
      const { request } = created
      const schema = request.stream ? undefined : (request.structured_output ?? undefined)
      const step = runStep(
        agent,
        {
          effectId,
          agentStep,
          // The first step belongs to the request that made the task, which had to wait for its turn.
          turn: () => (agentStep === 1 ? undefined : parts.turnOf(created.user_id)),
          attempt: view.brokenOff,
          request,
          form: formOf(view),
          asked:
            view.messages.findLast(({ by, at }) => by !== system && at !== undefined)?.content ??
            request.user_message_content,
          corrected: view.messages.some(({ by }) => by === system),
          used: { tokens: tokensUsed(view), context: view.contextTokens, startedAt: view.startedAt },
          offered: view.toolList,
          listOf: tools => parts.keepTools(created.user_id, tools),
          workdir: parts.workspaceOf(created).workdir,
          history,
          tools: signal => parts.tools.offered(scope(created), signal),
          env: () => (secrets.env ?? {}) as Record<string, unknown>,
          plan: (said, signal) =>
            planCalls(parts, { created, agentStep, scope: scope(created) }, said, signal, reserved),
          ...(schema === undefined
            ? {}
            : {
                refuse: answer => parts.answerProblem(schema, answer ?? lastMessage(view), created.user_id),
              }),
        },
        report => tell({ type: 'RecordStep', agentStep, effectId, ...report, ...cause }),
        world,
      )
      running = step
      void step.settled.then(() => {
        for (const release of reserved) release()
        if (running === step) running = undefined
      })
    }

    /** Stops what runs, and says of each whether it has stopped within its deadline. */
    const finishCancel = () => {
      if (canceling) return
      canceling = true
      reach('after-intent', 'cancel')
      const step = running
      const stepId = step?.effectId ?? view.openStep?.effectId
      step?.abort()
      const stepping = stepId === undefined ? [] : [{ id: stepId, outcome: step?.settled, isChild: false }]
      const receipts = receiptsOf([...stepping, ...effects.stopAll()], world.timers)
      reach('during', 'cancel')
      void receipts.then(async receipts => {
        reach('after-effect', 'cancel')
        await tell({ type: 'FinishCancel', receipts, ...bySystem() })
        reach('after-result', 'cancel')
      })
    }

    const reconcile = () => {
      if (answered) reach('after-result', 'answer')
      answered = false
      if (known !== view.status) place()
      effects.forgetEnded()
      // A step that has reported its end is only returning: the next one need not wait for it.
      const isOver = (step: RunningStep) =>
        view.completedSteps >= step.agentStep ||
        (view.openStep === undefined && step.effectId !== effectIdOf(view))
      if (running !== undefined && isOver(running)) {
        running.abort() // what was abandoned may still be under way
        running = undefined
      }
      const runs = { step: running?.effectId, call: effects.isRunning, unknown: effects.isUnknown }
      const want = wanted(view, runs)
      if (want.want === 'step') {
        if (running === undefined) start(want.agentStep, want.effectId)
        return
      }
      if (want.want === 'finish-cancel') return finishCancel()
      running?.abort()
      running = undefined
      if (want.want === 'calls') {
        if (view.created !== undefined && secretsOf(view.created) === undefined)
          return act({ type: 'PauseNow', reason: 'secret_missing' })
        for (const call of want.calls) effects.follow(call)
      }
      if (want.want === 'consume') act({ type: 'ConsumeInputs' })
      if (want.want === 'abandon') act({ type: 'AbandonStep' })
      if (want.want === 'pause') act({ type: 'PauseNow', reason: want.reason })
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

    const behaviour: Behaviour<DecidedTask, TaskCommand> = {
      view,
      run: inspect => liveTask.run(stream, view.state, inspect),
      evolve(stored) {
        const event = taskEvents.read(stored)
        evolveDecided(view, event)
        const { type, data } = event
        if (type === 'EffectCompleted' && data.effect_id !== undefined) calls.forget(data.effect_id)
      },
      decide: command => {
        const { events, made } = decide(command, view, { now: world.clock.now(), ttls: parts.ttls })
        judge(view.state, events)
        for (const { events: first } of made) judge(firstState, first)
        effects.intend(
          events.flatMap(({ type, data }) => (type === 'EffectIntended' ? [data.effect_id] : [])),
        )
        answered = false
        for (const { type, data } of events) {
          if (type === 'EffectIntended') {
            reach('before-intent', data.child === undefined ? 'tool' : 'child', data.name)
          }
          if (type === 'InputAccepted') answered = true
          if (type === 'CancelRequested') reach('before-intent', 'cancel')
        }
        if (answered) reach('before-intent', 'answer')
        return {
          events: numbered(events, view.seq),
          made: made.map(child => beginningOf(child, command)),
        }
      },
      envelope: command => {
        const created = command.type === 'CreateTask' ? command.created : view.created
        if (created === undefined) throw new Error('a task without a beginning')
        return envelopeOf(created, command)
      },
      reconcile,
      rest() {
        if (running !== undefined || (canceling && !isTerminal(view.status))) return 'busy'
        // A subagent's task works for itself; its caller may leave memory meanwhile.
        if (view.status === 'working' && openCalls(view).some(({ effect }) => effect.child === undefined)) {
          return 'busy'
        }
        return view.status === 'absent' || isTerminal(view.status) ? 'ended' : 'idle'
      },
      stop() {
        gone = true
        running?.abort()
        running = undefined
      },
    }
    return behaviour
  }

const tokensUsed = ({ usage, subagentUsage }: DecidedTask): number =>
  [usage, subagentUsage].reduce((sum, used) => sum + Number(used?.total_tokens ?? 0), 0)

/** What the task has said last. */
const lastMessage = ({ output }: DecidedTask): string => {
  const item = output.findLast(({ type, status }) => type === 'message' && status === 'completed')
  if (item?.type !== 'message' || typeof item.message_content === 'string') return ''
  return item.message_content
    .map(part => (typeof part !== 'string' && 'text' in part ? part.text : ''))
    .join('')
}
