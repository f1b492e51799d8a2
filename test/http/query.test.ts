// How the server reads the parameters of a query.
import t from 'tap'
import { Invalid, type Problem } from '../../src/contract/refusals.ts'
import { type QueryReader, readQuery } from '../../src/http/request/query.ts'

const brief = (problems: Problem[]) => problems.map(({ loc, type }) => [...loc, type].join(' '))

function thrown(act: () => unknown): Problem[] {
  try {
    act()
  } catch (error) {
    if (error instanceof Invalid) return error.problems
    throw error
  }
  return []
}

function queryProblems(query: unknown, read: (q: QueryReader) => unknown): string[] {
  const q = readQuery(query)
  read(q)
  return brief(thrown(() => q.done()))
}

t.test('reads texts of a query', async t => {
  const q = readQuery({ session_id: 's', empty: '' })
  t.equal(q.text('session_id'), 's')
  t.equal(q.text('empty'), '')
  t.equal(q.text('user_id'), undefined)
  t.equal(q.text('toString'), undefined, 'own names only')
  t.doesNotThrow(() => q.done())
  t.same(
    queryProblems({ a: ['x', 'y'] }, q => q.text('a')),
    ['query a string_type'],
  )
  t.equal(readQuery(undefined).text('a'), undefined)
})

t.test('reads integers of a query strictly', async t => {
  const limit = { min: 1, max: 100, fallback: 10 }
  const q = readQuery({ limit: '25', zero: '0', big: '999999999999999' })
  t.equal(q.integer('limit', limit), 25)
  t.equal(q.integer('absent', limit), 10)
  t.equal(q.integer('absent', { fallback: undefined }), undefined)
  t.equal(q.integer('zero', { fallback: 1 }), 0)
  t.equal(q.integer('big', { fallback: 1 }), 999_999_999_999_999)
  t.doesNotThrow(() => q.done())
  for (const value of ['', 'true', '1.5', '-01', ' 1', '1e3', '01', '+1', '0x1', '١', ['1', '2']]) {
    t.same(
      queryProblems({ limit: value }, q => q.integer('limit', limit)),
      ['query limit int_parsing'],
      String(value),
    )
  }
  for (const [value, problem] of [
    ['0', 'greater_than_equal'],
    ['-1', 'greater_than_equal'],
    ['101', 'less_than_equal'],
    ['9'.repeat(40), 'less_than_equal'],
  ]) {
    t.same(
      queryProblems({ limit: value }, q => q.integer('limit', limit)),
      [`query limit ${problem}`],
      'a number that is out of range says the range, however long it is',
    )
  }
})

t.test('reads one of some values', async t => {
  const orders = ['asc', 'desc'] as const
  const q = readQuery({ order: 'asc' })
  t.equal(q.oneOf('order', orders, 'desc'), 'asc')
  t.equal(q.oneOf('absent', orders, 'desc'), 'desc')
  t.equal(q.oneOf('absent', orders, undefined), undefined)
  t.doesNotThrow(() => q.done())
  for (const order of ['', 'ASC', 'constructor', ['asc', 'desc']]) {
    t.same(
      queryProblems({ order }, q => q.oneOf('order', orders, 'desc')),
      ['query order enum'],
    )
  }
})

t.test('reads many of some values, with brackets or without', async t => {
  const values = ['working', 'paused', 'failed'] as const
  const read = (query: unknown) => readQuery(query).listOf('status', values)
  t.same(read({ status: 'paused' }), ['paused'])
  t.same(read({ status: ['paused', 'failed'] }), ['paused', 'failed'])
  t.same(read({ 'status[]': ['paused'] }), ['paused'])
  t.same(read({ status: 'paused', 'status[]': ['failed', 'working'] }), ['paused', 'failed', 'working'])
  t.equal(read({}), undefined)
  const problems = (query: unknown) => queryProblems(query, q => q.listOf('status', values))
  t.same(problems({ status: '' }), ['query status 0 enum'])
  t.same(read({ status: 'paused,failed' }), ['paused', 'failed'])
  t.same(read({ 'status[0]': 'paused', 'status[1]': 'failed' }), ['paused', 'failed'])
  t.same(problems({ 'status[0]': 'x' }), ['query status 0 enum'])
  t.equal(read({ 'status[x]': 'paused', 'status[0][1]': 'paused' }), undefined, 'these are other parameters')
  t.same(problems({ status: ['paused', 'x'], 'status[]': 'y' }), [
    'query status 1 enum',
    'query status 2 enum',
  ])
})

t.test('reads booleans of a query in any case, and nothing else', async t => {
  const q = readQuery({ yes: 'true', no: 'false' })
  t.equal(q.boolean('yes', false), true)
  t.equal(q.boolean('no', true), false)
  t.equal(q.boolean('absent', true), true)
  t.doesNotThrow(() => q.done())
  for (const value of ['', '1', '0', 'yes', ['true', 'true']]) {
    t.same(
      queryProblems({ a: value }, q => q.boolean('a', false)),
      ['query a bool_parsing'],
    )
  }
})

t.test('collects every problem of a query until it is done', async t => {
  const q = readQuery({ limit: 'x', order: 'up', session_id: ['a', 'b'] }, 'path')
  q.text('session_id')
  q.integer('limit', { fallback: 1 })
  q.oneOf('order', ['asc'], 'asc')
  t.same(brief(thrown(() => q.done())), [
    'path session_id string_type',
    'path limit int_parsing',
    'path order enum',
  ])
})
