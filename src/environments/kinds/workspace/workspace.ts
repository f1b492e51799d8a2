// A folder of files for each session, with tools to read, write and search them, and a shell.
import { mkdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type {
  Environment,
  EnvironmentClass,
  OpenObject,
  Recovery,
  SnapshotContext,
  StepContext,
  StepResult,
} from '../../../contract/environment.ts'
import type { Sandbox } from '../../sandbox.ts'
import { allowUnsandboxed, bubblewrapProgram } from '../../sandbox-variables.ts'
import { findBelow } from '../shared/kept/found.ts'
import { createKept, type Kept, type Reference } from '../shared/kept/kept.ts'
import type { Schema } from '../shared/schema.ts'
import { toolbox } from '../shared/toolbox.ts'
import { listFiles, patchFile, readFile, writeFile } from './files.ts'
import { launchOf } from './launch.ts'
import { search } from './search.ts'
import { filesOf, parameters, unlessEnv } from './settings.ts'
import { type Ended, run } from './shell.ts'
import { empty, keep, limits } from './snapshot.ts'
import { goOn, walk } from './walk.ts'

/** A search may take at most this many milliseconds. */
const searchMs = 5_000
/** A command may take at most this many seconds. */
const longestSeconds = 120
/** An observation names at most this many files. */
const maxListedFiles = 1_000
const file: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 4_096,
  description: 'The path of the file, relative to the workspace.',
}

const toldOf = ({ output, exit_code, timed_out, flooded }: Ended, seconds: number): string => {
  const ending = timed_out
    ? `[Stopped after ${seconds} s]`
    : flooded
      ? '[Stopped: it printed more than 64 MiB]'
      : exit_code === 0
        ? ''
        : `[Exit code ${exit_code}]`
  return [output.replace(/\n$/, ''), ending].filter(part => part !== '').join('\n') || '(no output)'
}

export class Workspace implements Environment {
  static readonly recovery: Recovery = 'snapshot'
  static readonly description =
    'A folder of files of its own, with tools to read, write, change and search them, and a shell in a sandbox ' +
    'without a network.'
  static readonly parameters = parameters
  static readonly limits =
    `A workspace is kept with up to ${limits.entries} files and folders and ${limits.bytes >> 30} GiB of files; ` +
    'pipes, sockets and devices are not kept. A shell command takes at most ' +
    `${longestSeconds} s, a process 4 GiB of addresses, a file that it writes 256 MiB.`
  /** The time limit of a step, in milliseconds. It is longer than any command may take. */
  static readonly stepTimeoutMs = (longestSeconds + 10) * 1_000

  readonly #kwargs: OpenObject
  readonly #root: string
  readonly #kept: Kept
  readonly #bubblewrap = process.env[bubblewrapProgram]
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  constructor(kwargs: OpenObject, { dir, env_vars }: { dir: string; env_vars: Record<string, string> }) {
    this.#kwargs = kwargs
    filesOf(kwargs)
    unlessEnv(env_vars)
    if (this.#bubblewrap === undefined && process.env[allowUnsandboxed] !== '1') {
      throw new Error('There is no sandbox for shell commands, and they are not run without one')
    }
    const root = path.join(dir, 'files')
    mkdirSync(root, { recursive: true })
    this.#root = realpathSync(root)
    this.#kept = createKept(path.join(dir, 'kept'))
  }

