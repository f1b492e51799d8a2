// reprise serve: the server, a few lines about it, and the way down.
import { setFlagsFromString } from 'node:v8'
import { type Config, readConfig } from '../config.ts'
import { type Server, startServer } from '../main.ts'
import { version } from '../version.ts'
import { createReport } from './report.ts'
import { firstCurlOf } from './server.ts'

/** What is printed elsewhere is kept, and read by others; a token that the operator set is known to the operator. */
const isTokenShown = (config: Config): boolean => process.stdout.isTTY && config.adminToken === undefined

/** What stands around the commands of the environment `workspace`. */
const walls = {
  bubblewrap: 'bubblewrap',
  limits: 'none: shell commands of workspaces run with limits only (ALLOW_UNSANDBOXED_SHELL=1)',
  refused: 'none: workspaces are refused (install bubblewrap, or set ALLOW_UNSANDBOXED_SHELL=1)',
}
/** With which user ids environments run; nothing to tell where the server is not root. */
const users = {
  all: '; environments have user ids of their own',
  some: '; some environments run as root',
  none: process.getuid?.() === 0 ? '; environments run as root' : '',
}

const greeting = (config: Config, { url, wall, ownUsers, resumed }: Server): string =>
  [
    `reprise    ${version}`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Data       ${config.dataDir} (durable)`,
    `NATS       ${config.nats === undefined ? 'off' : `on, ${config.nats.shown}`}`,
    `Sandbox    ${walls[wall]}${users[ownUsers]}`,
    ...(resumed > 0 ? [`Resumed    ${resumed} unfinished task${resumed === 1 ? '' : 's'}`] : []),
    '',
    'Try it:',
    firstCurlOf(config, url, isTokenShown(config)),
    '',
  ].join('\n')

/** Nobody types Ctrl-C twice in so short a time. */
const echoMs = 100

/**
 * Old objects are collected when there are half as many again as were in use the last time; the engine itself lets them
 * grow up to fourfold. Large answers would take that much memory.
 */
const growth = '--heap-growing-percent=50'

export const serve = async ({ acceptLoss }: { acceptLoss?: true }): Promise<void> => {
  setFlagsFromString(growth)
  const config = readConfig(process.env)
  const server = await startServer(config, createReport(config.logLevel), undefined, acceptLoss === true)
  process.stdout.write(`${greeting(config, server)}\n`)

  let asked: number | undefined
  const stop = (signal: NodeJS.Signals) => {
    if (asked !== undefined) {
      // npm passes on what the terminal has sent to everybody; supervisors repeat themselves.
      if (signal === 'SIGINT' && performance.now() - asked > echoMs) process.exit(130)
      return
    }
    asked = performance.now()
    const running = server.running()
    const tasks = `${running} running task${running === 1 ? '' : 's'}`
    process.stderr.write(`draining ${tasks}${signal === 'SIGINT' ? ' (Ctrl-C again to force)' : ''}\n`)
    server.stop().then(
      () => process.exit(0),
      error => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
