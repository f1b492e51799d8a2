// reprise agent check: loads the file of an agent as a server would, runs it with the fake model, and runs it again while it
// kills the process of the agent at every step. It says line by line what holds.
import { commandOfAgent } from '../../agent-hosts/where.ts'
import { instanceOf } from '../../agents/instance.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { createSchemaChecker } from '../../json-schema/checker.ts'
import { Unfit } from '../../platform/programs/lines.ts'
import { NoAnswer } from '../terminal/exit.ts'
import type { Printer } from '../terminal/printer.ts'
import { createProgressBar } from '../terminal/progress.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { varsOf } from '../terminal/values.ts'
import { agentFileOf } from './agent-file.ts'
import { checkCommand } from './check-command.ts'
import { type Finding, lineOf } from './finding.ts'
import { entryText, killEverywhere, outcomeText } from './kills.ts'
import { type LiveRun, memoryMb, runLive } from './live-run.ts'
import { isGiven, type Recording } from './recording.ts'
import { suspectsIn } from './suspects.ts'
import { HostFailed, helloIn, startHostProcess } from './tested-host.ts'
import { checkTypes } from './types.ts'

type Options = Common & { input: string; answer: string; var?: string[]; command?: string }

/** What the host of the file says of itself. */
type Loaded = { finding: Finding; parameters: object }

const loads = (found: string, holds = false): Finding => ({ what: 'loads', holds, found })

/** Loads the file as the server does: in a process of its own. */
const load = async (file: string): Promise<Loaded> => {
  const host = startHostProcess(commandOfAgent(file, memoryMb))
  try {
    const message = await host.next()
    if (message.type === 'failed') return { finding: loads(String(message.message)), parameters: {} }
    if (message.type !== 'hello') return { finding: loads('its host did not say hello'), parameters: {} }
    const [agent] = helloIn(message).agents
    const { kind = 'function', description, parameters = {} } = agent ?? {}
    const checker = createSchemaChecker()
    const [problem] = await checker.problemsOf(parameters).finally(() => checker.close())
    if (problem !== undefined)
      return { finding: loads(`its parameters are no JSON Schema: ${problem}`), parameters: {} }
    return {
      finding: loads(
        `${kind === 'machine' ? 'a statechart' : 'a function'}: ${description ?? 'without a description'}`,
        true,
      ),
      parameters,
    }
  } catch (error) {
    if (error instanceof Unfit) return { finding: loads(`its host sent ${error.message}`), parameters: {} }
    if (error instanceof HostFailed) return { finding: loads(error.message), parameters: {} }
    throw error
  } finally {
    await host.kill()
  }
}

/** A configuration with what the parameters of the agent require. */
const configOf = (parameters: object, answer: string): object => {
  const { required = [] } = parameters as { required?: string[] }
  const whole = instanceOf({ type: 'object', ...parameters }, answer) as Record<string, unknown>
  return Object.fromEntries(required.map(name => [name, whole[name]]))
}

const answerOf = ({ task }: LiveRun): string => {
  const item = task.output.findLast(({ type }) => type === 'message') as
    | { message_content?: string | { text?: string }[] }
    | undefined
  const content = item?.message_content ?? ''
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join(' ')
}
const runFinding = (run: LiveRun): Finding => {
  const { task, open } = run
  const runs = (found: string, holds = false): Finding => ({ what: 'runs', holds, found })
  const { message } = (task.error ?? {}) as { message?: string }
  if (task.status === 'completed') return runs(`the task is completed: ${answerOf(run).slice(0, 200)}`, true)
  if (task.status === 'failed') return runs(`the task has failed: ${message}`)
  const waits = open.length === 0 ? '' : `, and waits for ${open.join(', ')}`
  if (task.status === 'paused') return runs(`the task is paused${waits}`)
  return runs(
    `the task is ${task.status} after a minute${waits}. If the machine is busy, try again when it has less to do`,
  )
}

