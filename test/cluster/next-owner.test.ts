// What goes on when another node owns the log: the proof of the log, erasures on both nodes, and long answers and forks
// that are asked for at the standby.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { folderOfSession } from '../../src/env-sessions/folders.ts'
import { unpack } from '../../src/platform/files/tar.ts'
import { isExportFile } from '../../src/proof/export/format.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { readVerifierKey } from '../../src/proof/note/keys.ts'
import { fromBase64 } from '../../src/proof/tree/hash.ts'
import { verifyConsistency, verifyInclusion } from '../../src/proof/tree/verify.ts'
import { filesWith } from '../erasure/support.ts'
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'
import { caughtUp, pairOfShards } from './shards-here.ts'
import { until } from './support.ts'

const word = 'a-secret-word'
const echo = { user_message_content: 'hello', client_id: 'echo', stream: false }
type Hashes = { leaf: string; leaf_index: number; hashes: string[] }

const textOf = async (api: Api, where: string): Promise<string> =>
  (await api('GET', `/audit/${where}`)).text()
const keyOf = async (api: Api): Promise<string> => (await textOf(api, 'public-key')).split(' ')[0] ?? ''
/** The newest checkpoint, once it covers so many events; checked with a key that the auditor has. */
const checkpointOf = async (api: Api, written: string, size: number) => {
  const key = readVerifierKey(written)
  for (;;) {
    const answer = await api('GET', '/audit/checkpoint')
    const found = answer.status === 200 ? openCheckpoint(await answer.text(), key.name, [key]) : undefined
    if (found !== undefined && found.size >= size) return found
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

t.test('an auditor with a checkpoint of the first owner can check that of the next one', async t => {
  const { one, two } = await pairOfShards(t)
  await one.api('POST', '/tasks', echo)
  const known = { key: await keyOf(one.api), head: one.local.last()?.position ?? 0 }
  const old = await checkpointOf(one.api, known.key, known.head)
  await caughtUp(two, one)
  await one.follow(two)
  await two.own()
  await two.api('POST', '/tasks', echo)
  t.equal(await keyOf(two.api), known.key, 'the next owner signs with the same key')
  const later = await checkpointOf(two.api, known.key, two.local.last()?.position ?? 0)
  t.ok(later.size > old.size)
  const consistency = JSON.parse(
    await textOf(two.api, `consistency?from=${old.size}&to=${later.size}`),
  ) as Hashes
  verifyConsistency(old, later, consistency.hashes.map(fromBase64))
  const proof = JSON.parse(await textOf(two.api, `proof?position=1&tree_size=${later.size}`)) as Hashes
  verifyInclusion(fromBase64(proof.leaf), 0, later, proof.hashes.map(fromBase64))

  await caughtUp(one, two)
  await two.follow(one)
  await one.own()
  const last = await checkpointOf(one.api, known.key, one.local.last()?.position ?? 0)
  const back = JSON.parse(await textOf(one.api, `consistency?from=${later.size}&to=${last.size}`)) as Hashes
  verifyConsistency(later, last, back.hashes.map(fromBase64))
})

t.test('the files of an erased session are gone on the node that made them and is a standby now', async t => {
  const { one, two } = await pairOfShards(t)
  const body = {
    ...echo,
    ...{ session_id: 'chat', user_id: 'anna', rollout_save_dir: 'saved', log_dir: 'saved' },
    client_id: undefined,
    env: { TOKEN: word },
    user_message_content: word,
    agent_config: {
      agent_id: 'script',
      script: [
        { tool: 'write_file', arguments: { path: 'notes.txt', content: word } },
        { message: `${word} done` },
      ],
    },
  }
  t.equal((await one.api('POST', '/tasks', body)).status, 200)
  const kept = { ...echo, session_id: 'other', user_id: 'bert', rollout_save_dir: 'saved' }
  await one.api('POST', '/tasks', kept)
  const made = await one.api('POST', '/env/create', {
    env_id: 'gridworld',
    session_id: 'chat',
    user_id: 'anna',
  })
  t.equal(made.status, 200)
  const closed = await read(one.api('POST', '/env/close', { session_id: 'chat' }))
  t.equal(closed.status, 200, closed.text)
  const states = path.join(
    folderOfSession(one.files.sessions, { user_id: 'anna', session_id: 'chat' }),
    'states',
  )
  mkdirSync(states, { recursive: true })
  writeFileSync(path.join(states, '1-abc.json'), word)
  await until(() => filesWith(one.dataDir, word).filter(file => /\.jsonl$/.test(file)).length >= 2)
  t.ok(filesWith(one.dataDir, word).some(file => /notes\.txt$/.test(file)))
  await caughtUp(two, one)
  await one.follow(two)
  await two.own()
  const erased = await read(two.api('DELETE', '/env/session/chat?erase=true&cascade=true&reason=gdpr'))
  t.equal(erased.status, 200, erased.text)
  await caughtUp(one, two)
  for (const node of [one, two]) {
    await until(() => filesWith(node.dataDir, word).length === 0)
    t.same(filesWith(node.dataDir, word), [])
  }
  const left = readdirSync(one.dataDir, { recursive: true, encoding: 'utf8' })
  t.ok(
    left.some(file => /\.jsonl$/.test(file)),
    'the files of others stay',
  )
})

t.test('a fork and an export that are asked for at the standby are those of the owner', async t => {
  const { one, two } = await pairOfShards(t)
  const { result } = (await (await one.api('POST', '/tasks', echo)).json()) as { result: { id: string } }
  const forked = await read(two.api('POST', `/tasks/${result.id}/fork`, { at: 2 }))
  t.equal(forked.status, 200, forked.text)
  const { id } = forked.body as unknown as { id: string }
  t.equal((await read(one.api('GET', `/tasks/${id}`))).body.result.id, id)
  const head = one.local.last()?.position ?? 0
  await checkpointOf(two.api, await keyOf(two.api), head)
  const root = t.testdir({})
  /** The events in an export. The rest of it depends on the newest checkpoint, which moves on. */
  const exportOf = async (api: Api, name: string): Promise<string[]> => {
    const answer = await api('GET', `/audit/export?task_id=${result.id}`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    t.equal(answer.status, 200, bytes.toString().slice(0, 500))
    const folder = path.join(root, name)
    writeFileSync(`${folder}.tar.gz`, bytes)
    await unpack(`${folder}.tar.gz`, folder, isExportFile)
    const events = path.join(folder, 'events')
    return readdirSync(events).map(file => readFileSync(path.join(events, file), 'utf8'))
  }
  const there = await exportOf(two.api, 'there')
  t.equal(there.length, 1)
  t.same(there, await exportOf(one.api, 'here'))
})
