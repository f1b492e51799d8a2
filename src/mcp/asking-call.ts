// A call that asks the user. The server wants the answers with a further call (2026-07-28), or while the call runs.
import type { ToolInput } from '../contract/tools.ts'
import type { CallAnswer } from './connection.ts'
import { McpFailure } from './failure.ts'
import {
  type Given,
  givenFor,
  isMore,
  type MoreWanted,
  questionsIn,
  roundIn,
  stateOf,
} from './input-required.ts'
import { mostRounds } from './limits.ts'
import type { AskUser } from './live-questions.ts'
import type { McpServer } from './server.ts'

/** Asks with forms whose schemas can be used: no answer fits any other. Rejects with McpFailure for these. */
export const askUsable =
  (
    { name }: Pick<McpServer, 'name'>,
    ask: NonNullable<ToolInput['ask']>,
    problemsOf: (schema: object) => Promise<string[]>,
  ): NonNullable<ToolInput['ask']> =>
  async (questions, how) => {
    for (const { metadata } of questions) {
      const [problem] = metadata.schema === undefined ? [] : await problemsOf(metadata.schema)
      if (problem === undefined) continue
      throw new McpFailure(name, `asks with a form that cannot be used: ${problem}`, { isAnswer: true })
    }
    return ask(questions, how)
  }

/** Asks while the call runs: the answer is of use to this process alone. */
export const liveAsk =
  (ask: NonNullable<ToolInput['ask']>): AskUser =>
  async (question, withdrawn) => {
    const [answer] = await ask([question], { withdrawn })
    if (answer === undefined) throw new Error('there is no answer')
    return answer
  }

type Asking = Pick<ToolInput, 'asked' | 'promised'> & {
  ask: ToolInput['ask'] | undefined
  server: McpServer
  isSafe: boolean
  /** Calls the tool, or calls it again with what the server has asked for. */
  call: (given?: Given) => Promise<CallAnswer>
}

/**
 * The last answer to a call, after all that the server has asked for. The state that the server gave with its questions is no longer
 * stored when the call goes on with it: a crash then leaves an unknown outcome, and no second call. A safe call may go on twice.
 */
export const answerTo = async ({
  server,
  isSafe,
  call,
  ask,
  asked,
  promised,
}: Asking): Promise<Exclude<CallAnswer, MoreWanted>> => {
  const goOn = async (given: Given) => {
    if (!isSafe) await promised?.(undefined)
    return call(given)
  }
  const unable = (what: string) => new McpFailure(server.name, what, { isAnswer: true })
  let round = asked === undefined ? 0 : roundIn(asked.state)
  let answer = asked?.answers
    ? await goOn(givenFor(asked.state, asked.questions, asked.answers))
    : await call()
  while (isMore(answer)) {
    round++
    if (round > mostRounds) throw unable('asks the user without end')
    const read = questionsIn(server, answer.requests)
    if ('problem' in read) throw unable(read.problem)
    const state = stateOf(server, {
      keys: [...read.questions.keys()],
      round,
      requestState: answer.requestState,
    })
    if (typeof state !== 'string') throw unable(state.problem)
    const questions = [...read.questions.values()]
    if (questions.length === 0) answer = await call(givenFor(state, [], []))
    else if (ask === undefined) throw unable('asks for more than the call gave it')
    else answer = await goOn(givenFor(state, questions, await ask(questions, { state })))
  }
  return answer
}
