// What a server asks for in place of a result (2026-07-28): requests by keys, and a state that it wants back with their results. It
// remembers nothing meanwhile, so the call can go on in a later process.
import type { ToolAnswer, ToolQuestion } from '../contract/tools.ts'
import { questionOf, resultOf, type Unaskable } from './elicitation.ts'
import { maxState, mostAsked } from './limits.ts'
import { type Fields, isFields } from './reading/heard.ts'
import { type McpServer, showsSecret } from './server.ts'

export type MoreWanted = { requests: Fields; requestState: string | undefined }

/** What a call goes on with. */
export type Given = { inputResponses?: Fields; requestState?: string }

/**
 * What is stored with the questions. `round`: how often the call has been asked for more. `taskId`: of the task of the server that asks
 * for it; absent: the answer to the call does.
 */
type State = { keys: string[]; requestState?: string | undefined; round: number; taskId?: string }

export const isMore = (value: object): value is MoreWanted => 'requests' in value

/** What the server wants; undefined: the answer to the call is another one. */
export const moreIn = (result: unknown): MoreWanted | undefined => {
  if (!isFields(result) || result.resultType !== 'input_required') return undefined
  const { inputRequests, requestState } = result
  const requests = isFields(inputRequests) ? inputRequests : {}
  return { requests, requestState: typeof requestState === 'string' ? requestState : undefined }
}

const notAsked = { problem: 'asks for something else than an answer of the user' }

/** The questions to the user, by their keys. */
export const questionsIn = (
  server: McpServer,
  requests: Fields,
): { questions: Map<string, ToolQuestion> } | Unaskable => {
  const all = Object.entries(requests)
  if (all.length > mostAsked) return { problem: `asks more than ${mostAsked} questions at a time` }
  const questions = new Map<string, ToolQuestion>()
  for (const [key, request] of all) {
    if (!isFields(request) || request.method !== 'elicitation/create') return notAsked
    const question = questionOf(server, request.params)
    if ('problem' in question) return question
    questions.set(key, question)
  }
  return { questions }
}

/** The text that is stored with the questions. */
export const stateOf = (server: McpServer, state: State): string | Unaskable => {
  const text = JSON.stringify(state)
  if (text.length > maxState) return { problem: `wants back a state of more than ${maxState >> 10} KiB` }
  // What is stored holds no secrets, and the server needs its state as it is.
  return showsSecret(server, state) ? { problem: 'wants back a state that shows a secret' } : text
}

export const roundIn = (state: string): number => (JSON.parse(state) as State).round

/** What the call goes on with, from the stored text and the answers. */
export const givenFor = (
  state: string,
  questions: readonly Pick<ToolQuestion, 'metadata'>[],
  answers: readonly ToolAnswer[],
): Given => {
  const { keys, requestState } = JSON.parse(state) as State
  const results = keys.flatMap((key, n) => {
    const [question, answer] = [questions[n], answers[n]]
    return question === undefined || answer === undefined ? [] : [[key, resultOf(question, answer)] as const]
  })
  return {
    ...(results.length === 0 ? {} : { inputResponses: Object.fromEntries(results) }),
    ...(requestState === undefined ? {} : { requestState }),
  }
}
