// Chooses the answer of a script for each request.
import type { Answer } from './answer.ts'
import { plausibleAnswer } from './plausible.ts'
import type { Question } from './question.ts'

const nothingLeft: Answer = { error: { status: 500, message: 'the script has no answer left' } }

/**
 * Returns a function that chooses the answer to a request: the first answer whose `when` fits, otherwise the next
 * answer without `when`, and an error when none is left. Without a script, each answer is a plausible one.
 */
export const playScript = (answers: Answer[] | undefined): ((question: Question) => Answer) => {
  if (answers === undefined) return plausibleAnswer
  const standing = answers.filter(answer => answer.when !== undefined)
  const queue = answers.filter(answer => answer.when === undefined)
  return ({ newest: { text } }) =>
    standing.find(({ when = '' }) => text.includes(when)) ?? queue.shift() ?? nothingLeft
}
