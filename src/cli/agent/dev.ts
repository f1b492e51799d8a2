// reprise dev: a server for a folder of agents while somebody writes them. It tells which files are loaded, and what is wrong with
// the others. Without a model of one's own, a fake model answers.
import path from 'node:path'
import { readAgentFolder } from '../../agent-hosts/folder.ts'
import { builtinNames } from '../../agents/names.ts'
import type { Config } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Report } from '../../contract/ports.ts'
import type { OwnUsers } from '../../environments/protection.ts'
import { modelName } from '../../fake-model/player.ts'
import { startFakeModel } from '../../fake-model/server.ts'
import { isFolder } from '../../platform/files/make-folder.ts'
import { shellWord } from '../../platform/shell-word.ts'
import type { Server } from '../../start/server.ts'
import { serveUntilStopped } from '../serve.ts'
import { exportOf } from '../server/server.ts'
import { called } from '../terminal/called.ts'
import { consoleLine, modelLine } from '../terminal/greeting.ts'
import { createPrinter, type Printer, type Style } from '../terminal/printer.ts'

type Options = { port?: string; color: boolean }
type Fields = { agent?: unknown; file?: unknown; error?: unknown; reason?: unknown; line?: unknown }

/** How people see the lines of the server about agents. Each has the text by which the server reports it. */
const lines: Record<string, (fields: Fields, again: boolean) => [text: string, style: Style]> = {
  'an agent is loaded': (_, again) => [again ? 'is loaded again' : 'is loaded', 'plain'],
  'an agent cannot be loaded': ({ error }) => [`cannot be loaded: ${error}`, 'red'],
  'the host of an agent has ended, and is started again': ({ reason }) => [
    `is started again: ${reason}`,
    'red',
  ],
  'the file of an agent was removed': () => ['is removed', 'plain'],
  'an agent wrote to standard error': ({ line }) => [`| ${line}`, 'dim'],
}

/** Tells what happens to agents in a line of its own. Everything else goes to the lines for the operator. */
const tellingAgents =
  (printer: Printer) =>
  (report: Report): Report => {
    const loaded = new Set<string>()
    return (level, message, fields = {}) => {
      const line = Object.hasOwn(lines, message) ? lines[message] : undefined
      const { agent } = fields as Fields
      if (line === undefined || typeof agent !== 'string') return report(level, message, fields)
      const [text, style] = line(fields as Fields, loaded.has(agent))
      if (message === 'an agent is loaded') loaded.add(agent)
      void printer.rows([printer.paint(`${agent} ${text}`, style)])
    }
  }

/** What the code of agents may write, where that is not what the user of the server may. */
const rights: { [users in OwnUsers]?: string[] } = {
  all: [
    'Rights     agents have user ids of their own: their code writes only where every user may, such as /tmp',
  ],
  some: [
    'Rights     agents that do not run as root (see the warnings) write only where every user may, such as /tmp',
  ],
}

const greet =
  (folder: string, isFake: boolean) =>
  (config: Config, server: Server): string => {
    const url = config.publicUrl?.href ?? server.url
    const agent = readAgentFolder(folder, builtinNames).agents[0]?.name ?? 'NAME'
    return [
      `Console    ${consoleLine(url, server)}`,
      `API        ${url}/v1`,
      `Agents     ${folder} (a file that changes is loaded again)`,
      `Model      ${isFake ? 'a fake one with plausible answers (set MODEL_BASE_URL and MODEL to use another)' : modelLine(config)}`,
      `Data       ${config.dataDir}`,
      ...(rights[server.ownUsers] ?? []),
      '',
      'In another terminal, one line after the other:',
      exportOf(config, server.url),
      `${called} try "hello" --agent ${agent}`,
      '',
    ].join('\n')
  }

export const dev = async (given: string, { port, color }: Options): Promise<void> => {
  const folder = path.resolve(given)
  if (!isFolder(folder))
    throw new CannotStart(
      `${given} is no folder: ${called} agent new NAME --folder ${shellWord(given)} makes it, with an agent`,
    )
  const { stdout: out, stderr: err, env } = process
  const isFake = !env.MODEL_BASE_URL
  // It ends with this process.
  const model = isFake ? await startFakeModel() : undefined
  await serveUntilStopped({
    variables: {
      ...env,
      ...(model === undefined ? {} : { MODEL_BASE_URL: `${model.url}/v1`, MODEL: modelName }),
      ...(port === undefined ? {} : { PORT: port }),
      // Not the folder of `reprise serve`: a fake model would go on with its tasks.
      DATA_DIR: env.DATA_DIR || 'data-dev',
      AGENT_PATH: folder,
    },
    reportOf: tellingAgents(createPrinter({ out, err, env, colours: color })),
    greet: greet(folder, isFake),
  })
}
