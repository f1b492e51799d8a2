// A peer of a host in Python that plays the server: over standard input and output, or over a WebSocket.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'

export const python = process.env.PYTHON ?? 'python3'
export const noPython =
  spawnSync(python, ['--version']).status === 0 ? false : 'python3 is not there, which runs these agents'

const folder = path.resolve('python')
export const programsFile = path.resolve('test/python-agent/programs.py')

// biome-ignore lint/suspicious/noExplicitAny: messages are what the test expects of them
export type Message = Record<string, any>

/** The messages of one side, taken in their order. */
export const createInbox = () => {
  const messages: Message[] = []
  const takers: ((message: Message) => void)[] = []
  return {
    put(message: Message): void {
      const taker = takers.shift()
      if (taker) taker(message)
      else messages.push(message)
    },
    waiting: () => messages.length,
    async next(): Promise<Message> {
      const first = messages.shift()
      if (first) return first
      return new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('no message came within 100 s')), 100_000)
        takers.push(message => {
          clearTimeout(limit)
          resolve(message)
        })
      })
    },
  }
}

/** The next message about a lease. What comes for leases that the test has ended is skipped. */
export const nextFor = async (peer: Peer, lease: string): Promise<Message> => {
  for (;;) {
    const message = await peer.next()
    if (message.lease === lease) return message
  }
}

export type Peer = { next(): Promise<Message>; waiting(): number; send(message: Message): void }

/** Starts python3 with the modules of `python/` at hand. What it writes to standard error is collected. */
export const startPython = (
  t: Test,
  args: string[],
  options: { variables?: Record<string, string> } = {},
) => {
  const child = spawn(python, args, {
    env: {
      ...process.env,
      PYTHONPATH: folder,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
      ...options.variables,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let errors = ''
  child.stderr?.on('data', data => {
    errors += data
  })
  t.teardown(() => end(child))
  return { child, errors: () => errors }
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Writes a file of the test, and gives its path. */
export const fileOf = (t: Test, name: string, text: string): string => {
  const file = path.join(t.testdir(), name)
  writeFileSync(file, text)
  return file
}

/** Starts a host of one file. */
export const startHost = (t: Test, file: string) => {
  const { child, errors } = startPython(t, ['-m', 'reprise_agent', file])
  const inbox = createInbox()
  if (child.stdout) createInterface({ input: child.stdout }).on('line', line => inbox.put(JSON.parse(line)))
  const send = (message: Message): void => {
    child.stdin?.write(`${JSON.stringify(message)}\n`)
  }
  return { ...inbox, send, child, errors }
}

/** Starts a host, and answers its hello. */
export const hostOf = async (t: Test, file: string) => {
  const host = startHost(t, file)
  const hello = await host.next()
  if (hello.type !== 'hello') throw new Error(JSON.stringify(hello))
  const agent = hello.agents[0].name as string
  host.send({ type: 'welcome', agents: [agent], refused: [] })
  return { ...host, hello, agent }
}

let begun = 0
/** A message `begin`. */
export const beginOf = (agent: string, more: Message = {}): Message => ({
  type: 'begin',
  lease: `l_${++begun}`,
  task: 'task_1',
  session: 's1',
  agent,
  version: '1',
  input: { text: 'hello', content: 'hello', items: [] },
  config: {},
  vars: {},
  seed: '7/3',
  at: 1000,
  ...more,
})

/** An entry as the server stores it. */
export const storedOf = ({ do: kind, name, digest }: Message): Message => ({
  do: kind,
  ...(name !== undefined && { name }),
  digest,
})
