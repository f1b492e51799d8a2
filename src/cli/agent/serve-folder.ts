// reprise agent serve: a worker for the files of a folder. Files of Node and files in Python have a process each, which connects to
// the server with the library of its language.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAgentFolder } from '../../agent-hosts/folder.ts'
import { builtinNames } from '../../agents/names.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { built } from '../../platform/built.ts'
import { isFolder } from '../../platform/files/make-folder.ts'
import { called } from '../terminal/called.ts'

type Options = { url?: string; token?: string; name?: string; slots: string }
/** The programs of a worker, and what they are started with. */
type Program = { command: string; args: string[]; env: NodeJS.ProcessEnv }

const python = (name: string): string => fileURLToPath(built(`python/${name}`))

const programFor = (isPython: boolean): Program => {
  const { env } = process
  if (!isPython)
    return { command: process.execPath, args: [fileURLToPath(built('agent-worker-process.mjs'))], env }
  const place = [path.dirname(python('reprise_agent.py')), env.PYTHONPATH]
    .filter(Boolean)
    .join(path.delimiter)
  return { command: 'python3', args: [python('reprise_worker.py')], env: { ...env, PYTHONPATH: place } }
}

const filesIn = (given: string): string[] => {
  if (!isFolder(given)) throw new CannotStart(`${given} is no folder`)
  const { agents, problems } = readAgentFolder(path.resolve(given), builtinNames)
  for (const { file, problem } of problems)
    process.stderr.write(`reprise: ${file} is no agent: it ${problem}\n`)
  if (agents.length > 0) return agents.map(({ file }) => file)
  throw new CannotStart(`there is no agent in ${given}: ${called} agent new makes one`)
}

const settingsOf = ({ url, token, name, slots }: Options) => {
  const address = url ?? process.env.REPRISE_URL
  if (!address || !URL.canParse(address))
    throw new CannotStart(
      'the address of the server is missing: give --url or set REPRISE_URL, for example https://reprise.example.com',
    )
  const secret = token ?? process.env.REPRISE_TOKEN
  if (!secret)
    throw new CannotStart(
      `a token is missing: give --token or set REPRISE_TOKEN. ${called} token create --role worker makes one`,
    )
  const count = Number(slots)
  if (!Number.isInteger(count) || count < 1 || count > 10_000)
    throw new CannotStart(`--slots ${slots} is not a whole number from 1 to 10000`)
  return { url: address, token: secret, name: name ?? `${hostname()}-${process.pid}`, slots: count }
}

export const serveFolder = async (given: string, options: Options): Promise<void> => {
  const { url, token, name, slots } = settingsOf(options)
  const files = filesIn(given)
  const isPython = (file: string) => path.extname(file) === '.py'
  const parts = [files.filter(file => !isPython(file)), files.filter(isPython)].filter(
    part => part.length > 0,
  )

  const running = new Set<ChildProcess>()
  let isStopping = false
  /** Each process finishes its side effects, gives its tasks back, and ends. */
  const stop = () => {
    isStopping = true
    for (const child of running) child.kill('SIGTERM')
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!isStopping)
        process.stderr.write('the worker finishes its side effects, and gives its tasks back\n')
      stop()
    })
  process.once('exit', () => {
    for (const child of running) child.kill('SIGKILL')
  })

  const run = async (part: string[]): Promise<number> => {
    const { command, args, env } = programFor(isPython(part[0] ?? ''))
    // Ctrl-C at a terminal goes to this process alone, which passes it on as SIGTERM.
    // The list of processes shows arguments to every user of the machine, so the token is a variable.
    const child = spawn(command, [...args, JSON.stringify({ name, slots, files: part })], {
      env: { ...env, REPRISE_URL: url, REPRISE_TOKEN: token },
      detached: true,
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    running.add(child)
    const [code, signal] = (await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
      throw new CannotStart(
        error.code === 'ENOENT'
          ? `${command} was not found on PATH`
          : `a worker cannot be started: ${error.message}`,
      )
    })) as [number | null, NodeJS.Signals | null]
    running.delete(child)
    // A worker of Node that was asked to stop ends by the signal, after it has given its tasks back.
    return isStopping && signal === 'SIGTERM' ? 0 : (code ?? 1)
  }
  /** When one of them ends, the others end too: a supervisor starts all of them again. */
  const codes = await Promise.all(
    parts.map(async part => {
      const code = await run(part)
      stop()
      return code
    }),
  )
  process.exitCode = Math.max(...codes)
}
