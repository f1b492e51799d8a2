// The scripted host as a process for one file: the file is JSON, and says what is different about the hello.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createTake } from './take.ts'

const send = message => process.stdout.write(`${JSON.stringify(message)}\n`)
const { failed, ...agent } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
if (failed !== undefined) {
  send({ type: 'failed', message: `${process.argv[2]}: ${failed}` })
  process.exit(1)
}
send({
  type: 'hello',
  protocol: 1,
  slots: 4,
  agents: [{ name: 'any', kind: 'function', ...agent }],
})
const take = createTake(send, text => process.stdout.write(`${text}\n`))
createInterface({ input: process.stdin }).on('line', line => take(JSON.parse(line)))
process.stdin.on('close', () => process.exit(0))
