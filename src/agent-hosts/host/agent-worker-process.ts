// A worker for files of agents: loads them, and connects to the server as any worker does. Its first argument is JSON: name, slots,
// and the paths of the files. REPRISE_URL and REPRISE_TOKEN name the server.
import path from 'node:path'
import { WorkerRefused, worker } from '../../../library/agent/worker.ts'
import { versionOfFile } from '../folder.ts'
import { loadAgent } from './load.ts'

type Given = { name: string; slots: number; files: string[] }

const { name, slots, files } = JSON.parse(process.argv[2] ?? '') as Given
const { REPRISE_URL: url = '', REPRISE_TOKEN: token = '' } = process.env
const warn = (line: string) => process.stderr.write(`reprise: ${line}\n`)
const fail = (line: string, code: number): never => {
  warn(line)
  process.exit(code)
}

// It ends with the command that has started it.
process.stdin.on('close', () => process.exit(1)).resume()

const agents = new Map<string, Awaited<ReturnType<typeof loadAgent>>>()
for (const file of files) {
  try {
    const definition = await loadAgent(file)
    agents.set(
      path.parse(file).name,
      Object.assign(definition, { version: definition.version ?? versionOfFile(file) }),
    )
  } catch (error) {
    warn(`${path.basename(file)} cannot be loaded: ${(error as Error).message}`)
  }
}
if (agents.size === 0) fail('none of the files can be loaded', 2)
try {
  const { refused } = await worker({ url, token, name, slots, agents: Object.fromEntries(agents) })
  const served = [...agents.keys()].filter(agent => !refused.some(one => one.name === agent))
  process.stdout.write(`${name} is connected to ${url}, and serves ${served.join(', ')}\n`)
} catch (error) {
  const isTheirs = error instanceof WorkerRefused || error instanceof TypeError
  fail(isTheirs ? error.message : String((error as Error).stack), isTheirs ? 2 : 1)
}
