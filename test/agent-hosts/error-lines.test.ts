// What hosts write to standard error: whole lines, without secrets, and not too much of them.
import t from 'tap'
import { createErrorLines } from '../../src/agent-hosts/error-lines.ts'

const secret = 'a-secret-that-nobody-may-see'
const given = (secrets: readonly string[] = [secret]) => {
  const lines: string[] = []
  let now = 0
  const take = createErrorLines({
    clock: { now: () => now },
    secrets: () => secrets,
    write: line => void lines.push(line),
  })
  return {
    lines,
    say: (text: string) => take(Buffer.from(text)),
    later() {
      now += 1000
    },
  }
}
/** Whether some text shows a part of the secret, from its begin or to its end. */
const isTold = (lines: string[], value = secret): boolean =>
  Array.from({ length: value.length - 4 }, (_, n) => [value.slice(0, n + 4), value.slice(n + 1)])
    .flat()
    .some(part => lines.some(line => line.includes(part)))

t.test('a secret is masked before a line is cut, wherever it stands in the line', async t => {
  for (const before of [0, 1950, 1980, 1990, 1999, 2000, 2050]) {
    for (const after of ['', 'x'.repeat(5000), secret.repeat(300)]) {
      const { lines, say } = given()
      say(`${'x'.repeat(before)}${secret}${after}\n`)
      say('short\n')
      t.equal(isTold(lines), false, `${before} characters before it, ${after.length} after it`)
      t.ok(lines.every(({ length }) => length <= 2000))
      t.equal(lines.at(-1), 'short')
    }
  }
})

t.test('a secret that comes in pieces, or that has several lines, is masked too', async t => {
  const { lines, say } = given()
  for (const letter of `${'x'.repeat(1995)}${secret} end\nnext\n`) say(letter)
  t.equal(isTold(lines), false)
  t.equal(lines.at(-1), 'next')
  const key = ['first line of a key', 'second line of a key']
  const other = given([key.join('\n')])
  other.say(`the key: ${key.join('\n')}\n`)
  t.same(other.lines, ['the key: ***', '***'])
})

t.test('of very many lines a hundred in a second are written, and the rest is counted', async t => {
  const { lines, say, later } = given()
  say('line\n'.repeat(150))
  t.equal(lines.length, 100)
  later()
  say('again\n')
  t.same(lines.slice(100), ['(50 lines were left out)', 'again'])
})
