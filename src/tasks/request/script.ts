// Reads and checks the steps that a request gives the script agent.

import { Compile } from 'typebox/compile'
import { readJson } from '../../contract/json/exact-json.ts'
import { type Unheld, withPlainNumbers } from '../../contract/json/schema-walk.ts'
import type { Problem } from '../../contract/refusals.ts'
import { Script, type ScriptStep, scriptActions } from '../../contract/wire.ts'
import { problem } from './problem.ts'

/** The steps in a text, for the script agent as a subagent; undefined when the text is not a script. */
export const scriptSteps = (text: string): ScriptStep[] | undefined => {
  try {
    const unheld: Unheld[] = []
    const steps = withPlainNumbers(Script, readJson(text), unheld)
    return unheld.length === 0 && isScript(steps) ? steps : undefined
  } catch {
    return undefined
  }
}
const compiledScript = Compile(Script)
const isScript = (value: unknown): value is ScriptStep[] => compiledScript.Check(value)

/** Checks a rule that the schema of a script cannot express: each step names exactly one action. */
export const scriptProblems = (
  script: ScriptStep[] | null | undefined,
  at = ['agent_config', 'script'],
): Problem[] => {
  if (script === undefined || script === null) return [problem(at, 'Field required', 'missing')]
  return script.flatMap((step, index) => {
    const actions = scriptActions.filter(action => step[action] !== undefined)
    if (actions.length === 1) return []
    return [problem([...at, index], `A step names exactly one of: ${scriptActions.join(', ')}`)]
  })
}
