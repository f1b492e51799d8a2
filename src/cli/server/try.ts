// reprise try: runs one task and prints it while it runs. It uses the running server, or starts one of its own.
import { type Config, readConfig } from '../../config.ts'
import type { Task } from '../../contract/wire.ts'
import type { Frame } from '../../history/frames.ts'
import { startServer } from '../../start/server.ts'
import { createPrinter, type Printer } from '../terminal/printer.ts'
import { createReport } from '../terminal/report.ts'
import { plural } from '../terminal/terminal.ts'
import { answerAtTerminal, canAsk } from './answering.ts'
import { followTask, isWait } from './follow.ts'
import { onInterrupt } from './interrupt.ts'
import { askServer, curlOf, lookForServer, urlOfServer } from './server.ts'
import { createShow, failureOf, waitOf } from './show.ts'

type Options = { agent?: string; session?: string; json?: true; color: boolean }

const bodyOf = (question: string, { agent, session }: Options) => ({
  user_message_content: question,
  stream: true,
  ...(session === undefined ? {} : { session_id: session }),
  ...(agent === undefined ? {} : { agent_config: { agent_id: agent } }),
})

const summaryOf = ({ status, usage, id }: Task, steps: number, ms: number): string => {
  const tokens = Number(usage?.total_tokens ?? 0)
  const parts = [status, plural(steps, 'step'), ...(tokens > 0 ? [plural(tokens, 'token')] : [])]
  return [...parts, `${(ms / 1000).toFixed(1)} s`, id].join(', ')
}

/** Creates a task, follows it until it ends or waits, and resolves to the exit code. */
const follow = async (
  config: Config,
  { url, own }: { url: string; own: boolean },
  body: object,
  json: boolean,
  printer: Printer,
): Promise<number> => {
  let tellId = (_: string) => {}
  const known = new Promise<string>(resolve => {
    tellId = resolve
  })
  let canceled = false
  const cancel = async () => {
    printer.line('canceling the task (Ctrl-C again ends this command at once)')
    const path = `/v1/tasks/${encodeURIComponent(await known)}/cancel`
    try {
      await askServer(config, (await lookForServer(config)) ?? url, 'POST', path)
      canceled = true
    } catch (error) {
      printer.line(`reprise: the task was not canceled: ${(error as Error).message}`, 'red')
    }
  }
  const interrupt = onInterrupt(cancel, printer.startLine)

  const began = performance.now()
  const show = createShow(printer)
  let last: Frame | undefined
  const onBroken = () => printer.line('(the connection broke; reconnecting)')
  /** At a terminal, a person answers. */
  const onWait = async (frame: Frame): Promise<boolean> => {
    const task = frame.task as Task
    if (json || !canAsk() || task.status !== 'input-required') return false
    printer.startLine()
    const path = `/v1/tasks/${encodeURIComponent(task.id)}`
    return answerAtTerminal(task, async (under, body) =>
      askServer(config, (await lookForServer(config)) ?? url, 'POST', `${path}${under}`, { body }),
    )
  }
  try {
    for await (const frame of followTask({ config, url, onTask: tellId, onBroken, onWait }, body)) {
      await interrupt.asking()
      if (json) process.stdout.write(`${JSON.stringify(frame)}\n`)
      else show.frame(frame)
      last = frame
    }
    await interrupt.asking()
  } finally {
    interrupt.stop()
  }
  // The last frame contains the task, which has ended or waits.
  const task = last?.task as Task
  const failure = last && failureOf(last)
  if (failure !== undefined) printer.line(`reprise: ${failure}`, 'red')
  if (last && isWait(last)) {
    const { words, requests } = waitOf(task)
    const there = own ? `http://${config.host}:${config.port || 8080}` : url
    printer.line(`${own ? 'start the server again (reprise serve); ' : ''}${words}`, 'plain')
    for (const { path, body } of requests) printer.line(curlOf(config, there, path, body), 'plain')
  }
  if (!json) printer.line(summaryOf(task, show.steps(), performance.now() - began))
  if (canceled) return 130
  return task.status === 'completed' ? 0 : 1
}

export const tryTask = async (question: string, options: Options): Promise<void> => {
  const config = readConfig(process.env)
  const { stdout: out, stderr: err, env } = process
  out.on('error', () => process.exit(1)) // the reader closed the pipe
  const printer = createPrinter({ out, err, env, colours: options.color })
  const running = urlOfServer(config)
  const own =
    running === undefined
      ? await startServer({ ...config, host: '127.0.0.1', port: 0 }, createReport(config.logLevel))
      : undefined
  try {
    const server = { url: running ?? own?.url ?? '', own: own !== undefined }
    process.exitCode = await follow(config, server, bodyOf(question, options), options.json === true, printer)
  } finally {
    await own?.stop()
  }
}
