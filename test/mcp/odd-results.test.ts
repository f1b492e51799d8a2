// The kind: a result has another form than the protocol wants. What is in it is used, and what has no form of ours is
// shown as JSON, so nothing that came is lost.
import t from 'tap'
import { failedContent, readResult } from '../../src/mcp/content.ts'
import { result } from './servers/raw.mjs'
import { listOf, plainTool, rawPlace } from './servers/raw.ts'
import { givenMcp } from './support.ts'

const data = Buffer.from('a picture').toString('base64')
const png = 'iVBORw0KGgo='
const text = (words: string) => ({ type: 'text', text: words })
const image = (url: string) => ({ type: 'image_url', image_url: { url } })

/** By name: a result, and the content of the call's result. */
const results: Record<string, [unknown, unknown]> = {
  'content that is null': [{ content: null }, ''],
  'no content': [{}, ''],
  'an empty content': [{ content: [] }, ''],
  'content that is a text': [{ content: 'words' }, 'words'],
  'content that is one block': [{ content: text('words') }, 'words'],
  'a result that is a text': ['words', 'words'],
  'a result that is a number': [7, '7'],
  'a result that is null': [null, ''],
  'a result that is a list': [
    [text('one'), 'two'],
    [text('one'), text('two')],
  ],
  'texts in place of blocks': [{ content: ['one', 'two'] }, [text('one'), text('two')]],
  'blocks that are null': [{ content: [null, text('words'), null] }, 'words'],
  'a block that is a number': [{ content: [7] }, '7'],
  'a block without a type': [{ content: [{ text: 'words' }] }, 'words'],
  'a text that is null': [{ content: [{ type: 'text', text: null }] }, ''],
  'a text that is an object': [{ content: [{ type: 'text', text: { a: 1 } }] }, '{"a":1}'],
  'a text block without a text': [{ content: [{ type: 'text', value: 1 }] }, '{"type":"text","value":1}'],
  'a text with null annotations': [
    { content: [{ ...text('words'), annotations: null, _meta: null }] },
    'words',
  ],
  'an unknown type': [{ content: [{ type: 'chart', x: [1] }] }, '{"type":"chart","x":[1]}'],
  'an image without a media type': [
    { content: [{ type: 'image', data: png }] },
    [image(`data:image/png;base64,${png}`)],
  ],
  'an image with a media type that is null': [
    { content: [{ type: 'image', data: '/9j/4AAQ', mimeType: null }] },
    [image('data:image/jpeg;base64,/9j/4AAQ')],
  ],
  'an image in lines': [
    { content: [{ type: 'image', data: `${data.slice(0, 4)}\n${data.slice(4)}\n`, mimeType: 'image/gif' }] },
    [image(`data:image/gif;base64,${data}`)],
  ],
  'an image that is a URL of data': [
    { content: [{ type: 'image', data: `data:image/png;base64,${data}`, mimeType: 'image/png' }] },
    [image(`data:image/png;base64,${data}`)],
  ],
  'an image for a model': [
    { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/webp', data } }] },
    [image(`data:image/webp;base64,${data}`)],
  ],
  'an image that is no base64': [
    { content: [{ type: 'image', data: '%%%', mimeType: 'image/png' }] },
    [image('data:image/png;base64,%%%')],
  ],
  'an image without data': [
    { content: [{ type: 'image', url: 'https://x.example/a' }] },
    '{"type":"image","url":"https://x.example/a"}',
  ],
  'a sound without a media type': [
    { content: [{ type: 'audio', data }] },
    [{ type: 'input_audio', input_audio: { data, format: 'wav' } }],
  ],
  'a link without a name': [
    { content: [{ type: 'resource_link', uri: 'https://x.example/a/b.pdf' }] },
    [{ type: 'file', file: { file_url: 'https://x.example/a/b.pdf', filename: 'b.pdf' } }],
  ],
  'a link without a URI': [
    { content: [{ type: 'resource_link', name: 'b' }] },
    '{"type":"resource_link","name":"b"}',
  ],
  'a resource that is null': [
    { content: [{ type: 'resource', resource: null }] },
    '{"type":"resource","resource":null}',
  ],
  'a resource with a null text and a blob': [
    {
      content: [
        { type: 'resource', resource: { uri: 'file:///b.bin', text: null, blob: data, mimeType: null } },
      ],
    },
    [
      {
        type: 'file',
        file: {
          file_url: 'file:///b.bin',
          filename: 'b.bin',
          file_data: `data:application/octet-stream;base64,${data}`,
        },
      },
    ],
  ],
  'a resource without a URI': [{ content: [{ type: 'resource', resource: { text: 'words' } }] }, 'words'],
  'structure alone': [{ structuredContent: { sum: 3 } }, '{"sum":3}'],
  'structure and a blank text': [{ content: [text(' ')], structuredContent: { sum: 3 } }, '{"sum":3}'],
  'structure and null': [{ content: null, structuredContent: [1, 2] }, '[1,2]'],
  'structure and a text': [{ content: [text('three')], structuredContent: { sum: 3 } }, 'three'],
  'structure and an image': [
    { content: [{ type: 'image', data: png, mimeType: 'image/png' }], structuredContent: { sum: 3 } },
    [image(`data:image/png;base64,${png}`), text('{"sum":3}')],
  ],
  'structure that is null': [{ content: [], structuredContent: null }, ''],
  'the result of an old version': [{ toolResult: { sum: 3 } }, '{"sum":3}'],
  'unknown fields alone': [{ output: 'words', _meta: {}, isError: false }, '{"output":"words"}'],
}

for (const [name, [given, content]] of Object.entries(results)) {
  t.test(`${name} is read`, async t => t.same(readResult(given), { content, isError: false }))
}

t.test('all of them come through a server', async t => {
  const names = Object.keys(results)
  const place = await rawPlace(t, {
    lists: [listOf(names.map((_, n) => plainTool(`tool${n}`)))],
    calls: Object.fromEntries(names.map((name, n) => [`tool${n}`, { writes: [result(results[name]?.[0])] }])),
  })
  const { call } = await givenMcp(t, [place.server])
  for (const [n, name] of names.entries()) t.same(await call(`s__tool${n}`), results[name]?.[1], name)
})

t.test('a failed result says why, or at least what failed', async t => {
  const mask = (words: string) => words.replace('secret', '***')
  for (const [given, content] of [
    [{ isError: true, content: [text('a secret reason')] }, 'a *** reason'],
    [{ isError: true, content: [] }, 'the tool "go" failed'],
    [{ isError: true }, 'the tool "go" failed'],
    [{ isError: true, content: null }, 'the tool "go" failed'],
    [{ isError: true, content: [text(' ')] }, 'the tool "go" failed'],
    [{ isError: 'true', content: 'a reason' }, 'a reason'],
    [{ isError: true, structuredContent: { why: 'secret' } }, '{"why":"***"}'],
    [
      {
        isError: true,
        content: [text('see the secret picture'), { type: 'image', data: png, mimeType: 'image/png' }],
      },
      [text('see the *** picture'), image(`data:image/png;base64,${png}`)],
    ],
  ] as const) {
    const read = readResult(given)
    t.equal(read.isError, true, JSON.stringify(given))
    t.same(failedContent(read.content, 'go', mask), content)
  }
  for (const isError of [false, null, undefined, 'false', 0])
    t.equal(readResult({ isError, content: [text('fine')] }).isError, false, String(isError))
})
