// What a running call asks the client of its task. The questions are stored, and the answers come with the state of the task.
import type { TaskCommand } from '../../../src/contract/commands/commands.ts'
import type { Ids } from '../../../src/contract/ports.ts'
import type { Asked, ToolAnswer, ToolInput } from '../../../src/contract/tools.ts'
import type { AskedQuestions } from '../../../src/history/task/calls.ts'

type Ask = NonNullable<ToolInput['ask']>
type Given = {
  /** What the call has asked before. */
  before: AskedQuestions | undefined
  ids: Ids
  /** Stores questions, or takes them back. */
  send: (
    asked: Pick<Extract<TaskCommand, { type: 'AskClient' }>, 'questions' | 'state' | 'withdrawn'>,
  ) => Promise<unknown>
}

/** What a call has asked in an earlier process, for its tool; undefined: nothing with which it can go on. */
export const askedBefore = (asks: AskedQuestions | undefined): Asked | undefined => {
  if (asks?.state === undefined) return undefined
  const { questions, state } = asks
  const answers = questions.flatMap(({ answer }) => answer ?? [])
  return {
    state,
    questions: questions.map(({ metadata = {} }) => ({ metadata })),
    answers: answers.length < questions.length ? undefined : answers,
  }
}

/** Rejects when one of the signals aborts. */
const whenAborted = (signals: AbortSignal[]) => {
  const either = AbortSignal.any(signals)
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const end = () => reject(new Error('the question is not asked any more'))
    stop = () => either.removeEventListener('abort', end)
    if (either.aborted) end()
    else either.addEventListener('abort', end, { once: true })
  })
  aborted.catch(() => {})
  return { aborted, stop: () => stop() }
}

export const createClientQuestions = ({ before, ids, send }: Given) => {
  let newest = before
  const waiting = new Map<string, (answer: ToolAnswer) => void>()
  const answerTo = (id: string) =>
    new Promise<ToolAnswer>(resolve => {
      waiting.set(id, resolve)
    })

  const resolveHeard = () => {
    for (const { call_id, answer } of newest?.questions ?? []) {
      if (answer === undefined) continue
      waiting.get(call_id)?.(answer)
      waiting.delete(call_id)
    }
  }

  return {
    /** Resolves questions whose answers are stored. */
    hear(asks: AskedQuestions | undefined): void {
      newest = asks
      resolveHeard()
    },
    /** `signal`: that of the call. */
    asking:
      (signal: AbortSignal): Ask =>
      async (questions, { state, withdrawn }) => {
        const isKnown = state !== undefined && state === before?.state
        const asked = isKnown
          ? before.questions
          : questions.map(({ name, arguments: args, metadata }) => ({
              ...{ call_id: ids.next('call_'), name, arguments: JSON.stringify(args), metadata },
            }))
        const { aborted, stop } = whenAborted([signal, ...(withdrawn === undefined ? [] : [withdrawn])])
        const answers = Promise.all(asked.map(({ call_id }) => answerTo(call_id)))
        try {
          if (isKnown) resolveHeard()
          else await send({ questions: asked, state })
          return await Promise.race([answers, aborted])
        } catch (error) {
          const taken = asked.map(({ call_id }) => call_id)
          for (const id of taken) waiting.delete(id)
          if (withdrawn?.aborted && !signal.aborted)
            await send({ questions: [], state: undefined, withdrawn: taken })
          throw error
        } finally {
          stop()
        }
      },
  }
}
