// A witness signs what a log proves, and nothing else; and a log waits for no witness.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openCheckpoint, originOf, signCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { makeSigningKey, readVerifierKey, type VerifierKey } from '../../src/proof/note/keys.ts'
import { readNote } from '../../src/proof/note/note.ts'
import { signersOf } from '../../src/proof/note/signing.ts'
import { consistencyProof } from '../../src/proof/tree/proofs.ts'
import { rootOf } from '../../src/proof/tree/subtrees.ts'
import { witnessKey } from '../../src/proof/witness/key.ts'
import { readAddCheckpoint, writeAddCheckpoint } from '../../src/proof/witness/request.ts'
import { serveWitness } from '../../src/proof/witness/serve.ts'
import { openWitnessState } from '../../src/proof/witness/state.ts'
import { createWitness } from '../../src/proof/witness/witness.ts'
import { type Api, serveHere } from '../support/server.ts'
import { fullOf, provesNothing, someLeaves } from './trees.ts'

const origin = originOf('log_1')
const key = makeSigningKey(origin, 'note')
const signing = makeSigningKey('witness.example', 'cosignature')
const leaves = someLeaves(20)
const full = fullOf(leaves)

const noteOf = (size: number, signer = key, tree = full, of = origin) =>
  signCheckpoint({ origin: of, size, root: rootOf(size, tree) }, [signer])
const asking = (old: number, size: number, note = noteOf(size), proof = consistencyProof(old, size, full)) =>
  writeAddCheckpoint({ old, proof, note })
const witnessIn = (file: string) =>
  createWitness({
    key: signing,
    logs: [key.verifier],
    state: openWitnessState(file),
    now: () => 1_700_000_000_500,
  })

t.test('a witness signs a log that grows, and remembers it after a restart', async t => {
  const file = path.join(t.testdir({}), 'state')
  const first = witnessIn(file).add(asking(0, 5))
  t.equal(first.status, 200)
  const { text } = readNote(noteOf(5))
  t.same(signersOf(readNote(`${text}\n${first.text}`), [signing.verifier]), [signing.verifier])
  const witness = witnessIn(file)
  t.same(witness.add(asking(0, 9)), { status: 409, text: '5\n', isSize: true })
  t.equal(witness.add(asking(5, 9)).status, 200)
  t.equal(witness.add(asking(9, 9)).status, 200, 'the same again')
  const kept = openCheckpoint(witness.newest(origin) ?? '', origin, [key.verifier, signing.verifier])
  t.match(kept, { size: 9, signers: { length: 2 } })
})

t.test('a witness refuses what a log does not prove', async t => {
  const witness = witnessIn(path.join(t.testdir({}), 'state'))
  t.equal(witness.add(asking(0, 5)).status, 200)
  const forked = fullOf(someLeaves(20, 'fork'))
  const other = makeSigningKey(origin, 'note')
  const refusals: [number, string, string][] = [
    [422, asking(5, 9, noteOf(9, key, forked)), 'another history'],
    [422, asking(5, 5, noteOf(5, key, forked)), 'another root of the same size'],
    [422, asking(5, 9, noteOf(9), []), 'no proof'],
    [409, asking(4, 9), 'another old size'],
    [400, asking(5, 4, noteOf(4), []), 'a log that shrinks'],
    [403, asking(5, 9, noteOf(9, other)), 'another key'],
    [403, asking(5, 9, noteOf(9).replace('\n9\n', '\n10\n')), 'a changed note'],
    [404, asking(5, 9, noteOf(9, makeSigningKey('b', 'note'), full, 'b')), 'another log'],
    [400, 'old 5\n', 'half a request'],
    [400, `old 05\n\n${noteOf(9)}`, 'a size with a zero before it'],
    [400, `old 5\nnonsense\n\n${noteOf(9)}`, 'a hash that is none'],
    [400, '', 'nothing'],
  ]
  for (const [status, asked, about] of refusals) t.equal(witness.add(asked).status, status, about)
  t.equal(witness.add(asking(5, 9)).status, 200, 'and goes on with the true log')
  t.same(readAddCheckpoint(asking(5, 9)).old, 5)
  t.ok(provesNothing(() => readAddCheckpoint(`old 1\n${'x\n'.repeat(64)}\n${noteOf(9)}`)))
})

/** A witness of this log on a free port. */
const servedWitness = async (t: Test, log: VerifierKey) => {
  const folder = t.testdir({})
  const own = witnessKey(path.join(folder, 'key'), 'witness.example')
  t.equal(witnessKey(path.join(folder, 'key'), 'other').verifier.text, own.verifier.text, 'the key is kept')
  const state = openWitnessState(path.join(folder, 'state'))
  const witness = createWitness({ key: own, logs: [log], state, now: Date.now })
  const server = serveWitness(witness, [log.name], () => {})
  return { server, key: own.verifier, witness }
}
const checkpointWith = async (api: Api, log: VerifierKey, witness: VerifierKey) => {
  for (;;) {
    const text = await (await api('GET', '/audit/checkpoint')).text()
    const checkpoint = openCheckpoint(text, log.name, [log, witness])
    if (checkpoint.signers.length === 2) return checkpoint
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

t.test('a server whose witness is away works, and has its signature when it is back', async t => {
  // The witness gets its port before the server knows its key, and answers later.
  let answer: ((request: never, response: never) => void) | undefined
  const { createServer } = await import('node:http')
  const door = createServer((request, response) => {
    if (answer === undefined) response.destroy()
    else answer(request as never, response as never)
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  t.teardown(() => door.close())
  const { port } = door.address() as AddressInfo
  const { api, lines, url } = await serveHere(t, { WITNESS_URLS: `http://127.0.0.1:${port}/` })
  const task = { user_message_content: 'hello', client_id: 'echo', stream: false }
  t.equal((await api('POST', '/tasks', task)).status, 200)
  const log = readVerifierKey((await (await api('GET', '/audit/public-key')).text()).split(' ')[0] ?? '')
  t.equal(
    openCheckpoint(await (await api('GET', '/audit/checkpoint')).text(), log.name, [log]).signers.length,
    1,
  )
  const metrics = async () => (await fetch(`${url}/metrics`)).text()
  t.match(await metrics(), /reprise_witness_lag_positions\{witness="127\.0\.0\.1:\d+"\} [1-9]/)

  const { server, key: witness } = await servedWitness(t, log)
  answer = (request, response) => void server.emit('request', request, response)
  const found = await checkpointWith(api, log, witness)
  t.ok(found.size > 0)
  t.match(
    lines.filter(({ message }) => message.includes('witness')),
    [{ level: 'warn', message: 'a witness has not signed a checkpoint; the server tries again' }],
  )
  const { hash } = await import('node:crypto')
  const kept = await fetch(`http://127.0.0.1:${port}/${hash('sha256', log.name, 'hex')}/checkpoint`)
  t.equal(openCheckpoint(await kept.text(), log.name, [witness]).size, found.size)
})
