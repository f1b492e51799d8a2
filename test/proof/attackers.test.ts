// The table of attackers in docs/proof.md: each cell is a test, which attacks a log and sees what finds it.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { attacks } from './attackers/attacks.ts'
import { attackers, foundBy, honestFolder } from './attackers/finders.ts'

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/proof.md'), 'utf8')
const [, table = ''] = /<!-- attackers -->\n([\s\S]*?)<!-- end of attackers -->/.exec(page) ?? []
const [head = [], , ...rows] = table
  .trim()
  .split('\n')
  .map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )

t.test('the table has every attacker and every attack', async t => {
  t.same(head.slice(1), attackers)
  t.same(
    rows.map(([attack]) => attack),
    Object.keys(attacks),
  )
})

const root = t.testdir()
const honest = path.join(root, 'honest')
const key = await honestFolder(honest)

t.test('an honest log is accused by nobody', async t => {
  for (const attacker of attackers) {
    const folder = path.join(root, attacker)
    const found = await foundBy(honest, key, { attacker, folder })
    t.same(found, [], attacker)
  }
})

for (const [n, attacker] of attackers.entries()) {
  for (const [attack = '', ...cells] of rows) {
    t.test(`${attacker}: ${attack}`, async t => {
      const folder = path.join(root, `${n} ${attack}`)
      const found = await foundBy(honest, key, { attacker, attack, folder })
      t.equal(found.join(', '), cells[n], 'what finds it is what the table says')
      t.not(found.length, 0, 'and something does')
    })
  }
}
