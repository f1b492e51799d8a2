// reprise witness: serves a witness until a signal stops it.
import { once } from 'node:events'
import { CannotStart } from '../../contract/cannot-start.ts'
import { stopSignals } from '../../platform/signals.ts'
import { readVerifierKey, type VerifierKey } from '../../proof/note/keys.ts'
import { witnessKey } from '../../proof/witness/key.ts'
import { serveWitness } from '../../proof/witness/serve.ts'
import { openWitnessState } from '../../proof/witness/state.ts'
import { createWitness } from '../../proof/witness/witness.ts'
import { createReport } from '../terminal/report.ts'

type Options = { state: string; key: string; log: string[]; name: string }

const addressOf = (text: string): { host: string; port: number } => {
  const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? []
  if (host === '' || Number(port) > 65_535) throw new CannotStart(`${text} is no address: write HOST:PORT`)
  return { host, port: Number(port) }
}
const logKeyOf = (text: string): VerifierKey => {
  try {
    // A line of GET /v1/audit/public-key ends with the size of the first tree that the key signs.
    return readVerifierKey(text.trim().split(' ')[0] ?? '')
  } catch (error) {
    throw new CannotStart(`--log ${text}: ${(error as Error).message}`)
  }
}

export const runWitness = async (address: string, { state, key, log, name }: Options): Promise<void> => {
  const where = addressOf(address)
  const logs = log.map(logKeyOf)
  const signing = witnessKey(key, name)
  const report = createReport('warn')
  const witness = createWitness({ key: signing, logs, state: openWitnessState(state), now: Date.now })
  const origins = logs.map(known => known.name)
  const server = serveWitness(witness, origins, report)
  server.listen(where.port, where.host)
  await once(server, 'listening').catch(error => {
    throw new CannotStart(`the witness cannot listen on ${address}: ${error.message}`)
  })
  const listening = server.address()
  const port = typeof listening === 'object' && listening !== null ? listening.port : where.port
  process.stdout.write(
    `witness  http://${where.host.includes(':') ? `[${where.host}]` : where.host}:${port}\n`,
  )
  process.stdout.write(`key      ${signing.verifier.text}\n`)
  for (const origin of new Set(origins)) process.stdout.write(`log      ${origin}\n`)
  const stop = () => {
    server.close(() => process.exit(0))
    server.closeIdleConnections()
  }
  for (const signal of stopSignals) process.once(signal, stop)
}
