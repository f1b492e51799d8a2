// reprise serve: starts the server, prints a few lines about it, and stops it after a signal.
import { Unknown } from '../cluster/shared-log.ts'
import { type Config, readConfig } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { collectAsServer } from '../platform/collections.ts'
import { hearSignals, type StopSignal } from '../platform/signals.ts'
import { version } from '../platform/version.ts'
import { hearWarnings } from '../platform/warnings.ts'
import { startNode } from '../start/node.ts'
import { startServer } from '../start/server.ts'
import { NotReached } from './terminal/exit.ts'
import { greeting, nodeGreeting } from './terminal/greeting.ts'
import { createReport } from './terminal/report.ts'

/** A second SIGINT within this many milliseconds comes from the same Ctrl-C, since no person types that fast. */
const echoMs = 100
/** A start that a signal breaks off ends within this many milliseconds. */
const breakOffMs = 5000

type Options = { acceptLoss?: true; port?: string; host?: string; data?: string }

/** The environment variables. Options of the command line replace the variables that mean the same. */
const variablesOf = ({ port, host, data }: Options): NodeJS.ProcessEnv => ({
  ...process.env,
  ...(port === undefined ? {} : { PORT: port }),
  ...(host === undefined ? {} : { HOST: host }),
  ...(data === undefined ? {} : { DATA_DIR: data }),
})

/** bin/as-process-1.sh keeps this process from being the first one of a container, where there is a shell. */
const warnAsProcess1 = (report: Report): void => {
  if (process.pid !== 1) return
  report(
    'warn',
    'this is the first process of a container without /bin/sh: ended processes of environments and MCP servers stay as zombies. Start the container with an init process (docker run --init)',
  )
}

/** How a command runs a server. */
export type Serving = {
  /** The environment variables of the server. */
  variables: NodeJS.ProcessEnv
  acceptLoss?: boolean
  /** Changes what becomes of the lines for the operator. */
  reportOf?: (report: Report) => Report
  /** The first lines that are printed. */
  greet?: typeof greeting
}

/** Starts a server, or a node of a cluster, and prints its first lines, unless a signal comes meanwhile. */
const start = async (
  config: Config,
  report: Report,
  { acceptLoss = false, greet = greeting }: Serving,
  stopping: AbortSignal,
) => {
  if (config.cluster !== undefined) {
    const node = await startNode(config, config.cluster, report).catch(error => {
      throw error instanceof Unknown ? new NotReached(error.message) : error
    })
    node.roles.catch(error => {
      report('error', 'this node cannot go on and ends: start it again', {
        error: String(error.stack ?? error),
      })
      process.exit(1)
    })
    if (stopping.aborted) return node
    report('info', 'the node has started', { version, url: node.url, node: node.name })
    process.stdout.write(`${nodeGreeting(config, node)}\n`)
    return node
  }
  const server = await startServer(config, report, { acceptLoss, stopping })
  if (stopping.aborted) return server
  report('info', 'the server has started', { version, url: server.url, resumed: server.resumed })
  process.stdout.write(`${greet(config, server)}\n`)
  return server
}
type Server = Awaited<ReturnType<typeof start>>

/** Lets running work finish, then ends this process. */
const endWith = (server: Server, report: Report): void => {
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

const drain = (server: Server, report: Report, signal: StopSignal): void => {
  const running = server.running()
  const tasks = `${running} running task${running === 1 ? '' : 's'}`
  process.stderr.write(`draining ${tasks}${signal === 'SIGINT' ? ' (Ctrl-C again to force)' : ''}\n`)
  report('info', 'the server stops', { running_tasks: running, signal })
  endWith(server, report)
}

/**
 * Starts a server until `stopping` aborts: then the start ends at its next step, and with it this process. A step that
 * takes too long ends as a kill would end it, which harms nothing.
 */
const startUnless = async (
  stopping: AbortSignal,
  starting: Promise<Server>,
  report: Report,
): Promise<Server> => {
  let late: NodeJS.Timeout | undefined
  stopping.addEventListener('abort', () => {
    process.stderr.write('the start is broken off\n')
    late = setTimeout(() => process.exit(0), breakOffMs)
  })
  const server = await starting.catch(error => {
    if (error !== stopping.reason) throw error
    process.exit(0)
  })
  clearTimeout(late)
  if (stopping.aborted) endWith(server, report)
  return server
}

/** Calls `stop` for the first signal that asks the server to stop. A second Ctrl-C ends this process at once. */
const hearOnce = (stop: (signal: StopSignal) => void, ignored: () => void): void => {
  let asked: number | undefined
  const hear = (signal: StopSignal) => {
    if (asked === undefined) {
      asked = performance.now()
      return stop(signal)
    }
    // One Ctrl-C may arrive twice: from the terminal, which sends it to every process, and from npm. SIGTERM may be
    // repeated by supervisors, so a second SIGTERM does nothing.
    if (signal === 'SIGINT' && performance.now() - asked > echoMs) process.exit(130)
  }
  hearSignals(hear, ignored)
}

/** Runs a server until a signal stops it. */
export const serveUntilStopped = async (serving: Serving): Promise<void> => {
  // Signals are heard before anything else begins. What they do changes when there is something to stop.
  const stopping = new AbortController()
  const at = { stop: (_: StopSignal) => stopping.abort(), ignored() {} }
  hearOnce(
    signal => at.stop(signal),
    () => at.ignored(),
  )

  collectAsServer()
  const config = readConfig(serving.variables)
  const { reportOf = (same: Report) => same } = serving
  const report = reportOf(createReport(config.logLevel))
  hearWarnings(report)
  at.ignored = () => report('warn', 'SIGUSR1 is ignored: it would open a port for debuggers')
  warnAsProcess1(report)
  const starting = start(config, report, serving, stopping.signal)
  const server = await startUnless(stopping.signal, starting, report)
  at.stop = signal => drain(server, report, signal)
}

export const serve = (options: Options): Promise<void> =>
  serveUntilStopped({ variables: variablesOf(options), acceptLoss: options.acceptLoss === true })
