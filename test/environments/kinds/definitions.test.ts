// What every kind says of itself, for clients and for models.
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import Value from 'typebox/value'
import { ToolDefinition } from '../../../src/contract/wire.ts'
import { Chess } from '../../../src/environments/kinds/chess/chess.ts'
import { GridWorld } from '../../../src/environments/kinds/gridworld/gridworld.ts'
import { Sql } from '../../../src/environments/kinds/sql/sql.ts'
import { Workspace } from '../../../src/environments/kinds/workspace/workspace.ts'
import { contextOf, failure, folder } from './support.ts'
import { variablesFor } from './workspace-support.ts'

Object.assign(process.env, variablesFor('limits')) // this process ends with its tests

const kinds = { Chess, GridWorld, Sql, Workspace }

for (const [name, Kind] of Object.entries(kinds)) {
  t.test(`${name} describes itself, its parameters and its tools`, async t => {
    const ajv = new Ajv2020({ allowUnionTypes: true })
    const kind = new Kind({}, { dir: folder(t), env_vars: {} })
    t.teardown(() => kind.close())
    t.ok(Kind.description.length > 40)
    t.ok(ajv.compile(Kind.parameters)({}), 'no field is needed')
    t.notOk(ajv.compile(Kind.parameters)({ unknown: 1 }))
    for (const { description } of Object.values(Kind.parameters.properties ?? {})) t.ok(description)
    t.ok(kind.tools().length >= 1)
    for (const tool of kind.tools()) {
      const { parameters, name: called, description = '' } = tool.function
      t.ok(Value.Check(ToolDefinition, tool), called)
      t.ok(ajv.validateSchema(parameters), called)
      t.ok(description.length > 30, called)
      for (const one of Object.values(parameters.properties as object)) t.ok(one.description, called)
    }
  })

  t.test(`${name} needs a reset first, and knows its own tools alone`, async t => {
    const kind = new Kind({}, { dir: folder(t), env_vars: {} })
    t.teardown(() => kind.close())
    if (Kind !== Workspace) t.match(await failure(() => kind.observe()), /reset comes first$/)
    kind.reset(1, {})
    const before = await kind.observe()
    for (const tool of ['nonsense', 'constructor', '__proto__', '']) {
      t.match(await failure(() => kind.step(tool, {}, contextOf())), `There is no tool ${tool}: there is `)
    }
    t.match(await failure(() => kind.reset(1, { unknown: 1 })), 'unknown is not known: there is ')
    t.same(await kind.observe(), before)
    t.same(JSON.parse(JSON.stringify(before)), before, 'the state is JSON')
  })
}
