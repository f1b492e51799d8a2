// Checks whether an answer to a question of a tool server is a form that is filled in as its schema wants.
import { withDefaults } from '../contract/json/defaults.ts'
import { readJson } from '../contract/json/exact-json.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'

/** Why an answer does not fit the schema of a question; undefined: it fits. */
export type AnswerProblem = (schema: object, answer: string, user: string) => Promise<string | undefined>

export const questionProblem =
  (checker: Pick<SchemaChecker, 'check'>): AnswerProblem =>
  async (schema, answer, user) => {
    let value: unknown
    try {
      value = readJson(answer)
    } catch {
      return 'it is not JSON'
    }
    const verdict = await checker.check(schema, withDefaults(schema, value), user)
    return verdict.ok ? undefined : verdict.problems[0]
  }
