// Runs one bash command. When it ends, kills its process group. Every process in a sandbox ends with the sandbox.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Writable } from 'node:stream'
import { processGivesWay } from '../../../platform/threads/give-way.ts'
import type { Launch } from './launch.ts'
import { createOutput } from './output.ts'

export type Ended = {
  output: string
  /** 128 + the number of the signal if a signal ended the command, as in a shell. */
  exit_code: number
  timed_out: boolean
  /** Whether the command was ended because it printed more than `maxOutput`. */
  flooded: boolean
  /** Whether a part of the output is missing in `output`. */
  cut: boolean
}
type Watch = { emit(text: string): void; signal: AbortSignal }

/** A command that prints more bytes than this is ended. */
const maxOutput = 64 << 20
/** After the end of the command, its last output is awaited for at most this many milliseconds. */
const patienceMs = 1_000

const kill = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}

/** Resolves when the command has ended and its group is killed. Rejects if it was stopped or cannot be started. */
export const run = async (
  { file, args, env, cwd, input }: Launch,
  timeoutMs: number,
  { emit, signal }: Watch,
): Promise<Ended> => {
  if (signal.aborted) throw new Error('The command was stopped')
  const child = spawn(file, args, {
    env,
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) processGivesWay(child.pid)
  const output = createOutput(emit)
  const stop = () => kill(child)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop)
  const closed = once(child, 'close').catch(() => {})
  child.stdout?.on('data', (chunk: Buffer) => {
    output.add(chunk)
    if (output.size() > maxOutput) stop()
  })
  const [life, words] = child.stdio.slice(3) as [Writable, Writable]
  for (const pipe of [life, words]) pipe.on('error', () => {}) // the process may end before it has read everything
  words.end(input)
  try {
    const [code, name] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    stop() // ends the processes in the background
    // A process that has left the group keeps the pipe open, so the wait for the end of the pipe is limited.
    const patience = setTimeout(() => child.stdout?.destroy(), patienceMs)
    life.destroy()
    words.destroy()
    await closed
    clearTimeout(patience)
    if (signal.aborted) throw new Error('The command was stopped')
    const flooded = output.size() > maxOutput
    const exit_code = code ?? 128 + (name === null ? 0 : constants.signals[name])
    return { ...output.end(), exit_code, timed_out: timedOut, flooded }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
