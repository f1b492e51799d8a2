// Plays a script or, without a script, plausible answers, with the faults that are asked for.
import type { Answer } from './answer.ts'
import type { Change } from './change.ts'
import { problemsOfScript } from './check.ts'
import type { Fault } from './faults/fault.ts'
import { faultsFor, faultsNamed, misfits, namesOf, type PlannedFault } from './faults/plan.ts'
import type { Protocol } from './protocols/protocol.ts'
import type { Question } from './question.ts'
import { type Reply, replyTo } from './reply.ts'
import { playScript } from './script.ts'

export const modelName = 'fake-1'

/**
 * `answers`: the script; plausible answers if absent. `faults`: played in all answers. `changes`: made to all answers,
 * before the faults. `newCallId`: makes the id of a call for which the script names none.
 */
export type PlayerOptions = {
  answers?: Answer[]
  faults?: readonly PlannedFault[]
  changes?: readonly Change[]
  newCallId?: () => string
}
/** `number`: of the request, from 1. `wanted`: the faults that the request names. */
type Asked = { protocol: Protocol; question: Question; number: number; wanted: readonly string[] }

const scriptOf = (answers: unknown): Answer[] => {
  const problems = problemsOfScript(answers)
  if (problems.length > 0) throw new Error(problems.join('; '))
  return answers as Answer[]
}

/** Throws an error with all problems if the answers are no valid script. */
export const createPlayer = ({ answers, faults = [], changes = [], newCallId }: PlayerOptions) => {
  let answerTo = playScript(answers && scriptOf(answers))
  let calls = 0
  const ownCallId = () => `fake_call_${++calls}`

  return {
    /** The reply to a request. A text says why there can be none. */
    reply({ protocol, question, number, wanted }: Asked): Reply | string {
      const named = faultsNamed(wanted)
      if (typeof named === 'string') return named
      const answer = answerTo(question)
      const plan = [...faultsFor(faults, number), ...named, ...(faultsNamed(namesOf(answer)) as Fault[])]
      const problems = misfits(plan, protocol, question.stream)
      if (problems.length > 0) return problems.join('; ')
      const { model = question.model ?? modelName, system_fingerprint } = answer
      const fingerprint = system_fingerprint === undefined ? {} : { system_fingerprint }
      const head = { number, created: Math.floor(Date.now() / 1000), model, ...fingerprint }
      return replyTo(protocol, { answer, question, head, newCallId: newCallId ?? ownCallId }, [
        ...changes,
        ...plan,
      ])
    },
    /** Replaces the script. Throws if the answers are no valid one. */
    replace(script: unknown): void {
      answerTo = playScript(scriptOf(script))
    },
  }
}
