// A server that runs as a child process: each line of its stdin and stdout is a message in JSON. Its stderr is reported
// to the operator.
import { StringDecoder } from 'node:string_decoder'
import type { Transport } from '@modelcontextprotocol/client'
import type { Report, Timers } from '../contract/ports.ts'
import type { Child, Children } from '../platform/children/children.ts'
import { McpFailure, unreadable } from './failure.ts'
import { maxBytes } from './limits.ts'
import type { Answers } from './reading/answers.ts'
import type { Heard } from './reading/heard.ts'
import { createListener } from './reading/listener.ts'
import { createTexts } from './reading/texts.ts'
import { type McpServer, withoutSecrets } from './server.ts'

/** The limits for what is reported of a server's stderr, in characters: in all, and of each line. */
const maxReported = 64 * 1024
const longestLine = 1000

/** Reports each line of a server's stderr to the operator, without the server's secrets. */
const reportStderr = (child: Child, server: McpServer, report: Report): void => {
  let room = maxReported
  let rest = ''
  const reportLine = (line: string) => {
    const shown = withoutSecrets(server, line.slice(0, longestLine)).trimEnd()
    if (shown !== '') report('debug', `MCP server "${server.name}" on stderr`, { line: shown })
  }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (room <= 0) return // read nevertheless, so that the server never blocks on it
    const lines = (rest + text.slice(0, room)).split('\n')
    rest = (lines.pop() ?? '').slice(0, longestLine)
    room -= text.length
    lines.forEach(reportLine)
  })
  child.stderr.once('end', () => reportLine(rest))
}

/** Variables that a program needs to find its files and its language; it gets no others of this process. */
const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM']

/** The variables of a server's process. Throws McpFailure if a process cannot have one of them. */
const processVariables = (server: string, own: Record<string, string>): Record<string, string> => {
  const unfit = Object.keys(own).find(name => own[name]?.includes('\0'))
  if (unfit !== undefined) {
    throw new McpFailure(server, `cannot be given the variable ${unfit}: its value holds a NUL character`)
  }
  const ours = inherited.flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(ours), ...own }
}

type ProcessServer = Extract<McpServer, { command: string }>

/** The last output of a process that has ended is awaited for at most this many milliseconds. */
const lastOutputMs = 500
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

type Deps = {
  children: Pick<Children, 'start' | 'end'>
  timers: Pick<Timers, 'after'>
  report: Report
  answers: Answers
}

/** Reads what a server prints, and limits what it prints without an answer. `tooMuch` is called once at most. */
const createOutput = (
  { answers, timers }: Pick<Deps, 'answers' | 'timers'>,
  give: (message: Parameters<NonNullable<Transport['onmessage']>>[0]) => void,
  tooMuch: () => void,
) => {
  const decoder = new StringDecoder('utf8')
  let unasked = 0
  const listener = createListener(createTexts(), timers, (all: Heard[]) => {
    for (const message of all.flatMap(heard => answers.take(heard))) {
      if (!('method' in message)) unasked = 0
      give(message)
    }
  })
  return {
    read(chunk: Buffer): void {
      if (unasked > maxBytes) return
      unasked += chunk.length
      if (unasked <= maxBytes) {
        listener.hear(decoder.write(chunk))
        return
      }
      listener.stop()
      const why = 'sent more than 10 MiB without an answer'
      for (const message of answers.fail(answers.open(), unreadable, why)) give(message)
      tooMuch()
    },
    end: listener.end,
  }
}

export const stdioTransport = (server: ProcessServer, { children, report, ...deps }: Deps): Transport => {
  let child: Child | undefined
  let closed = false
  const output = createOutput(
    deps,
    message => {
      try {
        transport.onmessage?.(message)
      } catch (error) {
        transport.onerror?.(error as Error)
      }
    },
    () => {
      child?.stdout.destroy()
      void transport.close()
    },
  )

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
      started.stdout.on('data', output.read)
      // A process without stdout can answer no more. Its last words may be an answer.
      started.stdout.once('end', () => {
        output.end()
        void transport.close()
      })
      const ended = () => {
        if (closed) return
        closed = true
        output.end()
        transport.onclose?.()
      }
      started.once('close', ended)
      // A child process of the server that has left its group may keep the server's stdout open for ever.
      started.once('exit', () => setTimeout(ended, lastOutputMs).unref())
    },
    send: message =>
      new Promise((resolve, reject) => {
        deps.answers.sent(message)
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
