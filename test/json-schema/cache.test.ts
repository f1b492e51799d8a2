// The memory of compiled schemas is bounded in number and in size.
import t from 'tap'
import { remembering } from '../../src/json-schema/cache.ts'

const counting = (texts: number, characters: number) => {
  const made: string[] = []
  const get = remembering({ texts, characters }, text => {
    made.push(text)
    return { text }
  })
  return { get, made }
}

t.test('what was made is given again', async t => {
  const { get, made } = counting(2, 100)
  t.equal(get('a'), get('a'))
  t.same(made, ['a'])
})

t.test('the text that was not used for longest is forgotten first', async t => {
  const { get, made } = counting(2, 100)
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) get(text)
  t.same(made, ['a', 'b', 'c', 'b'])
})

t.test('long texts push out more than one', async t => {
  const { get, made } = counting(10, 10)
  for (const text of ['aaa', 'bbb', 'ccc', 'dddddd', 'ccc', 'aaa']) get(text)
  t.same(made, ['aaa', 'bbb', 'ccc', 'dddddd', 'aaa'])
})

t.test('a text that is too long by itself is made each time', async t => {
  const { get, made } = counting(10, 3)
  t.same(get('aaaa'), { text: 'aaaa' })
  get('aaaa')
  t.same(made, ['aaaa', 'aaaa'])
})
