// What a storage cannot read or write fails in the words of its interface, whatever the storage is made of.
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { openReads, openStoredRows } from '../../src/log/chosen-storage.ts'
import { isUnreadable, Unwritable } from '../../src/log/store.ts'
import { fill, noMount, smallDisk } from '../support/small-disk.ts'
import { givenFileOf } from './damaged-file.ts'
import { fileIn, numbered, openFile, rejection, to } from './support.ts'

t.test('a damaged page is unreadable, for single reads and for reads in bulk', async t => {
  const file = await givenFileOf(t, 2000, 3)
  const [reads, rows] = [openReads(file), openStoredRows(file)]
  const bytes = readFileSync(file)
  bytes.fill(0xff, 8 * 4096, bytes.length - 8 * 4096)
  writeFileSync(file, bytes)
  const everything = () => {
    for (let after = 0; after < 2000; ) after = reads.page(after, 100).at(-1)?.position ?? 2000
  }
  t.throws(everything, { code: 'LOG_DAMAGED' })
  const inBulk = async () => {
    for await (const page of rows.ofStream('task-1')) t.ok(page.length > 0)
  }
  const error = await rejection(inBulk())
  t.ok(isUnreadable(error), String(error))
  t.match((error as Error).cause, { name: 'SqliteError' }, 'with the reason of the storage')
  await reads.close()
  await rows.close()
})

t.test('a full disk is unwritable, and the log says so behind its own error', async t => {
  const disk = smallDisk(t, 4)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const log = await openFile(t, fileIn(disk))
  fill(disk)
  const error = await rejection(log.append([to('a', -1, ...numbered(1), { text: 'x'.repeat(100_000) })]))
  t.match(error, { name: 'Error', message: /could not be written/ })
  t.ok((error as Error).cause instanceof Unwritable, String((error as Error).cause))
})
