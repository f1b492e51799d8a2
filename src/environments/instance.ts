// An instance of an environment, and the requests to the program that runs it. The actor of its session asks one thing at
// a time: what else is wanted of the session waits in the mailbox of the actor. So nothing waits here.
import {
  EnvironmentGone,
  type Instance,
  type Observed,
  type OpenObject,
  type ResetAnswer,
  type StepAnswer,
} from '../contract/environment.ts'
import { createCut } from './cut.ts'
import type { EnvironmentProcess } from './process.ts'
import { checked, observedOf, resetAnswer, stepAnswer, stoppedAnswer } from './program-answers.ts'
import { type Limits, Refused } from './program-question.ts'
import type { ClassInfo, Method } from './protocol.ts'

/** The time limit of `close`, in milliseconds. */
const closeMs = 1000
/** The shortest time limit of `create`, in milliseconds: a constructor and its imports may take longer than a step. */
const leastCreateMs = 20_000
/** The shortest time limit of `snapshot` and `restore`, in milliseconds: a large state on a slow disk takes long. */
const leastKeepMs = 600_000

export type Given = { kwargs: OpenObject; env_vars: Record<string, string>; dir: string }

/** Passes on the output of a running step, cut at the same length as its final content. */
const cutOutput = (emit: (text: string) => void) => {
  const cut = createCut()
  return (text: string) => {
    const short = cut.take(text)
    if (short !== '') emit(short)
  }
}

/** Keeps the values of these variables, and of all earlier ones, out of the text that says why the program ended. */
const createHidden = (process: Pick<EnvironmentProcess, 'hide'>) => {
  const secrets = new Set<string>()
  return (values: Record<string, string>): void => {
    for (const value of Object.values(values)) secrets.add(value)
    process.hide([...secrets])
  }
}

/**
 * Rejects with EnvironmentGone, or with AuthorsError if the constructor threw. In both cases the process has ended.
 */
export const createInstance = async (
  process: EnvironmentProcess,
  {
    name,
    recovery,
    stepTimeoutMs,
    showsObservation,
  }: Pick<ClassInfo, 'name' | 'recovery' | 'stepTimeoutMs' | 'showsObservation'>,
  given: Given,
  defaultStepMs: number,
): Promise<Instance> => {
  const limitMs = stepTimeoutMs ?? defaultStepMs
  const keeping = { limitMs: Math.max(limitMs, leastKeepMs) }
  let isClosed = false
  const ask = async (method: Method, params: object = {}, limits: Partial<Limits> = {}) => {
    if (isClosed) throw new EnvironmentGone('the environment was closed')
    return process.request(method, params, { limitMs, ...limits })
  }
  let last: Pick<Observed, 'state' | 'tools'> = { state: {}, tools: [] }
  let done = false

  const hide = createHidden(process)
  hide(given.env_vars)
  try {
    await ask('create', { class: name, ...given }, { limitMs: Math.max(limitMs, leastCreateMs) })
  } catch (error) {
    await process.end()
    throw error
  }

  const keep = <Answer extends Observed>(answer: Answer): Answer => {
    last = { state: answer.state, tools: answer.tools }
    done = answer.done
    return answer
  }

  const reset = async (params: Parameters<Instance['reset']>[0]): Promise<ResetAnswer> => {
    return keep(resetAnswer((await ask('reset', params)).result))
  }

  const step: Instance['step'] = async (params, { emit, signal }) => {
    if (signal.aborted) return stoppedAnswer(stepAnswer({ error: '' }, last), 'the step was canceled')
    let answer: StepAnswer
    let stopped: string | undefined
    const env_vars = { ...given.env_vars, ...params.env_vars }
    hide(env_vars)
    try {
      const answered = await ask('step', { ...params, env_vars }, { signal, output: cutOutput(emit) })
      answer = stepAnswer(answered.result, last)
      stopped = answered.stopped
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      answer = stepAnswer({ error: error.message }, last)
      stopped = error.stopped
    }
    return keep(stopped === undefined ? answer : stoppedAnswer(answer, `the step ${stopped}`))
  }

  return {
    recovery,
    showsObservation,
    gone: process.gone.then(reason => (isClosed ? new Promise<string>(() => {}) : reason)),
    reset,
    step,
    observe: async () => keep(observedOf((await ask('observe')).result, done)),
    // `done` is known here, not in the program, so it is stored with the snapshot.
    async snapshot({ leaveOut, keepOld }) {
      const { result } = await ask('snapshot', { keep_old: keepOld }, keeping)
      const { data, left_out = [] } = checked(result, 'snapshot')
      for (const what of Array.isArray(left_out) ? left_out : []) leaveOut(String(what))
      return data === undefined ? undefined : { data, done }
    },
    async restore(snapshot) {
      const { data, done: wasDone } = snapshot as { data: unknown; done: boolean }
      await ask('restore', { data }, keeping)
      done = wasDone
    },
    async close() {
      isClosed = true
      // Does not wait for a running step: the step ends with its process.
      if (!process.isAsked()) await process.request('close', {}, { limitMs: closeMs }).catch(() => {})
      await process.end()
    },
  }
}
