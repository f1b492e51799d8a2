// The drawings in docs/architecture.md are those of the charts, and the tables in docs/models.md those of the code.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { withCharts } from '../../src/documents/charts.ts'
import { drawingOf } from '../../src/documents/drawing.ts'
import { withModelTables } from '../../src/documents/model-tables.ts'

t.test('docs/architecture.md shows the charts as they are', async t => {
  const file = path.resolve(import.meta.dirname, '../../docs/architecture.md')
  const text = readFileSync(file, 'utf8')
  t.equal(withCharts(text), text, 'npm run documents draws them')
  t.throws(() => withCharts('nothing'), /no markers/)
})

t.test('docs/models.md shows the dialects and the switches as they are', async t => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/models.md'), 'utf8')
  t.equal(withModelTables(text), text, 'npm run documents writes them')
  t.throws(() => withModelTables('nothing'), /no markers/)
})

t.test('a drawing joins neighbours and says where an arrow begins and ends within them', async t => {
  const drawing = drawingOf({
    id: 'door',
    initial: 'shut',
    states: {
      shut: { on: { Opened: [{ guard: 'isWide', target: '#door.open.wide' }, { target: 'open' }] } },
      open: {
        initial: 'ajar',
        on: { Broken: '#door.open.stuck' },
        states: {
          ajar: { on: { Pushed: 'wide', Shut: '#door.shut' } },
          wide: { on: { Shut: '#door.shut' } },
          stuck: { on: { Broken: {} } },
        },
      },
    },
  })
  t.same(drawing.split('\n'), [
    'stateDiagram-v2',
    '  [*] --> shut',
    '  state "shut" as shut',
    '  state "open" as open {',
    '    [*] --> open_ajar',
    '    state "ajar" as open_ajar',
    '    state "wide" as open_wide',
    '    state "stuck" as open_stuck',
    '    note right of open_stuck: forbids Broken',
    '    open_ajar --> open_stuck: Broken',
    '    open_wide --> open_stuck: Broken',
    '    open_ajar --> open_wide: Pushed',
    '  }',
    '  shut --> open: Opened [isWide] to wide',
    '  shut --> open: Opened',
    '  open --> shut: Shut from ajar or wide',
  ])
})
