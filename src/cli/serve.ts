// reprise serve: starts the server, prints a few lines about it, and stops it after a signal.
import { setFlagsFromString } from 'node:v8'
import { type Config, readConfig } from '../config.ts'
import { type Server, startServer } from '../main.ts'
import { version } from '../platform/version.ts'
import { createReport } from './report.ts'
import { firstCurlOf } from './server.ts'

/**
 * Whether the first message shows the admin token: not if the output goes to a file, which others may read, and not if
 * the operator has set the token.
 */
const isTokenShown = (config: Config): boolean => process.stdout.isTTY && config.adminToken === undefined

/** The texts in the first message for the sandbox of shell commands in the environment `workspace`. */
const walls = {
  bubblewrap: 'bubblewrap',
  limits: 'none: shell commands of workspaces run with limits only (ALLOW_UNSANDBOXED_SHELL=1)',
  refused: 'none: workspaces are refused (install bubblewrap, or set ALLOW_UNSANDBOXED_SHELL=1)',
}
/** The texts in the first message for the user ids of environments; empty if the server does not run as root. */
const users = {
  all: '; environments have user ids of their own',
  some: '; some environments run as root',
  none: process.getuid?.() === 0 ? '; environments run as root' : '',
}

/** The text for the model. Without a model, the agent `demo` answers tasks that name no agent. */
const modelLine = ({ model }: Config): string =>
  model === undefined
    ? 'none: the agent demo answers (set MODEL_BASE_URL and MODEL to use one)'
    : `${model.model} at ${model.baseUrl}`

/** The text for the console. Only a terminal gets a link that signs in, since others may read a file. */
const consoleLine = ({ url, consoleLink }: Server): string =>
  process.stdout.isTTY ? `${url}${consoleLink()} (for a minute, once; later: reprise console)` : `${url}/ui`

const greeting = (config: Config, server: Server): string => {
  const { url, wall, ownUsers, resumed } = server
  return [
    `reprise    ${version}`,
    `Console    ${consoleLine(server)}`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Data       ${config.dataDir} (durable)`,
    `Model      ${modelLine(config)}`,
    `NATS       ${config.nats === undefined ? 'off' : `on, ${config.nats.shown}`}`,
    `Sandbox    ${walls[wall]}${users[ownUsers]}`,
    ...(resumed > 0 ? [`Resumed    ${resumed} unfinished task${resumed === 1 ? '' : 's'}`] : []),
    '',
    'Try it:',
    firstCurlOf(config, url, isTokenShown(config)),
    '',
  ].join('\n')
}

/** Milliseconds. A second SIGINT within them comes from the same Ctrl-C, since no person types that fast. */
const echoMs = 100

/**
 * An option of V8: it collects old objects when the heap has grown by half since the last collection. By default V8
 * lets the heap grow fourfold, which costs too much memory with large answers.
 */
const growth = '--heap-growing-percent=50'

type Options = { acceptLoss?: true; port?: string; host?: string; data?: string }

/** The environment variables, with the values of the command line's options in place of theirs. */
const variablesOf = ({ port, host, data }: Options): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(port === undefined ? {} : { PORT: port }),
  ...(host === undefined ? {} : { HOST: host }),
  ...(data === undefined ? {} : { DATA_DIR: data }),
})

export const serve = async (options: Options): Promise<void> => {
  setFlagsFromString(growth)
  const { acceptLoss } = options
  const config = readConfig(variablesOf(options))
  const report = createReport(config.logLevel)
  const server = await startServer(config, report, undefined, acceptLoss === true)
  report('info', 'the server has started', { version, url: server.url, resumed: server.resumed })
  process.stdout.write(`${greeting(config, server)}\n`)

  let asked: number | undefined
  const stop = (signal: NodeJS.Signals) => {
    if (asked !== undefined) {
      // One Ctrl-C may arrive twice: from the terminal, which sends it to every process, and from npm. SIGTERM may be
      // repeated by supervisors, so a second SIGTERM does nothing.
      if (signal === 'SIGINT' && performance.now() - asked > echoMs) process.exit(130)
      return
    }
    asked = performance.now()
    const running = server.running()
    const tasks = `${running} running task${running === 1 ? '' : 's'}`
    process.stderr.write(`draining ${tasks}${signal === 'SIGINT' ? ' (Ctrl-C again to force)' : ''}\n`)
    report('info', 'the server stops', { running_tasks: running })
    server.stop().then(
      () => {
        report('info', 'the server has stopped')
        process.exit(0)
      },
      error => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
