// Checkpoints and proofs of a running server, checked as an auditor does: with what the server sent, and nothing else.
import { createHash } from 'node:crypto'
import t from 'tap'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { readVerifierKey } from '../../src/proof/note/keys.ts'
import { readNote } from '../../src/proof/note/note.ts'
import { signersOf } from '../../src/proof/note/signing.ts'
import { createGrowingTree } from '../../src/proof/tree/growing.ts'
import { fromBase64, fromBytes } from '../../src/proof/tree/hash.ts'
import { verifyConsistency, verifyInclusion } from '../../src/proof/tree/verify.ts'
import { type Api, apiOf, serveHere } from '../support/server.ts'

type Page = { data: { position: number; header: string; leaf_hash: string; data: { note: string } }[] }
type Inclusion = { position: number; leaf_index: number; tree_size: number; leaf: string; hashes: string[] }

const textOf = async (api: Api, path: string): Promise<string> => (await api('GET', path)).text()
const keysOf = async (api: Api) =>
  (await textOf(api, '/audit/public-key'))
    .trimEnd()
    .split('\n')
    .map(line => {
      const [key = '', from = ''] = line.split(' ')
      return { key: readVerifierKey(key), from: Number(from) }
    })
const checkpointOf = async (api: Api, path = '/audit/checkpoint') => {
  const keys = (await keysOf(api)).map(({ key }) => key)
  return openCheckpoint(await textOf(api, path), keys[0]?.name ?? '', keys)
}
/** Waits until a checkpoint covers every event that is stored now. */
const covered = async (api: Api) => {
  const { data: events } = (await (await api('GET', '/audit/events?limit=1000')).json()) as Page
  for (;;) {
    const found = await checkpointOf(api)
    if (found.size >= events.length) return found
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
const someTasks = async (api: Api, count: number) => {
  for (let n = 0; n < count; n++)
    await api('POST', '/tasks', { user_message_content: `message ${n}`, client_id: 'echo', stream: false })
}
const eventsOf = async (api: Api): Promise<Page['data']> =>
  ((await (await api('GET', '/audit/events?limit=1000')).json()) as Page).data
const { api, url } = await serveHere(t)
await someTasks(api, 3)

t.test('every event of the log is proven against a signed checkpoint', async t => {
  const checkpoint = await covered(api)
  const events = await eventsOf(api)
  t.ok(checkpoint.size >= 20 && events.length >= checkpoint.size)
  for (const { position, header } of events.slice(0, checkpoint.size)) {
    const path = `/audit/proof?position=${position}&tree_size=${checkpoint.size}`
    const proof = (await (await api('GET', path)).json()) as Inclusion
    const leaf = createHash('sha256').update(`\0${header}`).digest('base64url')
    t.match(proof, { position, leaf_index: position - 1, tree_size: checkpoint.size })
    t.equal(fromBase64(proof.leaf), leaf)
    verifyInclusion(leaf, proof.leaf_index, checkpoint, proof.hashes.map(fromBase64))
  }
})

t.test('a later checkpoint is proven to begin with an earlier one', async t => {
  const old = await covered(api)
  await someTasks(api, 2)
  const later = await covered(api)
  t.ok(later.size > old.size)
  const path = `/audit/consistency?from=${old.size}&to=${later.size}`
  const { hashes } = (await (await api('GET', path)).json()) as { hashes: string[] }
  verifyConsistency(old, later, hashes.map(fromBase64))
  t.same(await (await api('GET', `/audit/consistency?to=${old.size}`)).json(), {
    from: 0,
    to: old.size,
    hashes: [],
  })
})

t.test('tiles and entries give the root of the checkpoint', async t => {
  await someTasks(api, 40)
  const { size, root } = await covered(api)
  t.ok(size > 256)
  t.equal((await checkpointOf(api, '/audit/tlog/checkpoint')).root, root)
  const bytesOf = async (path: string) =>
    Buffer.from(await (await api('GET', `/audit/tlog/tile/${path}`)).arrayBuffer())
  const tree = createGrowingTree()
  for (let index = 0; index * 256 < size; index++) {
    const width = Math.min(256, size - index * 256)
    const name = `${String(index).padStart(3, '0')}${width === 256 ? '' : `.p/${width}`}`
    const leaves = fromBytes(await bytesOf(`0/${name}`))
    t.equal(leaves.length, width)
    const bundle = await bytesOf(`entries/${name}`)
    let at = 0
    for (const leaf of leaves) {
      const length = bundle.readUInt16BE(at)
      const entry = bundle.subarray(at + 2, at + 2 + length)
      if (createHash('sha256').update('\0').update(entry).digest('base64url') !== leaf) t.fail('another leaf')
      tree.add(leaf)
      at += 2 + length
    }
    t.equal(at, bundle.length)
  }
  t.equal(tree.root(), root)
  const first = createGrowingTree()
  for (const leaf of fromBytes(await bytesOf('0/000'))) first.add(leaf)
  t.same(fromBytes(await bytesOf('1/000.p/1')), [first.root()])
  t.same(await bytesOf('1/000.p%2F1'), await bytesOf('1/000.p/1'), 'with an encoded slash, too')
})

t.test('numbers and tiles that are not there are refused', async t => {
  const { size } = await covered(api)
  const invalid = [
    'proof',
    'proof?position=0',
    `proof?position=1&tree_size=${size + 99}`,
    'proof?position=2&tree_size=1',
  ]
  for (const path of [
    ...invalid,
    `proof?position=${size + 99}`,
    'consistency?from=2&to=1',
    'consistency?from=x',
    `consistency?to=${size + 99}`,
  ])
    t.equal((await api('GET', `/audit/${path}`)).status, 422, path)
  for (const [path, names] of [
    [`proof?position=x&tree_size=${size + 99}`, ['tree_size', 'position']],
    ['proof?tree_size=0', ['tree_size', 'position']],
    ['proof?position=', ['position']],
    [`consistency?from=x&to=${size + 99}`, ['to', 'from']],
  ] as const) {
    const { detail } = (await (await api('GET', `/audit/${path}`)).json()) as { detail: { loc: string[] }[] }
    t.same(
      detail.map(({ loc }) => loc[1]),
      names,
      path,
    )
  }
  const tiles = [
    '0/009',
    '1/000.p/9',
    '0/000.p/0',
    '0/000.p/256',
    '0/x000/000.p/1',
    '0/0.p/1',
    '00/000.p/1',
    '64/000',
    '9/000.p/1',
    '-1/000',
    'x/000',
    '0/999/999',
    '0/x999/x999/x999/x999/x999/x999/999',
    'entries/009',
    'entries/0',
    '0/000.p/%31x',
  ]
  for (const tile of tiles) t.equal((await api('GET', `/audit/tlog/tile/${tile}`)).status, 404, tile)
  t.equal((await api('GET', '/audit/tlog/tile/0/000.p/3')).status, 200)
})

t.test(
  'headers are for auditors and admins of all users, hashes for every token but a subscriber',
  async t => {
    const { size } = await covered(api)
    const as = async (role: string, user_id?: string): Promise<Api> => {
      const made = (await (await api('POST', '/auth/tokens', { role, user_id })).json()) as { token: string }
      return apiOf(url, made.token)
    }
    const hashes = [
      'checkpoint',
      'public-key',
      'proof?position=1',
      `consistency?from=1&to=${size}`,
      'tlog/checkpoint',
      'tlog/tile/0/000.p/2',
    ]
    const callers: [Api, number, number][] = [
      [await as('auditor'), 200, 200],
      [await as('auditor', 'alice'), 200, 403],
      [await as('admin', 'alice'), 200, 403],
      [await as('user'), 200, 403],
      [await as('user', 'alice'), 200, 403],
      [await as('subscriber'), 403, 403],
      [apiOf(url, 'nobody'), 401, 401],
    ]
    for (const [caller, ofHashes, ofHeaders] of callers) {
      for (const path of hashes) t.equal((await caller('GET', `/audit/${path}`)).status, ofHashes, path)
      t.equal((await caller('GET', '/audit/tlog/tile/entries/000.p/2')).status, ofHeaders)
    }
    t.equal((await (await as('admin', 'alice'))('POST', '/audit/rotate-key')).status, 403)
    t.equal((await (await as('auditor'))('POST', '/audit/rotate-key')).status, 403)
  },
)

t.test('a new key is signed by the old one, in the log, and signs from there on', async t => {
  const before = await covered(api)
  const made = (await (await api('POST', '/audit/rotate-key')).json()) as { key: string; first_size: number }
  const keys = await keysOf(api)
  t.same(
    keys.map(({ from }) => from),
    [1, made.first_size],
  )
  t.ok(made.first_size > before.size)
  const [old, next] = keys.map(({ key }) => key)
  if (old === undefined || next === undefined) throw new Error('there are not two keys')
  t.equal(next.text, made.key)
  const { data: events } = (await (await api('GET', '/audit/events?stream=audit-key')).json()) as Page
  const note = readNote(events.at(-1)?.data.note ?? '')
  t.same(signersOf(note, [old, next]), [old, next])
  t.match(note.text, `from ${old.text}\nto ${next.text}\n`)
  const after = await covered(api)
  t.same(after.signers, [next])
  t.same(before.signers, [old])
})
