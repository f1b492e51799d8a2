// A change of the key that signs checkpoints, when the log cannot say whether it has stored the change.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { keyFile, nextOf } from '../../src/proof/keys/key-file.ts'
import { createLogKey } from '../../src/proof/keys/log-key.ts'
import { failingStore, givenSystem } from '../support/system.ts'

const by = { principal: 'admin', causation: 'req' }

for (const how of ['kept', 'lost'] as const) {
  t.test(
    `a change of the key whose append fails and is ${how}: the key that signs is the key in the log`,
    async t => {
      const { store, failNext } = failingStore()
      const { log } = await givenSystem({ store })
      const file = path.join(t.testdir(), 'audit.key')
      const lines: string[] = []
      const given = {
        log,
        file: keyFile(file, 'reprise/log'),
        report: (_: string, line: string) => void lines.push(line),
      }
      const key = createLogKey(given)
      const first = await key.ready()
      failNext(how)
      await t.rejects(key.rotate(by), /could not be written/)
      await t.rejects(
        key.ready(),
        /could not be written/,
        'nobody signs while the log cannot say which key it names',
      )
      await log.append([])
      const now = await key.ready()
      t.equal(now.verifier.text === first.verifier.text, how === 'lost')
      t.equal(key.known().at(-1)?.key.text, now.verifier.text)
      t.match(readFileSync(file, 'utf8'), /\S/)
      t.notOk(existsSync(nextOf(file)))
      const again = createLogKey(given)
      t.equal((await again.ready()).verifier.text, now.verifier.text, 'so it is after a restart')
      const { key: next } = await again.rotate(by)
      t.equal((await again.ready()).verifier.text, next.text)
      t.same(lines, [], 'each key is signed by the one before')
    },
  )
}
