// reprise model fake: starts a fake model, for tests of model clients. It needs no key and costs nothing.
import { readFileSync } from 'node:fs'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Answer } from '../fake-model/answer.ts'
import { problemsOfScript } from '../fake-model/check.ts'
import { modelName } from '../fake-model/completion.ts'
import { startFakeModel } from '../fake-model/server.ts'

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

const greeting = (url: string, script: string): string =>
  [
    `Fake model   ${url}/v1`,
    `Script       ${script}`,
    `Requests     ${url}/requests`,
    '',
    'Paste these lines into the shell in which you start the server:',
    `export MODEL_BASE_URL=${url}/v1`,
    `export MODEL=${modelName}`,
    'unset MODEL_API_KEY   # no key needed',
    '',
  ].join('\n')

export const fakeModel = async (options: { port: string; host: string; script?: string }): Promise<void> => {
  const port = Number(options.port)
  if (!/^\d+$/.test(options.port) || port > 65_535) {
    throw new CannotStart(`--port ${options.port} is not a whole number from 0 to 65535`)
  }
  const { host, script } = options
  const answers = script === undefined ? undefined : readScript(script)
  const model = await startFakeModel({ port, host, ...(answers === undefined ? {} : { answers }) }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CannotStart(
        error.code === 'EADDRINUSE'
          ? `port ${port} is in use: reprise model fake --port ${port < 65_535 ? port + 1 : port - 1}`
          : `--host ${host} --port ${port} cannot be used: ${error.message}`,
      )
    },
  )
  const count = answers?.length ?? 0
  const source = `${script} (${count} answer${count === 1 ? '' : 's'})`
  process.stdout.write(
    `${greeting(model.url, answers === undefined ? 'none (the model gives plausible answers)' : source)}\n`,
  )
  const stop = () => void model.close().then(() => process.exit(0))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}
