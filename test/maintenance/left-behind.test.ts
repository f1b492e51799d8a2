// Secret values that a log does not name since it was restored: they are set aside, and come back with the newer log.
import { existsSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { StorageFailure } from '../../src/contract/stored.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { openSecrets } from '../../src/platform/secrets.ts'
import { leftBehind } from '../../src/shard/opening/left-behind.ts'

/** A data folder whose log was restored, with the values of `a` and `b`. `start` opens it as a start does. */
const given = (t: Test) => {
  const files = filesOf(t.testdir())
  const start = () => {
    const stored = openSecrets(files.secrets)
    t.teardown(() => stored.close())
    const left = leftBehind({ revisionOf: () => 0 }, files, () => {})
    return { stored, secrets: left?.keeping(stored) ?? stored }
  }
  const { secrets } = start()
  secrets.put('a', { env: { KEY: 'of a' } })
  secrets.put('b', { env: { KEY: 'of b' } })
  return { files, secrets, start }
}

t.test('values that the restored log does not name are set aside, for this user alone', async t => {
  const { files, secrets, start } = given(t)
  secrets.sweep(ref => ref === 'a')
  t.same(start().stored.refs(), ['a'])
  t.equal(statSync(files.leftBehind).mode & 0o777, 0o700)
  t.equal(statSync(path.join(files.leftBehind, 'secrets.db')).mode & 0o777, 0o600)
})

t.test('they are there again when a newer log names them', async t => {
  const { secrets, start } = given(t)
  secrets.sweep(() => false)
  const next = start()
  t.same(next.secrets.get('b'), { env: { KEY: 'of b' } })
  t.same(next.stored.refs(), ['b'], 'and belong to the server again')
  const later = start()
  later.secrets.sweep(() => true)
  t.same(later.secrets.get('b'), { env: { KEY: 'of b' } })
  t.same(later.secrets.get('a'), { env: { KEY: 'of a' } })
})

t.test('values that are nowhere are gone', async t => {
  const { files, secrets } = given(t)
  t.equal(secrets.get('c'), undefined)
  t.notOk(existsSync(files.leftBehind))
  secrets.sweep(() => false)
  t.equal(secrets.get('c'), undefined)
})

t.test('values that were forgotten do not come back', async t => {
  const { secrets } = given(t)
  secrets.forget('a')
  secrets.sweep(() => false)
  t.equal(secrets.get('a'), undefined)
})

t.test('values that cannot be read are not taken for lost ones', async t => {
  const { files, secrets } = given(t)
  secrets.sweep(() => false)
  writeFileSync(path.join(files.leftBehind, 'secrets.db'), 'no database '.repeat(1000))
  t.throws(() => secrets.get('a'), new StorageFailure('secret values cannot be read'))
})
