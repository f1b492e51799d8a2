// Tools that the editor runs: it reads and writes files as its user sees them, and shows a terminal.
import path from 'node:path'
import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type ToolCallContent,
} from '@agentclientprotocol/sdk'
import type { ToolDefinition } from '../../../library/client/index.ts'
import type { Place } from './session.ts'

type Arguments = Record<string, unknown>
/** `show`: shows something with the call. `signal` aborts when nobody wants the result any more. */
type Running = {
  client: AgentContext
  place: Place
  args: Arguments
  show: (content: ToolCallContent[]) => Promise<void>
  signal: AbortSignal
}
type EditorTool = {
  definition: ToolDefinition
  isThere: (capabilities: ClientCapabilities) => boolean
  run: (running: Running) => Promise<string>
}

/** The most bytes of a command's output. */
const outputLimit = 1_000_000

const string = (description: string) => ({ type: 'string', description })
const integer = (description: string) => ({ type: 'integer', minimum: 1, description })
const defined = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: string[],
): ToolDefinition => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties, required } },
})

const textIn = (args: Arguments, name: string): string => {
  const value = args[name]
  if (typeof value !== 'string') throw new Error(`the argument ${name} must be a text`)
  return value
}
const pathIn = ({ args, place }: Running): string => path.resolve(place.cwd, textIn(args, 'path'))

const readFile = async (running: Running): Promise<string> => {
  const { client, place, args } = running
  const { content } = await client.request(methods.client.fs.readTextFile, {
    sessionId: place.id,
    path: pathIn(running),
    ...(typeof args.line === 'number' ? { line: args.line } : {}),
    ...(typeof args.limit === 'number' ? { limit: args.limit } : {}),
  })
  return content
}

const writeFile = async (running: Running): Promise<string> => {
  const { client, place, args } = running
  const [file, content] = [pathIn(running), textIn(args, 'content')]
  await client.request(methods.client.fs.writeTextFile, { sessionId: place.id, path: file, content })
  await running.show([{ type: 'diff', path: file, newText: content }])
  return `Wrote ${file}`
}

const runCommand = async ({ client, place, args, show, signal }: Running): Promise<string> => {
  const terminal = await client.createTerminal({
    sessionId: place.id,
    command: textIn(args, 'command'),
    args: Array.isArray(args.args) ? args.args.map(String) : [],
    cwd: path.resolve(place.cwd, typeof args.cwd === 'string' ? args.cwd : '.'),
    outputByteLimit: outputLimit,
  })
  const kill = () => void terminal.kill().catch(() => {})
  signal.addEventListener('abort', kill)
  try {
    await show([{ type: 'terminal', terminalId: terminal.id }])
    const ended = await terminal.waitForExit()
    const { output } = await terminal.currentOutput()
    const how = ended.signal ? `ended by ${ended.signal}` : `exit code ${ended.exitCode ?? 'unknown'}`
    return `${output}\n(${how})`
  } finally {
    signal.removeEventListener('abort', kill)
    await terminal.release()
  }
}

const aPath = string('The path of the file, from the folder of the project.')
const tools: readonly EditorTool[] = [
  {
    definition: defined(
      'editor_read_file',
      'Reads a text file of the project in the editor, with changes that are not saved yet.',
      { path: aPath, line: integer('The first line.'), limit: integer('The number of lines.') },
      ['path'],
    ),
    isThere: ({ fs }) => fs?.readTextFile === true,
    run: readFile,
  },
  {
    definition: defined(
      'editor_write_file',
      'Writes a text file of the project in the editor.',
      { path: aPath, content: string('The whole text of the file.') },
      ['path', 'content'],
    ),
    isThere: ({ fs }) => fs?.writeTextFile === true,
    run: writeFile,
  },
  {
    definition: defined(
      'editor_run_command',
      'Runs a command in a terminal of the editor, and gives its output and its exit code.',
      {
        command: string('The program.'),
        args: { type: 'array', items: { type: 'string' }, description: 'Its arguments.' },
        cwd: string('The folder in which it runs, from the folder of the project.'),
      },
      ['command'],
    ),
    isThere: ({ terminal }) => terminal === true,
    run: runCommand,
  },
]

/** The tools that an editor can run. */
export const toolsOf = (capabilities: ClientCapabilities): ToolDefinition[] =>
  tools.filter(({ isThere }) => isThere(capabilities)).map(({ definition }) => definition)

/** The tool of this name, if the editor can run it. */
export const toolOf = (capabilities: ClientCapabilities, name: string) =>
  tools.find(({ definition, isThere }) => definition.function.name === name && isThere(capabilities))
