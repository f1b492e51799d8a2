// What an agent is: a function of `ctx`, or a statechart.
import { longestDescription, longestVersion } from './limits.ts'
import { machineProblems } from './machine/problems.ts'
import { plainJson } from './plain-json.ts'
import type { Agent, AgentFunction, Chart, Description, MachineOptions, MachineRun } from './types.ts'

/** Marks agents, also those of another copy of this package. */
const mark = Symbol.for('reprise.agent')

/** @internal */
export type Definition = Agent &
  (
    | { kind: 'function'; main: AgentFunction }
    | { kind: 'machine'; chart: Chart; runs: Readonly<Record<string, MachineRun>> }
  )

const taskSupports: readonly unknown[] = ['required', 'optional', 'none', undefined]

const described = ({ description, parameters, version, task_support }: Description): Description => {
  if (description !== undefined && typeof description !== 'string')
    throw new TypeError('the description of an agent must be text')
  if (description !== undefined && description.length > longestDescription)
    throw new TypeError(
      `the description of an agent has ${description.length} characters, more than ${longestDescription}`,
    )
  if (parameters !== undefined && (typeof parameters !== 'object' || parameters === null))
    throw new TypeError('the parameters of an agent must be a JSON Schema')
  if (parameters !== undefined) plainJson(parameters, 'the parameters of an agent')
  if (
    version !== undefined &&
    (typeof version !== 'string' || version === '' || version.length > longestVersion)
  )
    throw new TypeError(`the version of an agent must be text of 1 to ${longestVersion} characters`)
  if (!taskSupports.includes(task_support))
    throw new TypeError("the task_support of an agent must be 'required', 'optional' or 'none'")
  return Object.fromEntries(
    Object.entries({ description, parameters, version, task_support }).filter(
      ([, value]) => value !== undefined,
    ),
  )
}

const marked = <D extends object>(definition: D): D =>
  Object.defineProperty(definition, mark, { value: true })

/**
 * Makes an agent of a function.
 *
 *     export default agent(async ctx => ctx.model(ctx.input.text), { description: 'Answers.' })
 */
export const agent = (fn: AgentFunction, options: Description = {}): Agent => {
  if (typeof fn !== 'function')
    throw new TypeError('agent() needs a function: agent(async ctx => …, { description })')
  return marked({ kind: 'function' as const, ...described(options), main: fn })
}

const isChart = (value: unknown): value is Chart => {
  const chart = value as Partial<Chart> | null | undefined
  return (
    typeof chart === 'object' &&
    chart !== null &&
    typeof chart.getStateNodeById === 'function' &&
    'root' in chart
  )
}

/**
 * Makes an agent of a machine of XState 5. Its `invoke`s name what the server does: `model`, `tool:<name>`, `agent:<name>`,
 * `ask:<name>`, or a function of `run` as `run:<name>`. Throws when the machine has parts that cannot be stored.
 *
 *     export default machineAgent(chart, { run: { charge: input => charge(input) } })
 */
export const machineAgent = (chart: Chart, options: MachineOptions = {}): Agent => {
  if (!isChart(chart))
    throw new TypeError('machineAgent() needs a machine of XState 5: machineAgent(createMachine({ … }))')
  const { run = {}, ...rest } = options
  const problems = machineProblems(chart, Object.keys(run))
  if (problems.length > 0)
    throw new TypeError(`the machine ${chart.id} cannot be an agent: ${problems.join('; ')}`)
  return marked({ kind: 'machine' as const, ...described(rest), chart, runs: run })
}

/**
 * The agent that a value is: what `agent` or `machineAgent` gave, a function, or a machine. Throws if it is none.
 * @internal
 */
export const definitionOf = (value: unknown): Definition => {
  if (typeof value === 'object' && value !== null && mark in value) return value as unknown as Definition
  if (typeof value === 'function') return agent(value as AgentFunction) as Definition
  if (isChart(value)) return machineAgent(value) as Definition
  throw new TypeError(
    'an agent must be a function, a machine of XState 5, or what agent() or machineAgent() gives: write “export default agent(async ctx => …)”',
  )
}
