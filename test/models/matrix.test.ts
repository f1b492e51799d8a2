// Every dialect does with the strict imitation of its vendor what docs/models.md says, and is refused nothing.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { page, rows, titles, tryRow, withMatrix } from './matrix.ts'

const told = new Map<(typeof rows)[number], string[]>()
for (const row of rows) {
  t.test(`the dialect ${row.dialect}`, async t => {
    const { told: words, refusals } = await tryRow(t, row)
    for (const [n, title] of titles.entries()) t.notMatch(words[n], /^no: /, title)
    t.same(refusals, [], 'nothing is refused')
    told.set(row, words)
  })
}

t.test('the table in the docs is what was tried: else run node test/models/matrix.ts', async t => {
  const text = readFileSync(page, 'utf8')
  t.equal(text, withMatrix(text, told))
})
