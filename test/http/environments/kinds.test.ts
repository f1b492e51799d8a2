// Which environments there are, and the tools that an environment offers.

import t from 'tap'
import { brief } from '../../support/http.ts'
import { givenEnvironments } from './given.ts'

const { made, step, add, reset, call, faults } = await givenEnvironments(t)

t.test('tools that come with the state are told, and can be called', async t => {
  const id = await made()
  t.equal((await step(id, 'celebrate')).status, 422)
  const { body } = await add(id, 1000)
  t.ok(body.tools.some(tool => tool.function.name === 'celebrate'))
  t.equal((await step(id, 'celebrate')).status, 200)
  await reset(id)
  t.equal((await step(id, 'celebrate')).status, 422, 'and go with it')
})

type Info = Record<string, string>
const listed = async (query = ''): Promise<Info[]> => {
  const { status, body, text } = await call('GET', `/env${query}`)
  if (status !== 200) throw new Error(text)
  return (body as unknown as { environments: Info[] }).environments
}

t.test('the list of environments has ours and those of the folder, in pages by name', async t => {
  const all = await listed()
  const names = all.map(info => String(info.name))
  const ours = [
    'chess',
    'counter.mjs#Counter',
    'counter.mjs#Gone',
    'counter.mjs#Kept',
    'gridworld',
    'sql',
    'workspace',
  ]
  for (const name of ours) t.ok(names.includes(name), name)
  t.same(names, names.toSorted())
  const fields = ['default_params_summary', 'importable', 'module', 'name', 'origin', 'source']
  for (const info of all) {
    t.same(
      fields.filter(field => typeof info[field] !== 'string'),
      [],
    )
    t.ok(['builtin', 'external', 'local'].includes(String(info.origin)))
  }
  const one = (name: string) => all.find(info => info.name === name)
  t.match(one('broken.mjs'), { importable: 'false', error: /this module is broken/, origin: 'external' })
  t.match(one('counter.mjs#Counter'), {
    importable: 'true',
    module: 'counter.mjs',
    default_params_summary: /start=0/,
  })
  t.match(one('gridworld'), { importable: 'true', origin: 'builtin' })

  const paged: string[] = []
  for (let after = ''; ; after = encodeURIComponent(paged.at(-1) ?? '')) {
    const page = await listed(`?limit=3${after === '' ? '' : `&starting_after=${after}`}`)
    t.ok(page.length <= 3)
    if (page.length === 0) break
    paged.push(...page.map(info => String(info.name)))
  }
  t.same(paged, names, 'page after page')
  const middle = encodeURIComponent(names[4] ?? '')
  t.same(
    (await listed(`?limit=2&ending_before=${middle}`)).map(info => info.name),
    names.slice(2, 4),
    'the page before one is the nearest',
  )
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2']) {
    const { status, body } = await call('GET', `/env?${query}`)
    t.equal(status, 422, query)
    t.same(body.detail[0]?.loc, ['query', 'limit'])
  }
  const { status, body } = await call('GET', '/env?starting_after=chess&ending_before=sql')
  t.equal(status, 422, 'one cursor at a time')
  t.same(brief(body.detail), ['query starting_after value_error', 'query ending_before value_error'])
  for (const cursor of ['starting_after', 'ending_before'])
    for (const name of ['', 'nowhere']) {
      const { status, body } = await call('GET', `/env?${cursor}=${name}`)
      t.equal(status, 422, `${cursor}=${name}`)
      t.same(brief(body.detail), [`query ${cursor} value_error`])
    }
})

t.test('one environment is found by its name, its module, or its module and class', async t => {
  for (const [name, expected] of [
    ['gridworld', ['gridworld']],
    ['counter.mjs', ['counter.mjs#Counter', 'counter.mjs#Gone', 'counter.mjs#Kept']],
    ['counter', ['counter.mjs#Counter', 'counter.mjs#Gone', 'counter.mjs#Kept']],
    ['counter.mjs#Kept', ['counter.mjs#Kept']],
    ['broken.mjs', ['broken.mjs']],
  ] as const) {
    const { status, body } = await call('GET', `/env/${encodeURIComponent(name)}`)
    t.equal(status, 200, name)
    const { details, name: told } = body as unknown as { name: string; details: Info[] }
    t.equal(told, name)
    t.same(details.map(info => info.name).sort(), expected)
  }
  for (const name of ['nowhere', 'counter.mjs#Nobody', '../http', 'sessions.mjs']) {
    const { status, body } = await call('GET', `/env/${encodeURIComponent(name)}`)
    t.equal(status, 404, name)
    t.match(body, { code: -32024, detail: /./ })
  }
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
