// A server that runs as a child process: each line of its stdin and stdout is a message in JSON. Its stderr is reported
// to the operator.
import type { ReadBuffer, Transport } from '@modelcontextprotocol/client'
import type { Report } from '../contract/ports.ts'
import type { Child, Children } from '../platform/children/children.ts'
import { createMessages } from './messages.ts'
import { processVariables } from './process-variables.ts'
import type { McpServer } from './server.ts'
import { reportStderr } from './stderr.ts'

type ProcessServer = Extract<McpServer, { command: string }>

/** The last output of a process that has ended is awaited for at most this many milliseconds. */
const patienceMs = 500
/** Milliseconds from the end of a server's input until the server gets the first signal. */
const goodbyeMs = 250

/**
 * Ends the process. It closes the input first, so that the server can read the last messages, such as the cancel of a
 * call, and then exit by itself.
 */
const goodbye = async (process: Child, children: Pick<Children, 'end'>): Promise<void> => {
  if (process.exitCode === null && process.signalCode === null) {
    process.stdin.end()
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, goodbyeMs)
      process.once('exit', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
  await children.end(process)
}

type Deps = { children: Pick<Children, 'start' | 'end'>; report: Report; buffer: ReadBuffer }

export const stdioTransport = (server: ProcessServer, { children, report, buffer }: Deps): Transport => {
  let child: Child | undefined
  let closed = false
  const messages = createMessages(buffer, {
    message: message => transport.onmessage?.(message),
    error: error => transport.onerror?.(error),
  })

  const transport: Transport = {
    async start() {
      const { command, args, cwd, env } = server
      const variables = processVariables(server.name, env)
      const started = await children.start({
        command,
        args,
        env: variables,
        ...(cwd === undefined ? {} : { cwd }),
      })
      child = started
      if (closed) await transport.close()
      reportStderr(started, server, report)
      for (const pipe of [started.stdin, started.stdout, started.stderr]) {
        pipe.on('error', error => transport.onerror?.(error))
      }
      started.stdout.on('data', (chunk: Buffer) => {
        try {
          messages.read(chunk)
        } catch (error) {
          transport.onerror?.(error as Error)
          started.stdout.destroy()
          void transport.close()
        }
      })
      const ended = () => {
        if (!closed) transport.onclose?.()
        closed = true
      }
      started.once('close', ended)
      // A child process of the server that has left its group may keep the server's stdout open for ever.
      started.once('exit', () => setTimeout(ended, patienceMs).unref())
    },
    send: message =>
      new Promise((resolve, reject) => {
        messages.sent(message)
        const line = `${JSON.stringify(message)}\n`
        if (child === undefined) reject(new Error('not started'))
        else child.stdin.write(line, error => (error ? reject(error) : resolve()))
      }),
    async close() {
      const isFirst = !closed
      closed = true
      if (child !== undefined) await goodbye(child, children)
      if (isFirst) transport.onclose?.()
    },
  }
  return transport
}
