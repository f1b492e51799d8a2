// The states of a backup, added to a data folder that has sessions already, as `reprise restore --force` does.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { addStates } from '../../src/maintenance/backup/backup-states.ts'

const given = (t: Test) => {
  const folder = t.testdir({
    backup: {
      ann: { env_1: { states: { '1-abc.json': 'of the backup' }, files: { kept: { pack: 'packed' } } } },
    },
    sessions: { ann: { env_1: { states: {} } } },
    outside: { pack: 'of the operator' },
  })
  const at = (...names: string[]) => path.join(folder, ...names)
  return { at, session: (...names: string[]) => at('sessions', 'ann', 'env_1', ...names) }
}

t.test('a link that a program of a session has left does not lead the restore to another file', async t => {
  const { at, session } = given(t)
  mkdirSync(session('files', 'kept'), { recursive: true })
  symlinkSync(at('outside', 'pack'), session('files', 'kept', 'pack'))
  t.equal(addStates(at('backup'), at('sessions')), 1)
  t.equal(readFileSync(at('outside', 'pack'), 'utf8'), 'of the operator')
  t.equal(readFileSync(session('files', 'kept', 'pack'), 'utf8'), 'packed')
})

t.test('nor does a link in the place of a folder', async t => {
  const { at, session } = given(t)
  mkdirSync(session('files'))
  symlinkSync(at('outside'), session('files', 'kept'))
  addStates(at('backup'), at('sessions'))
  t.equal(readFileSync(at('outside', 'pack'), 'utf8'), 'of the operator')
  t.equal(readFileSync(session('files', 'kept', 'pack'), 'utf8'), 'packed')
})

t.test('a state that is there is replaced as a whole, and nothing else is left', async t => {
  const { at, session } = given(t)
  writeFileSync(session('states', '1-abc.json'), 'older and longer than the other')
  writeFileSync(session('states', '2-def.json'), 'another one')
  addStates(at('backup'), at('sessions'))
  t.same(readdirSync(session('states')).sort(), ['1-abc.json', '2-def.json'])
  t.equal(readFileSync(session('states', '1-abc.json'), 'utf8'), 'of the backup')
})
