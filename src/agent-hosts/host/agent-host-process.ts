// Runs the agent of one file: loads it, sends the hello, and takes the messages of the server.
import path from 'node:path'
import { createAgentHost } from '../../../library/agent/host.ts'
import { journalHere } from '../../../library/agent/journal.ts'
import { endAll, watchParent } from '../../platform/programs/program-end.ts'
import { takeStdio } from '../../platform/programs/program-stdio.ts'
import { loadAgent } from './load.ts'

const { send, onLine, onEnd } = takeStdio()
onEnd(endAll)
const warn = (line: string) => process.stderr.write(`${line}\n`)

const file = path.resolve(process.argv[2] ?? '')
const definition = await loadAgent(file).catch((error: Error) => {
  send(JSON.stringify({ type: 'failed', message: error.message }))
  process.exit(1)
})
const host = createAgentHost({
  agents: new Map([[path.parse(file).name, definition]]),
  send,
  hasRoom: () => true, // to write a line waits until the server has read enough
  warn,
})
// An error that nothing catches ends the task that it comes from. An error of no task is only told.
process.on('unhandledRejection', error => {
  const journal = journalHere()
  if (journal === undefined)
    warn(`an error was not caught: ${error instanceof Error ? error.stack : String(error)}`)
  else journal.fail(error)
})
process.on('SIGTERM', () => void host.stop().then(endAll))
onLine(line => host.take(JSON.parse(line)))
send(host.hello())
watchParent()
