// Users take turns with the checker: what one of them sends may take as long as it likes.
import t from 'tap'
import { catastrophe, checkerFor } from './support.ts'

t.test('checks of one user that take too long hold up nobody else', async t => {
  const { check, problemsOf } = checkerFor(t)
  let over = 0
  const slow = Array.from({ length: 5 }, () =>
    check(catastrophe.schema, catastrophe.value, 'ann').then(
      () => over++,
      () => over++, // it was closed
    ),
  )
  t.same(await check({ type: 'string' }, 'x', 'bob'), { ok: true })
  t.match(await problemsOf({ type: 'nothing' }, 'cas'), [/type/])
  t.equal(over, 0, 'while the first one is still at it')
  t.equal(slow.length, 5)
})

t.test('what one user asks is answered in the order in which it was asked', async t => {
  const { check } = checkerFor(t)
  const answered: number[] = []
  const asked = Array.from({ length: 20 }, (_, n) =>
    check({ const: n }, n, 'ann').then(() => answered.push(n)),
  )
  await Promise.all(asked)
  t.same(answered, [...asked.keys()])
})
