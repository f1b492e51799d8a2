// Pages of exports: what they hold is taken out again unchanged, and a page that is damaged or too long is refused.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { chooseCheckpoint } from '../../../src/maintenance/export/export-checkpoint.ts'
import { exportLog } from '../../../src/maintenance/export/export-log.ts'
import { isPage, unpackPage, writePage } from '../../../src/maintenance/export/export-page.ts'
import { filesOfPage } from '../../../src/proof/export/page.ts'
import { keyStream } from '../../../src/proof/note/key-change.ts'
import { readRecording, recordingNames } from '../../recorded/files.ts'
import { loadLog } from '../../recorded/load.ts'
import { checkpointsOf, keyFileOf, logOf, nameKey } from './signed-folder.ts'

const givenPage = async (t: Test) => {
  const root = t.testdir()
  const dataDir = path.join(root, 'data')
  const { rows } = readRecording(recordingNames()[0] ?? '')
  await loadLog(dataDir, rows)
  await nameKey(dataDir, undefined, rows.filter(({ stream }) => stream === keyStream).length)
  const proof = { keyFile: keyFileOf(dataDir), checkpointFile: checkpointsOf(dataDir) }
  const folder = path.join(root, 'folder')
  const { manifest } = await exportLog(
    { log: logOf(dataDir), choose: (rows, changes, end) => chooseCheckpoint(rows, changes, end, proof) },
    { kind: 'all', id: '' },
    folder,
    { onStep: () => {} },
  )
  const page = path.join(root, 'page.html')
  writePage(folder, manifest, page)
  const unpack = (text: string): void => {
    const other = path.join(root, 'other.html')
    writeFileSync(other, text)
    unpackPage(other, path.join(t.testdirName, `to-${readdirSync(root).length}-${Math.random()}`))
  }
  return { root, folder, manifest, page, text: readFileSync(page, 'utf8'), unpack }
}

t.test('the files of a page are those of the export, to the byte', async t => {
  const { root, folder, page } = await givenPage(t)
  t.ok(isPage(page))
  const out = path.join(root, 'out')
  mkdirSync(out)
  unpackPage(page, out)
  const names = filesOfPage(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  t.ok(names.length > 5)
  t.same(readdirSync(out, { recursive: true }).sort(), names.sort())
  for (const name of names.filter(name => name !== 'events'))
    t.ok(readFileSync(path.join(folder, name)).equals(readFileSync(path.join(out, name))), name)
})

t.test('a page that is no export, is cut off, or holds other files is refused', async t => {
  const { text, unpack } = await givenPage(t)
  const refused: [string, string, RegExp][] = [
    ['no export', '<!doctype html><p>Hello', /holds no export/],
    ['cut off', text.slice(0, text.indexOf('"position"')), /cut off/],
    ['another name', text.replace('"events/1.ndjson"', '"../1.ndjson"'), /\.\.\/1\.ndjson, which does not/],
    ['a name twice', text.replace('data-file="key"', 'data-file="checkpoint"'), /checkpoint twice/],
    ['no text', text.replace(/(data-file="key">\n).+/, '$17'), /key in another form/],
  ]
  for (const [what, page, message] of refused) t.throws(() => unpack(page), { message }, what)
})

t.test('a history that is too long for a page is refused in words', async t => {
  const { root, folder, manifest } = await givenPage(t)
  const most = 1000
  t.throws(() => writePage(folder, manifest, path.join(root, 'long.html'), most), {
    message:
      /^the history has \d+ MiB, and a page holds at most 1 MiB: export a folder or an archive, without --html/,
  })
  t.notOk(readdirSync(root).includes('long.html'))
})
