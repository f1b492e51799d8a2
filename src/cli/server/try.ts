// reprise try: runs one task and prints it while it runs. It uses a server, or starts one of its own.
import type { TaskBody } from '../../../library/client/index.ts'
import { type Config, readConfig } from '../../config.ts'
import { startServer } from '../../start/server.ts'
import { called } from '../terminal/called.ts'
import { createPrinter, type Printer } from '../terminal/printer.ts'
import { createReport } from '../terminal/report.ts'
import { answerAtTerminal, canAsk } from './answering.ts'
import { type Connection, connectToOwn, findServer, type Where } from './connection.ts'
import { showTask } from './follow.ts'
import { onInterrupt } from './interrupt.ts'
import { adminTokenSource, curlOf } from './server.ts'
import { isResting, waitOf } from './show.ts'

type Options = Where & { agent?: string; session?: string; json?: true; color: boolean }

const bodyOf = (question: string, { agent, session }: Options): TaskBody => ({
  user_message_content: question,
  ...(session === undefined ? {} : { session_id: session }),
  ...(agent === undefined ? {} : { agent_config: { agent_id: agent } }),
})

type Tried = {
  server: Connection
  /** The settings of the server, if this command has started it. */
  own: Config | undefined
  json: boolean
  printer: Printer
}

/** Creates a task, follows it until it ends or waits, and resolves to the exit code. */
const follow = async ({ server, own, json, printer }: Tried, body: TaskBody): Promise<number> => {
  const created = server.ask(({ tasks }) => tasks.create(body))
  let canceled = false
  const cancel = async () => {
    printer.line('canceling the task (Ctrl-C again ends this command at once)')
    try {
      const { id } = await created
      await server.ask(({ tasks }) => tasks.cancel(id))
      canceled = true
    } catch (error) {
      printer.line(`reprise: the task was not canceled: ${(error as Error).message}`, 'red')
    }
  }
  const interrupt = onInterrupt(cancel, printer.startLine)
  try {
    const { id } = await created
    const task = await showTask(id, {
      server,
      printer,
      json,
      beforeFrame: interrupt.asking,
      /** At a terminal, a person answers. */
      async onWait(waiting) {
        if (json || !canAsk() || waiting.status !== 'input-required') return false
        printer.startLine()
        return answerAtTerminal(server, waiting)
      },
      atEnd(rest) {
        interrupt.stop()
        if (!isResting(rest)) return
        const { words, requests } = waitOf(rest)
        printer.line(`${own ? `start the server again (${called} serve); ` : ''}${words}`, 'plain')
        for (const { path, body } of requests)
          printer.line(own ? laterCurlOf(own, path, body) : server.curlOf(path, body), 'plain')
      },
    })
    if (canceled) return 130
    return task.status === 'completed' ? 0 : 1
  } finally {
    interrupt.stop()
  }
}

/** A request to the server that somebody will start on this folder. */
const laterCurlOf = (config: Config, path: string, body?: object): string =>
  curlOf(`http://${config.host}:${config.port || 8080}`, adminTokenSource(config).inShell, path, body)

export const tryTask = async (question: string, options: Options): Promise<void> => {
  const { stdout: out, stderr: err, env } = process
  out.on('error', () => process.exit(1)) // the reader closed the pipe
  const printer = createPrinter({ out, err, env, colours: options.color })
  const how = { json: options.json === true, printer }
  const body = bodyOf(question, options)
  const running = findServer(options)
  if (running !== undefined) {
    process.exitCode = await follow({ server: running, own: undefined, ...how }, body)
    return
  }
  const config = readConfig(env)
  const own = await startServer({ ...config, host: '127.0.0.1', port: 0 }, createReport(config.logLevel))
  try {
    process.exitCode = await follow({ server: connectToOwn(config, own.url), own: config, ...how }, body)
  } finally {
    await own.stop()
  }
}
