// Checks whether an answer is JSON that fits the schema in the request.
import { readJson } from '../contract/json/exact-json.ts'
import { taskErrors } from '../contract/task-errors.ts'
import type { ErrorObject } from '../contract/wire.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'

const impossible = (problems: string[]): ErrorObject => ({
  code: taskErrors.AnswerUnfit.code,
  message: `the answer does not fit structured_output: ${problems[0]}`,
  data: { problems },
})

/** Why an answer does not fit; undefined when it fits. */
export const answerProblem =
  (checker: SchemaChecker) =>
  async (schema: object, answer: string, user: string): Promise<ErrorObject | undefined> => {
    let value: unknown
    try {
      value = readJson(answer)
    } catch {
      return impossible(['it is not JSON'])
    }
    const verdict = await checker.check(schema, value, user)
    return verdict.ok ? undefined : impossible(verdict.problems)
  }
