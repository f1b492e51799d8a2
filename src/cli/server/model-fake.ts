// reprise model fake: starts a fake model, for tests of model clients. It needs no key and costs nothing.
import { readFileSync } from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Answer } from '../../fake-model/answer.ts'
import { problemsOfScript } from '../../fake-model/check.ts'
import { faults } from '../../fake-model/faults/faults.ts'
import { type PlannedFault, readFault } from '../../fake-model/faults/plan.ts'
import { modelName } from '../../fake-model/player.ts'
import { startFakeModel } from '../../fake-model/server.ts'
import { stopSignals } from '../../platform/signals.ts'
import { called } from '../terminal/called.ts'

const readScript = (file: string): Answer[] => {
  let script: unknown
  try {
    script = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CannotStart(
      `--script ${file} cannot be read: ${(error as Error).message.replaceAll('\n', ' ')}`,
    )
  }
  const problems = problemsOfScript(script)
  if (problems.length > 0) throw new CannotStart(`--script ${file} cannot be played: ${problems.join('; ')}`)
  return script as Answer[]
}

const plannedFaults = (given: string[]): PlannedFault[] =>
  given.map(name => {
    const planned = readFault(name)
    if (typeof planned === 'string') throw new CannotStart(`--fault ${name} cannot be played: ${planned}`)
    return planned
  })

/** The faults with what each does, one a line. */
const listOfFaults = (): string => {
  const width = Math.max(...faults.map(({ name }) => name.length)) + 2
  return faults
    .map(({ name, about, protocols }) => {
      const where = protocols === undefined ? '' : ` (${protocols.join(', ')})`
      return `${name.padEnd(width)}${about}${where}\n`
    })
    .join('')
}

const greeting = (url: string, script: string, given: string[]): string =>
  [
    `Fake model   ${url}/v1 (chat/completions, messages, responses)`,
    `Script       ${script}`,
    ...(given.length === 0 ? [] : [`Faults       ${given.join(', ')}`]),
    `Requests     ${url}/requests`,
    '',
    'Paste these lines into the shell in which you start the server:',
    `export MODEL_BASE_URL=${url}/v1`,
    `export MODEL=${modelName}`,
    'unset MODEL_API_KEY',
    '',
  ].join('\n')

type Options = { port: string; host: string; script?: string; fault?: string[]; faults?: boolean }

export const fakeModel = async (options: Options): Promise<void> => {
  if (options.faults) {
    process.stdout.write(listOfFaults())
    return
  }
  const port = Number(options.port)
  if (!/^\d+$/.test(options.port) || port > 65_535) {
    throw new CannotStart(`--port ${options.port} is not a whole number from 0 to 65535`)
  }
  const { host, script, fault = [] } = options
  const answers = script === undefined ? undefined : readScript(script)
  const played = { faults: plannedFaults(fault), ...(answers === undefined ? {} : { answers }) }
  const model = await startFakeModel({ port, host, ...played }).catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      error.code === 'EADDRINUSE'
        ? `port ${port} is in use: ${called} model fake --port ${port < 65_535 ? port + 1 : port - 1}`
        : `--host ${host} --port ${port} cannot be used: ${error.message}`,
    )
  })
  const count = answers?.length ?? 0
  const source =
    answers === undefined
      ? 'none (the model gives plausible answers)'
      : `${script} (${count} answer${count === 1 ? '' : 's'})`
  process.stdout.write(`${greeting(model.url, source, fault)}\n`)
  const stop = () => void model.close().then(() => process.exit(0))
  for (const signal of stopSignals) process.once(signal, stop)
}
