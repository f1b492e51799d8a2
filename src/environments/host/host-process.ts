// Runs the environments of one JavaScript module: loads it, sends the hello, and answers requests.

import { endAll, watchParent } from '../../platform/programs/program-end.ts'
import { takeStdio } from '../../platform/programs/program-stdio.ts'
import { protocolVersion } from '../protocol.ts'
import { jsonOf, messageOf } from './json.ts'
import { describe, loadClasses } from './load.ts'
import { createHostServer } from './serve.ts'

const { send, onLine, onEnd } = takeStdio()
onEnd(endAll)

const fail = (error: unknown): never => {
  send(jsonOf({ method: 'failed', params: { message: messageOf(error) } }))
  process.exit(1)
}
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

const file = process.argv[2] ?? ''
const classes = await loadClasses(file).catch((error: Error) => fail(`${error.name}: ${messageOf(error)}`))
onLine(createHostServer(classes, send))
send(jsonOf({ method: 'hello', params: { protocol: protocolVersion, classes: classes.map(describe) } }))
watchParent()
