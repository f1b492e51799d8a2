// Runs the effects of one task: starts the agent step and the calls that its state wants, and stops all others.
import type { TaskCommand } from '../../src/contract/commands/commands.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { isAsking, type OpenCall, openCalls, openQuestions } from '../../src/history/task/calls.ts'
import { createCallRunner } from './calls/call-runner.ts'
import type { Children } from './calls/subagents.ts'
import { type CodeSession, createCodeSession } from './code/session.ts'
import type { TaskDeps } from './deps.ts'
import { finishCancel } from './finish-cancel.ts'
import { secretsOf } from './scope.ts'
import { bySystem, type Self, sendToSelf } from './self.ts'
import { createRecorder } from './step/recorder.ts'
import { failedWith, isWhole, withIds } from './step/step-end.ts'
import { askedOf, schemaOf } from './step/step-given.ts'
import { createStepRunner } from './step/step-runner.ts'
import { type Runs, type Wanted, wanted } from './wanted.ts'

// Takes the first step of an agent that answers without waiting. The report of the step is decided in the turn that
// starts the task, so one commit stores the whole task.

/** The report of the step; undefined: the step must run on its own. */
const instantStep = (
  { view }: Pick<Self, 'view'>,
  deps: Pick<TaskDeps, 'agents' | 'draining' | 'secrets' | 'world'>,
  { agentStep, effectId }: { agentStep: number; effectId: string },
): TaskCommand | undefined => {
  const { created } = view
  // A later step waits for its turn among the steps of other users.
  if (created === undefined || agentStep > 1 || deps.draining()) return undefined
  const reply = deps.agents(created.agent)?.reply
  if (reply === undefined || schemaOf(created.request) !== undefined) return undefined
  // The answer to a request that creates a task in the background must show a task that has not ended.
  if (created.request.background) return undefined
  if (secretsOf(deps, created) === undefined) return undefined
  const { ids } = deps.world
  const recorder = createRecorder(agentStep, ids, { stream: view.toolList, odd: view.oddTools })
  const answer = () => {
    try {
      const { said, end } = reply({ asked: askedOf(view, created.request) })
      for (const part of said) recorder.hear(part)
      return end
    } catch (error) {
      return failedWith(error).end
    }
  }
  const end = answer()
  if (isWhole(end)) recorder.close()
  const recorded = withIds(end, recorder, ids)
  return {
    type: 'RecordStep',
    agentStep,
    effectId,
    events: recorder.take(),
    end: recorded,
    ...bySystem(view),
  }
}

/** `lookAgain`: compares again what the task wants with what runs. */
export const createEffects = (self: Self, deps: TaskDeps, children: Children, lookAgain: () => void) => {
  const { view } = self
  const steps = createStepRunner(self, deps)
  const calls = createCallRunner({ deps, children, ...self }, lookAgain)
  /** Absent until there is work for it: the agents of most tasks are no code. */
  let code: CodeSession | undefined
  const withCode = (): CodeSession => {
    code ??= createCodeSession(self, deps, lookAgain, calls.handedOver)
    return code
  }
  let isCanceling = false

  const cancel = () => {
    if (isCanceling) return
    isCanceling = true
    finishCancel(self, deps, steps, calls)
  }
  const followCalls = ({ calls: open }: Extract<Wanted, { want: 'calls' }>) => {
    if (view.created !== undefined && secretsOf(deps, view.created) === undefined) {
      return sendToSelf(self, { type: 'PauseNow', reason: 'secret_missing' })
    }
    for (const call of open) calls.follow(call)
  }

  const askNoMore = ({ effect }: OpenCall) => {
    const withdrawn = openQuestions({ effect }).map(({ call_id }) => call_id)
    const none = { questions: [], state: undefined, withdrawn }
    void self.tell({ type: 'AskClient', effectId: effect.id, ...none, ...bySystem(view) })
  }

  const runs = (): Runs => ({
    step: steps.running()?.effectId,
    call: id => calls.isRunning(id) || code?.isRunning(id) === true,
    asks: calls.hasBegun,
    unknown: calls.isUnknown,
  })

  return {
    /** The report of the step that the state wants, if its agent answers without waiting. */
    next(): TaskCommand | undefined {
      if (steps.running() !== undefined) return undefined
      const want = wanted(view, runs())
      return want.want === 'step' ? instantStep(self, deps, want) : undefined
    },
    /** The command that must be decided before another one, if there is one. */
    first: (next: TaskCommand) => code?.first(next),
    /** Receives the ids of the effects whose intents are stored next. */
    intend: calls.intend,
    /** Starts the effects that the state wants and that do not run; stops effects that the state does not want. */
    reconcile() {
      calls.forgetEnded()
      steps.forgetEnded()
      const want = wanted(view, runs())
      if (want.want === 'step') return steps.follow(want.agentStep, want.effectId)
      if (want.want === 'finish-cancel') {
        code?.end('canceled')
        return cancel()
      }
      steps.stop()
      if (want.want === 'code') {
        followCalls({ want: 'calls', calls: want.calls.filter(({ kind }) => kind !== 'run') })
        return withCode().follow()
      }
      if (want.want === 'timers') {
        followCalls({ want: 'calls', calls: want.calls })
        return withCode().rest()
      }
      code?.end(isTerminal(view.status) ? 'ended' : 'paused')
      if (want.want === 'calls') followCalls(want)
      if (want.want === 'ask-no-more') askNoMore(want.call)
      if (want.want === 'consume') sendToSelf(self, { type: 'ConsumeInputs' })
      if (want.want === 'abandon') sendToSelf(self, { type: 'AbandonStep' })
      if (want.want === 'pause') sendToSelf(self, { type: 'PauseNow', reason: want.reason })
    },
    isBusy(): boolean {
      if (steps.running() !== undefined || (isCanceling && !isTerminal(view.status))) return true
      // While the server drains, code gets nothing further: only what it has begun comes to its end.
      if (view.agentVersion !== undefined && deps.draining())
        return openCalls(view).some(({ kind, callId, effect: { id, child } }) =>
          kind === 'run' ? code?.isRunning(callId) : child === undefined && calls.isRunning(id),
        )
      if (view.agentVersion !== undefined) return view.status === 'working' && view.wakesAt === undefined
      // A subagent's task runs on its own, so its caller may leave memory meanwhile.
      // What goes on outside is left alone by a server that drains: the next one takes it up.
      const isLeft = (promise: string | undefined) => promise !== undefined && deps.draining()
      const holds = (call: OpenCall) =>
        call.effect.child === undefined && !isLeft(call.effect.promise) && !isAsking(call)
      return view.status === 'working' && openCalls(view).some(holds)
    },
    /** Stops the step and the lease of the code. Calls continue: they outlive the actor. */
    stop() {
      steps.stop()
      code?.stop()
    },
  }
}
