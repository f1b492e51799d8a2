// Plays a script or, without a script, plausible answers, with the faults that are asked for.

import { arithmeticIn } from '../agents/demo.ts'
import { instanceOf } from '../agents/instance.ts'
import type { Answer } from './answer.ts'
import type { Change } from './change.ts'
import { problemsOfScript } from './check.ts'
import type { Fault } from './faults/fault.ts'
import { faultsFor, faultsNamed, misfits, namesOf, type PlannedFault } from './faults/plan.ts'
import type { Protocol } from './protocols/protocol.ts'
import type { Question } from './question.ts'
import { type Reply, replyTo } from './reply.ts'

// Chooses the answer of a script for each request.

// The answers of a fake model without a script. They are enough to try an agent with tools and structured output.

const quoted = (text: string): string => `“${text.length > 200 ? `${text.slice(0, 200)}…` : text}”`

const plausibleAnswer = ({ newest, tools, schema, thinks }: Question): Answer => {
  const { from, text, images } = newest
  const expression = from === 'user' && tools.includes('calculator') ? arithmeticIn(text) : undefined
  if (expression !== undefined) {
    return {
      ...(thinks ? { reasoning: `The user wants ${expression}. I ask the calculator.` } : {}),
      tool_calls: [{ name: 'calculator', arguments: { expression } }],
    }
  }
  if (schema !== undefined) return { text: JSON.stringify(instanceOf(schema, text)) }
  if (from === 'tool') return { text: `The tool says ${quoted(text)}.` }
  const seen = images === 0 ? '' : ` and showed me ${images} image${images === 1 ? '' : 's'}`
  return { text: `You said ${quoted(text)}${seen}. I am a fake model and cannot say more.` }
}

const nothingLeft: Answer = { error: { status: 500, message: 'the script has no answer left' } }

/**
 * Returns a function that chooses the answer to a request: the first answer whose `when` fits, otherwise the next
 * answer without `when`, and an error when none is left. Without a script, each answer is a plausible one.
 */
const playScript = (answers: Answer[] | undefined): ((question: Question) => Answer) => {
  if (answers === undefined) return plausibleAnswer
  const standing = answers.filter(answer => answer.when !== undefined)
  const queue = answers.filter(answer => answer.when === undefined)
  return ({ newest: { text } }) =>
    standing.find(({ when = '' }) => text.includes(when)) ?? queue.shift() ?? nothingLeft
}

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
