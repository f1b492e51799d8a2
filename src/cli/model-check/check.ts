// Asks an endpoint all questions, and finds the switches with which it answers them.
import type { ModelEndpoint } from '../../agents/model/endpoint.ts'
import { ModelLost, ModelRefused } from '../../agents/model/failures.ts'
import { isAboutBody } from '../../agents/model/switches-learned.ts'
import { type Switches, withPlain } from '../../model-requests/switches.ts'
import { type Finding, type Question, Unfit, withSwitches } from './question.ts'
import { questions } from './questions.ts'

type Change = Partial<Switches>

/** `works`: whether the agent can work with the endpoint. `switches`: those with which it did. */
export type Checked = { works: boolean; findings: Finding[]; switches: Switches }

const isOf = (present: Switches, change: Change): boolean =>
  Object.entries(change).every(([name, value]) => present[name as keyof Switches] === value)

/** Switches that may help when the endpoint takes the question and its answer does not fit. */
const ofAnswers = ['schema', 'stream', 'tool_schemas']

/** Whether a change may help against an error. */
const mayHelp = (error: unknown, change: Change, { needed }: Question): boolean => {
  if (error instanceof Unfit) return Object.keys(change).some(name => ofAnswers.includes(name))
  if (!(error instanceof ModelRefused)) return false
  // An endpoint that has not even a text for a model does not know it.
  return isAboutBody(error) && !(needed && error.status === 404)
}
const isOfEndpoint = (error: unknown): error is Error =>
  error instanceof Unfit || error instanceof ModelRefused || error instanceof ModelLost

/** What people can do about a refusal of everything. */
const hintOf = (error: unknown): string => {
  const { status } = error as ModelRefused
  if (status === 401 || status === 403) return ' (is MODEL_API_KEY right?)'
  return status === 404 ? ' (are MODEL_BASE_URL and MODEL right?)' : ''
}

/**
 * `fixed`: the switches that the operator has set, which are never changed. `report` hears each finding as soon as it
 * is known.
 */
export const checkModel = async (
  endpoint: ModelEndpoint,
  fixed: Change,
  report: (finding: Finding) => Promise<unknown>,
): Promise<Checked> => {
  /** Switches that helped where the endpoint's words did not. */
  const found: Change = {}
  const findings: Finding[] = []
  const present = () => withPlain({ ...endpoint.asks(endpoint.model).switches, ...found })

  /** What is found with a change; undefined: it does not help. */
  const withChange = async (question: Question, change: Change): Promise<Finding[] | undefined> => {
    try {
      const heard = await question.ask(withSwitches(endpoint, { ...found, ...change }))
      Object.assign(found, change)
      return heard
    } catch (error) {
      if (isOfEndpoint(error)) return undefined
      throw error
    }
  }

  const answersOf = async (question: Question): Promise<Finding[]> => {
    try {
      return await question.ask(withSwitches(endpoint, found))
    } catch (first) {
      for (const change of question.tries ?? []) {
        const isFixed = Object.keys(change).some(name => name in fixed)
        if (isFixed || isOf(present(), change) || !mayHelp(first, change, question)) continue
        const heard = await withChange(question, change)
        if (heard !== undefined) return heard
      }
      throw first
    }
  }

  const findingsOf = async (question: Question): Promise<Finding[]> => {
    const { name, needed, without } = question
    try {
      const heard = await answersOf(question)
      if (without === undefined || !isOf(present(), without)) return heard
      return [{ name, works: 'partly', says: 'the model does not take it: a note stands in its place' }]
    } catch (error) {
      if (!isOfEndpoint(error)) throw error
      return [{ name, works: 'no', says: `${error.message}${needed ? hintOf(error) : ''}` }]
    }
  }

  for (const question of questions) {
    const heard = await findingsOf(question)
    for (const finding of heard) {
      findings.push(finding)
      await report(finding)
    }
    if (question === questions[0] && heard.some(({ works }) => works === 'no')) break
  }
  const needed = questions.filter(question => question.needed).map(({ name }) => name)
  const works = needed.every(name => findings.some(each => each.name === name && each.works !== 'no'))
  return { works, findings, switches: present() }
}
