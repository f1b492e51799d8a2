// Bytes that are unusual: what they say is what the same answer says without the fault.
import t from 'tap'
import { framing } from '../../../src/fake-model/faults/framing.ts'
import { protocolNames } from '../../../src/fake-model/protocols/protocol.ts'
import { eventsOf, type Told } from '../support.ts'
import { play, type Seen } from './support.ts'

/** What is odd in the bytes of each fault. */
const odd: Record<string, (seen: Seen) => boolean> = {
  crlf: ({ text }) => !/[^\r]\n/.test(text) && text.endsWith('\r\n\r\n'),
  cr: ({ text }) => !text.includes('\n') && text.endsWith('\r\r'),
  'no-space-after-colon': ({ text }) => /^data:\{/m.test(text) && !/^data: /m.test(text),
  'empty-data': ({ text }) => text.startsWith('data:\n\ndata: \n\n'),
  'comments-between': ({ text }) => (text.match(/^: keep-alive$/gm)?.length ?? 0) > 5,
  'data-over-lines': ({ text }) => /^data: \{\ndata: {2}"/m.test(text),
  'no-last-blank-line': ({ text }) => !text.endsWith('\n'),
  'bytes-before-first-message': ({ text }) => text.startsWith('\ufeff\n\r\n\n: begin\n\n'),
  'junk-before-first-message': ({ text }) => text.startsWith('connected to the engine\n\n'),
  'huge-line': ({ text }) => text.split('\n').some(line => line.length > 2 ** 21),
  'split-characters': ({ reads }) => reads.some(read => (read.at(-1) ?? 0) >= 0xc0),
  'split-lines': ({ reads }) => reads.some(read => /[^\n]$/.test(read.toString())),
  'byte-by-byte': ({ reads }) => reads.filter(({ length }) => length === 1).length > 100,
  'type-upper-case': ({ type }) => type === 'Text/Event-Stream; Charset=UTF-8',
  'type-text-plain': ({ type }) => type === 'text/plain; charset=utf-8',
  'type-json': ({ type }) => type === 'application/json',
  'type-octet-stream': ({ type }) => type === 'application/octet-stream',
  'type-missing': ({ type }) => type === undefined,
}
/** The events that a reader gets which ignores empty data, and finishes the last event at the end of the stream. */
const readable = (text: string): Told[] =>
  eventsOf(`${text.replace(/^\ufeff/, '')}\n\n`)
    .filter(({ data }) => data !== '')
    .map(({ event, data }) => ({ event, data: data === '[DONE]' ? data : JSON.stringify(JSON.parse(data)) }))
const timeless = (told: Told[]) =>
  told.map(({ event, data }) => ({ event, data: data.replace(/"created(_at)?":\d+/, '') }))

for (const { name } of framing) {
  t.test(`${name}: the bytes are odd, and say the same`, async t => {
    const answer = { text: 'hello wörld 😀', tool_calls: [{ name: 'add', arguments: { b: 'é' } }] }
    for (const protocol of protocolNames) {
      const seen = await play(t, name, { protocol, answer })
      t.ok(odd[name]?.(seen), `${protocol}: ${seen.text.slice(0, 200)}`)
      t.equal(seen.end, 'close')
      const plain = await play(t, [], { protocol, answer })
      t.ok(plain.text.length > 500)
      t.same(timeless(readable(seen.text)), timeless(readable(plain.text)))
    }
  })
}

t.test('an answer that is not streamed can be cut up too', async t => {
  for (const fault of ['split-characters', 'byte-by-byte']) {
    const { text, reads } = await play(t, fault, { stream: false, answer: { text: 'wörld 😀' } })
    t.match(JSON.parse(text), { choices: [{ message: { content: 'wörld 😀' } }] })
    t.ok(reads.length > 2)
  }
})

t.test('several faults are played together', async t => {
  const { text, type, end } = await play(t, ['crlf', 'type-missing', 'cut-in-text'])
  t.equal(type, undefined)
  t.equal(end, 'break')
  t.match(text, /hello "\}.*\r\n\r\n$/)
})