/** One line for each entry that came again as it was, and one for the end. */
const killFindings = (
  file: string,
  { steps }: Recording,
  { kills, difference, warnings }: Awaited<ReturnType<typeof killEverywhere>>,
): Finding[] => {
  const entries = steps.flatMap(step => (isGiven(step) ? [] : step.entries))
  const isSame = (n: number) => difference === undefined || n < (difference.n ?? entries.length + 1)
  const results = new Map(
    steps.flatMap(step => (isGiven(step) ? step.results : [])).map(result => [result.n, result]),
  )
  const resultText = (n: number): string => {
    const result = results.get(n)
    if (result === undefined) return ''
    return 'error' in result
      ? ` -> failed: ${result.error.message}`
      : ` -> ${(JSON.stringify(result.value) ?? '').slice(0, 80)}`
  }
  const same = entries
    .filter(({ n }) => isSame(n))
    .map(entry => ({
      ...{ what: `entry ${entry.n}`, holds: true },
      found: `${entryText(entry).slice(0, 120)}${resultText(entry.n)}`,
    }))
  const foreign = warnings.map(found => ({ what: 'ctx alone', holds: false, found }))
  if (difference === undefined) {
    const last = steps.at(-1)
    const end =
      last === undefined || isGiven(last) || last.outcome === undefined
        ? ''
        : `: ${outcomeText(last.outcome)}`
    return [
      ...same,
      ...foreign,
      { what: 'same end', holds: true, found: `after ${plural(kills, 'kill')}${end}` },
    ]
  }
  const what = difference.n === undefined ? 'same end' : `entry ${difference.n}`
  const suspects = suspectsIn(file)
  const todo =
    suspects.length > 0
      ? suspects
      : [
          'the code must do the same each time: look for time, random numbers, and variables of the module that it changes',
        ]
  return [
    ...same,
    { what, holds: false, found: `after ${plural(kills, 'kill')}, ${difference.found}` },
    ...foreign,
    ...todo.map(found => ({ what: 'what to do', holds: false, found })),
  ]
}

/** Runs the agent once. Without a recording there is nothing to play again. */
const runOnce = async (
  given: Parameters<typeof runLive>[0],
): Promise<{ finding: Finding; recording?: Recording | undefined }> => {
  try {
    const run = await runLive(given)
    const last = run.recording?.steps.at(-1)
    const isWhole = last !== undefined && !isGiven(last) && last.outcome !== undefined
    const finding = runFinding(run)
    if (finding.holds && !isWhole) {
      const found = `${finding.found}. But its end was not recorded, so its kills cannot be tried`
      return { finding: { ...finding, holds: false, found } }
    }
    return { finding, recording: isWhole ? run.recording : undefined }
  } catch (error) {
    if (!(error instanceof HostFailed)) throw error
    return { finding: { what: 'runs', holds: false, found: error.message } }
  }
}

const checkFile = async (given: string, options: Options, printer: Printer) => {
  const { file, name } = agentFileOf(given)
  const vars = varsOf(options.var ?? [])
  const findings: Finding[] = []
  let told = 0
  /** Tells each finding as soon as it is known. */
  const tell = async (...found: Finding[]) => {
    findings.push(...found)
    if (!options.json) await printer.rows(findings.slice(told).map(finding => lineOf(printer, finding)))
    told = findings.length
  }
  let kills = 0
  const { finding, parameters } = await load(file)
  await tell(finding)
  const types = await checkTypes(file)
  if (types !== undefined) await tell({ what: 'types', ...types })
  if (finding.holds) {
    const { input, answer } = options
    const config = configOf(parameters, answer)
    const { finding: ran, recording } = await runOnce({ name, file, input, answer, config, vars })
    await tell(ran)
    if (recording !== undefined) {
      const bar = createProgressBar(printer, 'killing', 'steps')
      const result = await killEverywhere({
        start: () => startHostProcess(commandOfAgent(file, memoryMb)),
        recording,
        killed: options.json ? () => {} : bar,
      })
      kills = result.kills
      await tell(...killFindings(file, recording, result))
    }
  }
  return { name, findings, kills }
}

export const checkAgent = async (given: string | undefined, options: Options): Promise<void> => {
  const printer = openTerminal(options)
  if ((given === undefined) === (options.command === undefined))
    throw new CannotStart(
      'reprise agent check needs either the file of an agent, or --command with a host of the agent protocol',
    )
  const { name, findings, kills } =
    options.command === undefined
      ? await checkFile(given as string, options, printer)
      : { ...(await checkCommand(options.command, options, printer)), kills: undefined }
  const holds = findings.every(finding => finding.holds)
  if (options.json) await printer.rows([JSON.stringify({ agent: name, holds, kills, findings })])
  if (!holds) throw new NoAnswer('something does not hold: see the lines above')
}
