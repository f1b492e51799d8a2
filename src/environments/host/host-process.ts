// Runs the environments of one JavaScript module: loads it, sends the hello, and answers requests.

import { protocolVersion } from '../protocol.ts'
import { endAll, watchParent } from './end.ts'
import { jsonOf, messageOf } from './json.ts'
import { describe, loadClasses } from './load.ts'
import { createServer } from './serve.ts'
import { takeStdio } from './stdio.ts'

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
onLine(createServer(classes, send))
send(jsonOf({ method: 'hello', params: { protocol: protocolVersion, classes: classes.map(describe) } }))
watchParent()
