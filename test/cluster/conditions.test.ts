// What a node says about the things that are wrong with it.
import { readFileSync } from 'node:fs'
import tap from 'tap'
import { conditionCodes, createConditions } from '../../src/cluster/conditions.ts'
import { testWorld } from '../support/world.ts'

const conditionsHere = () => {
  const world = testWorld()
  const lines: string[] = []
  const conditions = createConditions({
    ...world,
    report: (level, text) => void lines.push(`${level} ${text}`),
  })
  let changes = 0
  conditions.onChange(() => void changes++)
  return { world, lines, conditions, changes: () => changes }
}

tap.test('a condition has one line when it begins and one when it is over', async t => {
  const { world, lines, conditions, changes } = conditionsHere()
  conditions.begin('log-damaged', 'record 7 is missing')
  conditions.begin('log-damaged', 'record 8 is missing')
  t.same(lines, ['warn record 7 is missing'])
  t.match(conditions.all(), [{ code: 'log-damaged', text: 'record 8 is missing', effect: 'barred' }])
  t.notOk(conditions.areReady())
  await world.advance(4000)
  conditions.end('log-damaged')
  conditions.end('log-damaged')
  t.same(lines, ['warn record 7 is missing', 'warn over after 4 s: record 8 is missing'])
  t.same(conditions.all(), [])
  t.ok(conditions.areReady())
  t.equal(changes(), 2)
})

tap.test('what is over soon says nothing', async t => {
  const { world, lines, conditions, changes } = conditionsHere()
  conditions.begin('servers-away', 'the servers do not answer')
  await world.advance(4999)
  t.same(conditions.all(), [])
  conditions.end('servers-away')
  await world.advance(10_000)
  t.same([lines, changes()], [[], 0])
  conditions.begin('servers-away', 'the servers do not answer')
  await world.advance(5000)
  t.same(lines, ['warn the servers do not answer'])
})

tap.test('a condition can make a node unready, or even keep it from taking over', async t => {
  const { conditions } = conditionsHere()
  conditions.begin('unsynced', 'the servers may lose records')
  t.ok(conditions.areReady())
  conditions.begin('clock-differs', 'the clocks differ')
  t.same([conditions.areReady(), conditions.areBarred()], [false, false])
  conditions.begin('catching-up', 'this node reads the shared log')
  t.same([conditions.areReady(), conditions.areBarred()], [false, true])
  t.same(
    conditions.all().map(({ code }) => code),
    ['unsynced', 'clock-differs', 'catching-up'],
  )
})

tap.test('no server is to be mended from the others while none of them has a record', async t => {
  const { world, conditions } = conditionsHere()
  const shown = () => conditions.shown().map(({ code }) => code)
  conditions.begin('server-damaged', 'move the store of nats-0 aside')
  await world.advance(20_000)
  t.same(shown(), ['server-damaged'])
  conditions.begin('log-damaged', 'make the stream again')
  t.same(shown(), ['log-damaged'])
})

tap.test('docs/cluster.md says of each condition what it means and what to do', async t => {
  const [, symptoms = ''] = readFileSync('docs/cluster.md', 'utf8').split('\n## Symptoms\n')
  const rows = [...symptoms.matchAll(/^\| `([a-z-]+)`[^|]*\|([^|]+)\|([^|]+)\|$/gm)]
  t.same(rows.map(([, code]) => code).sort(), [...conditionCodes].sort())
})
