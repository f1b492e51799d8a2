// reprise serve: starts the server, prints a few lines about it, and stops it after a signal.
import { Unknown } from '../cluster/shared-log.ts'
import { type Config, readConfig } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { startServer } from '../main.ts'
import { startNode } from '../node/node.ts'
import { collectAsServer } from '../platform/collections.ts'
import { version } from '../platform/version.ts'
import { NotReached } from './exit.ts'
import { greeting, nodeGreeting } from './greeting.ts'
import { createReport } from './report.ts'

/** A second SIGINT within this many milliseconds comes from the same Ctrl-C, since no person types that fast. */
const echoMs = 100

type Options = { acceptLoss?: true; port?: string; host?: string; data?: string }

/** The environment variables. Options of the command line replace the variables that mean the same. */
const variablesOf = ({ port, host, data }: Options): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(port === undefined ? {} : { PORT: port }),
  ...(host === undefined ? {} : { HOST: host }),
  ...(data === undefined ? {} : { DATA_DIR: data }),
})

/** Starts a server, or a node of a cluster, and prints its first lines. */
const start = async (config: Config, report: Report, acceptLoss: boolean) => {
  if (config.cluster !== undefined) {
    const node = await startNode(config, config.cluster, report).catch(error => {
      throw error instanceof Unknown ? new NotReached(error.message) : error
    })
    report('info', 'the node has started', { version, url: node.url, node: node.name })
    process.stdout.write(`${nodeGreeting(config, node)}\n`)
    node.roles.catch(error => {
      report('error', 'this node cannot go on and ends: start it again', {
        error: String(error.stack ?? error),
      })
      process.exit(1)
    })
    return node
  }
  const server = await startServer(config, report, { acceptLoss })
  report('info', 'the server has started', { version, url: server.url, resumed: server.resumed })
  process.stdout.write(`${greeting(config, server)}\n`)
  return server
}

export const serve = async (options: Options): Promise<void> => {
  collectAsServer()
  const config = readConfig(variablesOf(options))
  const report = createReport(config.logLevel)
  const server = await start(config, report, options.acceptLoss === true)

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
