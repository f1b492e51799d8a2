// A server that is a process of ours: one JSON message a line on its stdin and stdout. What it says on stderr is
// for the operator.
import type { ReadBuffer, Transport } from '@modelcontextprotocol/client'
import type { Report } from '../contract/ports.ts'
import type { Child, Children } from '../platform/children/children.ts'
import { McpFailure } from './failure.ts'
import { mostBytes } from './limits.ts'
import { type McpServer, withoutSecrets } from './server.ts'

type ProcessServer = Extract<McpServer, { command: string }>

/** What a program needs to find its files and its language; everything else of our environment is ours. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']
const environment = (own: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(
    inherited.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ),
  ...own,
})

/** How much of its stderr is told, in all and a line. */
const mostTold = 64 * 1024
const longestLine = 1000
/** From its end to the end of what it has said. */
const patienceMs = 500
/** From the end of its input to the first signal. */
const goodbyeMs = 250

const tellErrors = (child: Child, server: McpServer, report: Report) => {
  let room = mostTold
  let rest = ''
  const tell = (line: string) => {
    const told = withoutSecrets(server, line.slice(0, longestLine)).trimEnd()
    if (told !== '') report('debug', `MCP server "${server.name}" on stderr`, { line: told })
  }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (room <= 0) return // still read, so that it is never held up by it
    const lines = (rest + text.slice(0, room)).split('\n')
    rest = (lines.pop() ?? '').slice(0, longestLine)
    room -= text.length
    lines.forEach(tell)
  })
  child.stderr.once('end', () => tell(rest))
}

type Parts = { children: Pick<Children, 'start' | 'end'>; report: Report; buffer: ReadBuffer }

export const stdioTransport = (server: ProcessServer, { children, report, buffer }: Parts): Transport => {
  let child: Child | undefined
  let closed = false
  const asked = new Set<string | number>()
  /** How much has come since its last answer to us: nobody asked for that. */
  let unasked = 0

  const hear = (chunk: Buffer) => {
    unasked += chunk.length
    if (unasked > mostBytes) throw new Error('it says too much')
    buffer.append(chunk)
    for (;;) {
      // A line that is JSON but no message; one that is no JSON is skipped: some print to stdout what they think.
      try {
        const message = buffer.readMessage()
        if (message === null) return
        if ('id' in message && message.id !== undefined && asked.delete(message.id)) unasked = 0
        transport.onmessage?.(message)
      } catch (error) {
        transport.onerror?.(error as Error)
      }
    }
  }

  /** The end of its input tells it to go, when it has read what stands before: perhaps that a call is canceled. */
  const goodbye = async (process: Child): Promise<void> => {
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

  const transport: Transport = {
    async start() {
      const { command, args, cwd, env } = server
      const unfit = Object.keys(env).find(name => env[name]?.includes('\0'))
      if (unfit !== undefined) {
        throw new McpFailure(
          server.name,
          `cannot be given the variable ${unfit}: its value holds a NUL character`,
        )
      }
      const started = await children.start({
        command,
        args,
        env: environment(env),
        ...(cwd === undefined ? {} : { cwd }),
      })
      child = started
      if (closed) await transport.close()
      tellErrors(started, server, report)
      for (const pipe of [started.stdin, started.stdout, started.stderr]) {
        pipe.on('error', error => transport.onerror?.(error))
      }
      started.stdout.on('data', (chunk: Buffer) => {
        try {
          hear(chunk)
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
      // A process of its own that has left the group may hold its stdout for ever.
      started.once('exit', () => setTimeout(ended, patienceMs).unref())
    },
    send: message =>
      new Promise((resolve, reject) => {
        if ('method' in message && 'id' in message) asked.add(message.id)
        const line = `${JSON.stringify(message)}\n`
        if (child === undefined) reject(new Error('not started'))
        else child.stdin.write(line, error => (error ? reject(error) : resolve()))
      }),
    async close() {
      const isFirst = !closed
      closed = true
      if (child !== undefined) await goodbye(child)
      if (isFirst) transport.onclose?.()
    },
  }
  return transport
}
