// A log of real use, as the benches use it at larger sizes, and the read models that were kept up to date beside it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tap from 'tap'
import { openFileLog } from '../../bench/support/open-log.ts'
import { copyRealData } from '../../bench/support/real-data.ts'
import { runReprise } from '../support/server.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-real-data-'))
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
const env = { DATA_DIR: folder }

/** What must happen at least once in a day of real use. */
const happening = [
  ...[
    'TaskCompleted',
    'TaskFailed',
    'TaskCanceled',
    'TaskDeleted',
    'TaskPaused',
    'TaskResumed',
    'InputRequired',
  ],
  ...['InputAnswered', 'EffectCompleted', 'ItemDelta', 'RewardGiven', 'GroupChatMessage', 'EnvStepCompleted'],
  ...['EnvSessionClosed', 'CronJobCompleted', 'WebhookCheckpoint', 'WebhookDisabled'],
]

tap.before(() => copyRealData('small', folder))

tap.test('a folder of real use has all that use brings', async t => {
  const log = openFileLog(folder)
  const found = new Set<string>()
  let copies = 0
  for await (const page of log.readAll()) {
    for (const { header } of page) {
      found.add(header.type)
      if (header.copy_of !== undefined) copies++
    }
  }
  await log.close()
  t.same(
    happening.filter(type => !found.has(type)),
    [],
  )
  t.ok(copies > 0, 'a task was forked')
})

tap.test('its read models, which were written live, are those that a rebuild gives', async t => {
  const { code, stdout } = await runReprise(['replay', '--all', '--json'], env)
  const { matches, problems, compared_at, events } = JSON.parse(stdout)
  t.match({ code, matches, problems }, { code: 0, matches: true, problems: 0 }, stdout)
  t.equal(compared_at, events, 'every row was compared')
  t.equal((await runReprise(['rebuild'], env)).code, 0)
  t.equal((await runReprise(['replay', '--all'], env)).code, 0, 'and again after a rebuild')
})

tap.test('its log fits', async t => {
  t.equal((await runReprise(['verify'], env)).code, 0)
})
