// The page about tests of agents, as somebody copies it: every test of the page passes.
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { noReader, readerOf } from '../support/reader.ts'

const root = path.resolve(import.meta.dirname, '../..')

t.test('somebody copies docs/testing.md word by word', { skip: noReader }, async t => {
  const reader = await readerOf(t, 'docs/testing.md')
  const modules = path.join(reader.folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(root, path.join(modules, 'reprise'))
  const seen = await reader.copyAll()
  t.equal(seen.length, 4)
  for (const { block, printed } of seen) t.match(printed, /pass 1\b/, `${block.heading}\n${printed}`)
})