  readonly #tools = toolbox({
    read_file: {
      description:
        'Reads a text file (UTF-8) and gives its lines. Of a long file it gives a part and says which lines those are.',
      required: { path: file },
      optional: {
        offset: { type: 'integer', minimum: 1, default: 1, description: 'The first line, counted from 1.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: 2_000,
          description: 'How many lines.',
        },
      },
      run: ({ path: given, offset, limit }) => ({
        content: readFile(this.#root, given as string, offset as number, limit as number),
      }),
    },
    write_file: {
      description:
        'Writes a text file as a whole; folders that are missing are made, a file that exists is replaced.',
      required: {
        path: file,
        content: { type: 'string', maxLength: 4 << 20, description: 'The whole text of the file.' },
      },
      run: ({ path: given, content }) => ({
        content: writeFile(this.#root, given as string, content as string),
      }),
    },
    patch_file: {
      description:
        'Changes a part of a text file: the text old, which must occur exactly once, becomes new. Give enough of the ' +
        'lines around it to make it the only one.',
      required: {
        path: file,
        old: {
          type: 'string',
          minLength: 1,
          description: 'The text to be replaced, character by character.',
        },
        new: { type: 'string', description: 'The text that takes its place; empty to remove it.' },
      },
      run: ({ path: given, old, new: fresh }) => ({
        content: patchFile(this.#root, given as string, old as string, fresh as string),
      }),
    },
    list_files: {
      description:
        'Lists what is in a folder, one name a line, sorted: folders end with a slash, files say their size. At most ' +
        '1000 entries.',
      optional: {
        path: { ...file, default: '.', description: 'The folder. The workspace itself when left out.' },
      },
      run: ({ path: given }) => ({ content: listFiles(this.#root, given as string) }),
    },
    search: {
      description:
        'Searches text files line by line for a regular expression and gives the lines that match as "file:line: ' +
        'text". At most 200 matches; leaves out binary files, files larger than 4 MiB, and symbolic links.',
      required: {
        pattern: {
          type: 'string',
          minLength: 1,
          maxLength: 1_000,
          description: 'A JavaScript regular expression without slashes and flags, for example: TODO|FIXME',
        },
      },
      optional: {
        path: {
          ...file,
          default: '.',
          description: 'The folder or file to search. Everything when left out.',
        },
      },
      run: ({ pattern, path: given }) => ({
        content: search(this.#root, pattern as string, given as string, searchMs),
      }),
    },
    shell: {
      description:
        'Runs a command with bash in the workspace and gives what it prints, standard error included. It starts anew ' +
        'each time: only files in the workspace stay, and what runs in the background ends with the command. There ' +
        'is no input and usually no network.',
      required: {
        command: { type: 'string', minLength: 1, maxLength: 32_768, description: 'What bash -c is given.' },
      },
      optional: {
        timeout_s: {
          type: 'number',
          minimum: 0.1,
          maximum: longestSeconds,
          default: 30,
          description: 'Seconds after which it is stopped.',
        },
      },
      run: ({ command, timeout_s }, context) => this.#shell(command as string, timeout_s as number, context),
    },
  })

  get #sandbox(): Sandbox {
    return this.#bubblewrap === undefined ? 'limits' : 'bubblewrap'
  }

  reset(_seed: number, options: OpenObject): OpenObject {
    const files = filesOf({ ...this.#kwargs, ...options })
    empty(this.#root)
    for (const [name, content] of Object.entries(files)) writeFile(this.#root, name, content)
    return this.observe()
  }

  step(tool: string, args: OpenObject, context: StepContext): StepResult | Promise<StepResult> {
    return this.#tools.call(tool, args, context)
  }

  observe(): OpenObject {
    const files: OpenObject[] = []
    let [count, bytes] = [0, 0]
    for (const { path: name, stats } of walk(this.#root, goOn)) {
      if (stats.isDirectory()) continue
      const size = stats.isFile() ? stats.size : 0
      count++
      bytes += size
      if (count > maxListedFiles) continue
      const mode = (stats.mode & 0o777).toString(8)
      files.push({ path: name, ...(stats.isFile() ? { size } : { special: true }), mode })
    }
    return { files, file_count: count, size_bytes: bytes, sandbox: this.#sandbox }
  }

  tools() {
    return this.#tools.definitions()
  }

  snapshot(context: SnapshotContext): { kept: Reference } {
    return { kept: keep(this.#kept, this.#root, context) }
  }

  restore(data: unknown): void {
    const { kept } = data as { kept: Reference }
    this.#kept.restore(this.#root, [...findBelow(this.#root).all()], kept)
  }

  /** Ends processes that still run. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.allSettled(this.#running)
  }

  async #shell(
    command: string,
    seconds: number,
    { emit, signal, env_vars }: StepContext,
  ): Promise<StepResult> {
    if (command.includes('\0')) throw new Error('command cannot hold a NUL character')
    unlessEnv(env_vars)
    const wanted = { command, seconds, root: this.#root, env_vars }
    const running = run(launchOf(this.#bubblewrap, wanted), seconds * 1_000, {
      emit,
      signal: AbortSignal.any([signal, this.#ending.signal]),
    })
    this.#running.add(running)
    try {
      const ended = await running
      const { output: _, ...outcome } = ended
      return { content: toldOf(ended, seconds), info: { ...outcome, sandbox: this.#sandbox } }
    } finally {
      this.#running.delete(running)
    }
  }
}

export default Workspace satisfies EnvironmentClass
