// A start to which something bad happens loses nothing: the next good start has everything that was there before.
// npm run soak -- bad-starts plays 200 of them.
import t from 'tap'
import { playBadStarts } from './bad-starts/play.ts'

t.test('after bad starts of a fixed seed, a good start has everything', async t => {
  const lines: string[] = []
  t.same(await playBadStarts(9, 4, line => lines.push(line)), [])
  t.equal(lines.length, 4)
  t.comment(lines.join('\n'))
})
