// Secret values that cannot be read are not taken for values that are gone.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { StorageFailure } from '../../src/contract/stored.ts'
import { openSecrets } from '../../src/platform/secrets.ts'

t.test('values that are gone are undefined; values of a file that was damaged meanwhile are an error', t => {
  const file = path.join(t.testdir(), 'secrets.db')
  const said: string[] = []
  const secrets = openSecrets(file, (level, message) => said.push(`${level} ${message}`))
  secrets.put('sec_1', { env: { KEY: 'v' } })
  t.equal(secrets.get('sec_2'), undefined)
  writeFileSync(file, Buffer.alloc(16_384, 'x'))
  for (const _ of [1, 2])
    t.throws(() => secrets.get('sec_1'), new StorageFailure('secret values cannot be read'))
  t.match(said, [/^error .*secrets\.db cannot be used/], 'the operator is told once')
  secrets.close()
  t.end()
})
