// What the task of a server asks the user, one round at a time. The task is looked at while the user is asked, since it may end
// without the answers.
import type { ToolInput } from '../contract/tools.ts'
import { McpFailure } from './failure.ts'
import { givenFor, questionsIn, stateOf } from './input-required.ts'
import { mostRounds } from './limits.ts'
import type { Fields } from './reading/heard.ts'
import type { McpServer } from './server.ts'

/** `ask`: asks the user. `asked`: what the call has asked in an earlier process. Both absent: nobody can be asked. */
export type TaskAsks = {
  server?: McpServer
  ask?: ToolInput['ask'] | undefined
  asked?: ToolInput['asked']
}

type Round = {
  over: AbortController
  /** Aborts when the user has answered, or cannot be asked. */
  settled: AbortSignal
  done: Promise<void>
  results?: Fields
  problem?: string
  error?: unknown
  /** Whether the end of this round has been noticed. */
  isSeen: boolean
}

const pick = (requests: Fields, keys: string[]): Fields =>
  Object.fromEntries(keys.map(key => [key, requests[key]]))

export const createTaskQuestions = ({ server, ask, asked }: TaskAsks, taskId: string) => {
  /** The keys of what the task has asked for. */
  const known = new Set<string>()
  let round: Round | undefined

  /** Asks the user. Returns why that cannot be. */
  const begin = (keys: string[], requests: Fields): string | undefined => {
    for (const key of keys) known.add(key)
    if (server === undefined || ask === undefined) return 'asks for more than the call gave it'
    if (known.size > mostRounds) return 'asks the user without end'
    const read = questionsIn(server, pick(requests, keys))
    if ('problem' in read) return read.problem
    const state = stateOf(server, { keys, round: 0, taskId })
    if (typeof state !== 'string') return state.problem
    const questions = [...read.questions.values()]
    const before = asked?.state === state ? asked.answers : undefined
    const [over, settled] = [new AbortController(), new AbortController()]
    const answers =
      before === undefined ? ask(questions, { state, withdrawn: over.signal }) : Promise.resolve(before)
    const begun: Round = { over, settled: settled.signal, done: Promise.resolve(), isSeen: false }
    begun.done = answers
      .then(
        given => {
          begun.results = givenFor(state, questions, given).inputResponses ?? {}
        },
        (error: unknown) => {
          if (error instanceof McpFailure) begun.problem = error.message
          else begun.error = error
        },
      )
      .finally(() => settled.abort())
    round = begun
    return undefined
  }

  return {
    /** Asks for what is new in the requests of the task. Returns why the task cannot be given what it wants. */
    hear(requests: Fields): string | undefined {
      const keys = Object.keys(requests)
        .filter(key => !known.has(key))
        .sort()
      const problem = round === undefined && keys.length > 0 ? begin(keys, requests) : undefined
      return problem === undefined ? round?.problem : `the server ${problem}`
    },
    /** The results that the task has not got yet. Throws when the user could not be asked. */
    results(): Fields | undefined {
      if (round?.settled.aborted) round.isSeen = true
      if (round?.error !== undefined) throw round.error
      return round?.results
    },
    /** The task has the results. */
    given(): void {
      round = undefined
    },
    isAsking: (): boolean => round?.settled.aborted === false,
    /** Aborts with `signal`, and when the user has answered. */
    wakes: (signal: AbortSignal): AbortSignal =>
      round === undefined || round.isSeen ? signal : AbortSignal.any([signal, round.settled]),
    /** Takes back what the user is asked. */
    async withdraw(): Promise<void> {
      round?.over.abort()
      await round?.done
    },
  }
}
