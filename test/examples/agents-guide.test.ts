// The guide to agents in one's own code, as somebody copies it: an agent, a question, a kill, a statechart, Python, a token.
import t from 'tap'
import { noReader, readerOf } from '../support/reader.ts'

t.test('somebody copies docs/agents.md word by word', { skip: noReader }, async t => {
  const reader = await readerOf(t, 'docs/agents.md')
  const seen = await reader.copyAll()
  const at = (text: string) => seen.find(({ block }) => block.text.includes(text))
  t.match(at('"stream": true')?.printed, /event: task\.input_required\n[\s\S]*Pay 34 EUR back\?/)
  const history = at('reprise history')?.printed ?? ''
  t.equal(history.match(/run:pay/g)?.length, 1, history)
  const starts = seen.filter(({ block }) => block.text.includes('reprise serve'))
  const paid = starts.map(({ terminal }) => terminal.output().match(/paid 34 EUR/g)?.length ?? 0)
  t.same(paid, [0, 1], 'it is paid once, after the kill')
  t.match(seen.at(-1)?.printed, /\S{20}/)
})
