// Questions that a server sends while calls run (2025-11-25). They name no call, so each belongs to the call that has the fewest, and of
// these to the one that began last. When that call ends first, the question goes over to another. The time of a call stands still while
// it asks.
import type { Timers } from '../contract/ports.ts'
import type { ToolAnswer, ToolQuestion } from '../contract/tools.ts'
import { type ElicitationResult, questionOf, resultOf } from './elicitation.ts'
import { McpFailure } from './failure.ts'
import { callMs, mostRounds } from './limits.ts'
import type { McpServer } from './server.ts'
import { tooLate } from './too-late.ts'

/** Asks the user of a call. `withdrawn`: the server wants no answer any more. */
export type AskUser = (question: ToolQuestion, withdrawn: AbortSignal) => Promise<ToolAnswer>

type OpenCall = {
  ask: AskUser
  count: () => void
  hold: () => () => void
  asks: () => number
  over: AbortSignal
}

/** The code of an error of the protocol: the parameters of a request are wrong. */
const invalidParams = -32_602
const refused = (message: string) => Object.assign(new Error(message), { code: invalidParams })

export const createLiveQuestions = (server: McpServer, timers: Pick<Timers, 'after'>) => {
  const calls: OpenCall[] = []
  const next = (): OpenCall | undefined => {
    const fewest = Math.min(...calls.map(({ asks }) => asks()))
    return calls.findLast(({ asks }) => asks() === fewest)
  }

  return {
    /** The result of `elicitation/create`. Rejects when the server cannot be answered. */
    async elicit(params: unknown, withdrawn: AbortSignal): Promise<ElicitationResult> {
      next()?.count()
      const question = questionOf(server, params)
      if ('problem' in question) throw refused(`the server ${question.problem}`)
      for (let call = next(); call !== undefined && !withdrawn.aborted; call = next()) {
        const goOn = call.hold()
        try {
          return resultOf(question, await call.ask(question, AbortSignal.any([withdrawn, call.over])))
        } catch (error) {
          if (error instanceof McpFailure) throw refused(error.message)
          if (!call.over.aborted) break
        } finally {
          goOn()
        }
      }
      return { action: 'cancel' }
    },
    /** Does the work of a call, in time. `ask`: absent, if nobody can be asked. The signal of the work aborts when it is too late. */
    async during<T>(ask: AskUser | undefined, work: (late: AbortSignal) => Promise<T>): Promise<T> {
      const [late, over] = [new AbortController(), new AbortController()]
      const begin = () => timers.after(callMs, () => late.abort(tooLate(server, callMs)))
      let stop = begin()
      let held = 0
      let asked = 0
      const hold = () => {
        if (held++ === 0) stop()
        return () => {
          if (--held === 0 && !over.signal.aborted) stop = begin()
        }
      }
      const count = () => {
        if (++asked > mostRounds) late.abort(new McpFailure(server.name, 'asks the user without end'))
      }
      const call = ask && { ask, hold, count, asks: () => held, over: over.signal }
      if (call !== undefined) calls.push(call)
      try {
        return await work(late.signal)
      } finally {
        stop()
        if (call !== undefined) calls.splice(calls.indexOf(call), 1)
        over.abort()
      }
    },
  }
}
