// How the console reads Markdown: a text that grows, and texts that somebody wrote to do harm.
import fc from 'fast-check'
import t from 'tap'
import { type Blocks, blocksOf, isMarked, steady } from '../../console/ui/markdown-blocks.ts'

const seed = process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }

/** The form of blocks, without the numbers of lines, which count from where the text was read. */
const formOf = (found: Blocks | undefined) =>
  found?.blocks.map(({ at, tokens }) => ({
    at,
    tokens: tokens.map(({ type, content, children, info, hidden }) => ({
      type,
      content,
      info,
      hidden,
      children: children?.map(child => [child.type, child.content, child.attrs]),
    })),
  }))

const pieces = [
  ...[
    '# Title\n',
    'some *text* with `code`',
    '\n',
    '\n\n',
    '- one\n',
    '  - inner\n',
    '1. first\n',
    '> quoted\n',
  ],
  ...[
    '```js\n',
    'let a = 1\n',
    '```\n',
    '| a | b |\n|---|---|\n',
    '| 1 | 2 |\n',
    '    indented\n',
    '---\n',
    '\t',
  ],
  ...[
    '[a]',
    '[a]: https://a.example\n',
    '<b>x</b>',
    '**bold',
    '**',
    '\r\n',
    '\\',
    'https://b.example ',
    '~~~\n',
  ],
]
const texts = fc.array(fc.constantFrom(...pieces), { minLength: 4, maxLength: 14 })

t.test('a text that grows has at each moment the blocks of the text read at once', async t => {
  let references = 0
  let kept = 0
  fc.assert(
    fc.property(texts, given => {
      let before: Blocks | undefined
      let text = ''
      for (const piece of given) {
        text += piece
        const next = blocksOf(text, before)
        t.same(formOf(next), formOf(blocksOf(text)))
        if (next?.hasReferences) references++
        if (next?.blocks.some(block => before?.blocks.includes(block))) kept++
        before = next
      }
    }),
    { numRuns: 300, ...seed },
  )
  t.ok(references > 10 && kept > 50, `${references} with references, ${kept} that kept blocks`)
})

t.test('a block that is complete stays the same object, so that it is not drawn again', async t => {
  const before = blocksOf('# One\n\nTwo\n\nThr')
  const after = blocksOf('# One\n\nTwo\n\nThree\n\nFour', before)
  t.same(
    after?.blocks.map(block => before?.blocks.includes(block)),
    [true, true, false, false],
  )
})

t.test('what arrives is not drawn as something that it will not be', async t => {
  const shown = (text: string) =>
    blocksOf(steady(text))?.blocks.flatMap(({ tokens }) => tokens[0]?.type ?? [])
  t.same(shown('Items:\n-'), ['paragraph_open'], 'no heading before the list')
  t.same(shown('Items:\n- a'), ['paragraph_open', 'bullet_list_open'])
  t.same(shown('Code:\n```py'), ['paragraph_open'], 'no block before its language is known')
  t.same(
    shown('Code:\n```python\nx = 1\n\ny'),
    ['paragraph_open', 'fence'],
    'a fence that is half open is code',
  )
  for (const [given, expected] of [
    ['so **bo', 'so **bo**'],
    ['so **bold*', 'so **bold**'],
    ['so `co', 'so `co`'],
    ['so **bold** and', 'so **bold** and'],
    ['2 ** 3 and', '2 ** 3 and'],
    ['```js\nlet a = `b', '```js\nlet a = `b'],
    ['the answer is 4', 'the answer is 4'],
    ['4', '4'],
  ])
    t.equal(steady(given ?? ''), expected)
  fc.assert(
    fc.property(texts, given => {
      const text = given.join('')
      t.ok(steady(text).length <= text.length + 2, 'little is added')
    }),
    { numRuns: 200, ...seed },
  )
})

t.test('only a text that looks different as Markdown can be shown in two ways', async t => {
  for (const text of [
    'What is 17 * 23?',
    'Set MODEL_BASE_URL.',
    'One line\nand another\n\nand more',
    'a & b',
  ])
    t.notOk(isMarked(text, false), text)
  for (const text of [
    '*so*',
    '- a',
    'see https://a.example',
    '    code',
    '`x`',
    '| a |\n|---|\n',
    '1. a',
    '&amp;',
  ])
    t.ok(isMarked(text, false), text)
  t.ok(isMarked('What is 17 * 2', true), 'a guess while it grows')
})

t.test('no text makes the browser wait', async t => {
  const n = 50_000
  const hostile = [
    ...[
      '[',
      '*a ',
      '*a_',
      '_',
      '>',
      '> ',
      '|',
      '[a](',
      '![a](',
      '<',
      '<a ',
      '<!--',
      '&',
      '~',
      '\n',
      '#',
      '\\',
    ],
    ...['**a _b ', 'https://', 'a@', '[a]: ', '1. ', '- ', '    a\n', '`` ` ', '|a|b|\n'],
  ].map(part => part.repeat(n / part.length))
  const nested = Array.from({ length: 400 }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n')
  const stars = `${'*'.repeat(n)}a${'*'.repeat(n)}`
  const began = process.cpuUsage()
  for (const text of [...hostile, nested, stars]) {
    blocksOf(text)
    blocksOf(steady(text))
    isMarked(text, false)
  }
  const { user, system } = process.cpuUsage(began)
  t.ok(user + system < 20e6, `${Math.round((user + system) / 1e6)} s for all`)
  t.equal(blocksOf('a'.repeat(400_000)), undefined, 'a text that is too long stays a text')
  t.equal(blocksOf('|a|b|\n|-|-|\n'.repeat(10_000)), undefined, 'and one with too many parts')
  const deep = (depth: number) => blocksOf(`${'> '.repeat(depth)}the end`)
  for (const depth of [61, 62, 63, 1000]) t.equal(deep(depth), undefined, `and one of depth ${depth}`)
  t.match(JSON.stringify(deep(59)), /the end/, 'all of another one is there')
})
