// docs/client.md, as its reader copies it.
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { noReader, readerOf } from '../support/reader.ts'
import { pythonPath } from './python.ts'

const root = path.resolve(import.meta.dirname, '../..')

t.test('somebody copies docs/client.md', { skip: noReader }, async t => {
  const reader = await readerOf(t, 'docs/client.md', { PYTHONPATH: pythonPath, PYTHONDONTWRITEBYTECODE: '1' })
  mkdirSync(path.join(reader.folder, 'node_modules'))
  symlinkSync(root, path.join(reader.folder, 'node_modules/reprise'))
  await reader.serves()
  const seen = await reader.copyAll()
  const expected = [
    /^$/,
    /42[\s\S]*\n completed\n$/,
    /42[\s\S]*\n completed\n$/,
    /42/,
    /^It is 42\.\n$/,
    /^You said: yes\n$/,
    /^(\d+ \S+ \S+\n){4}$/,
    /^(\S+ completed\n)+$/,
    /^TaskNotFound -32001: Check the id/,
  ]
  t.equal(seen.length, expected.length, seen.map(({ block }) => block.text).join('\n'))
  for (const [n, pattern] of expected.entries())
    t.match(seen[n]?.printed ?? '', pattern, seen[n]?.block.text ?? '')
})
