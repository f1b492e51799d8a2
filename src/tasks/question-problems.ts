// Checks whether an answer to a question is JSON that fits the schema of the question.
import { withDefaults } from '../contract/json/defaults.ts'
import { readJson } from '../contract/json/exact-json.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'

/**
 * `isForm`: the question is a form of a tool server, whose fields have defaults. Otherwise the value is taken as it is.
 */
type Asked = { schema: object; isForm: boolean; answer: string; user: string }
/** Says why an answer does not fit the schema of its question; nothing when it fits. */
export type AnswerProblems = (asked: Asked) => Promise<string[]>

export const questionProblems =
  (checker: Pick<SchemaChecker, 'check' | 'problemsOf'>): AnswerProblems =>
  async ({ schema, isForm, answer, user }) => {
    let value: unknown
    try {
      value = readJson(answer)
    } catch {
      return ['it is not JSON']
    }
    const verdict = await checker.check(schema, isForm ? withDefaults(schema, value) : value, user)
    // Code may ask with a schema that nobody can use. Then nothing is checked, since no answer would fit.
    return verdict.ok || (await checker.problemsOf(schema, user)).length > 0 ? [] : verdict.problems
  }
