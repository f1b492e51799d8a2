// The file of the cluster key: which files a node takes, and what it derives from them.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tap from 'tap'
import { clusterKeysOf, makeClusterKey, readClusterKeys } from '../../src/cluster/cluster-key.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'

/** What an error says that ends the start; undefined for other errors, and for none. */
const wordsOf = (act: () => unknown): string | undefined => {
  try {
    act()
  } catch (error) {
    if (error instanceof CannotStart) return error.message
  }
  return undefined
}

tap.test('a new key is readable for its owner alone, and is never replaced', async t => {
  const file = path.join(t.testdir(), 'cluster-key')
  t.equal(makeClusterKey(file), true)
  t.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  t.equal(Buffer.from(text, 'base64').length, 32)
  t.equal(makeClusterKey(file), false)
  t.equal(readFileSync(file, 'utf8'), text)
  t.match(
    wordsOf(() => makeClusterKey(path.join(file, 'below'))) ?? '',
    /cannot be written: a part of its path is a file and not a folder \(ENOTDIR\)/,
  )
})

tap.test('each purpose has a key of its own, the same on each node', async t => {
  const file = path.join(t.testdir(), 'cluster-key')
  makeClusterKey(file)
  const keys = readClusterKeys(file)
  const texts = Object.values(keys).map(key => key.toString('hex'))
  t.equal(new Set(texts).size, 5)
  t.ok(texts.every(text => text.length === 64))
  t.same(clusterKeysOf(Buffer.from(readFileSync(file, 'utf8'), 'base64')), keys)
})

tap.test('a file that is no private key is refused, with what to do', async t => {
  const folder = t.testdir()
  const at = (name: string) => path.join(folder, name)
  const good = Buffer.alloc(32, 7).toString('base64')
  const refused = (name: string, why: RegExp) =>
    t.match(wordsOf(() => readClusterKeys(at(name))) ?? '', why, name)
  refused('missing', /does not exist: copy the file of another node, or make .* reprise cluster init/)
  mkdirSync(at('folder'))
  refused('folder', /is a folder, not a file/)
  for (const [name, text] of [
    ['empty', ''],
    ['short', Buffer.alloc(31).toString('base64')],
    ['long', Buffer.alloc(33).toString('base64')],
    ['not-base64', '!'.repeat(44)],
    ['two', `${good}\n${good}`],
  ] as const) {
    writeFileSync(at(name), text, { mode: 0o600 })
    refused(name, /holds no key of 32 bytes as base64/)
  }
  writeFileSync(at('shared'), good, { mode: 0o600 })
  chmodSync(at('shared'), 0o640)
  refused('shared', /may be read or written by other users of this machine: chmod 600 /)
  chmodSync(at('shared'), 0o400)
  t.ok(readClusterKeys(at('shared')))
})
