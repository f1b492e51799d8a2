// A server from sources that kills itself where it is told to: {of, point, name?, nth} by IPC, or after so many
// points of any kind: {reaches}.
import { readConfig } from '../../src/config.ts'
import type { KillPoint, Reach } from '../../src/contract/tools.ts'
import { startServer } from '../../src/start/server.ts'

export type Order =
  | { of: string; point: KillPoint; name?: string; nth: number }
  | { reaches: number }
  | undefined

let order: Order
let seen = 0
process.on('message', (given: Order) => {
  order = given
  seen = 0
  process.send?.({ armed: true })
})
process.on('disconnect', () => process.exit())

const reach: Reach = (point, of, name) => {
  if (order === undefined) return
  const due =
    'reaches' in order ||
    (order.of === of && order.point === point && (order.name === undefined || order.name === name))
  if (due && ++seen === ('reaches' in order ? order.reaches : order.nth)) process.kill(process.pid, 'SIGKILL')
}
const server = await startServer(
  readConfig(process.env),
  (level, message, fields) => process.stderr.write(`${level} ${message} ${JSON.stringify(fields ?? {})}\n`),
  { reach },
)
process.send?.({ url: server.url })
