import t from 'tap'
import { realWorld } from '../../src/platform/world.ts'
import { builtinTools } from '../../src/tools/builtin.ts'
import { failure, givenWorkspace } from './support.ts'

const tools = builtinTools(realWorld())
const names = tools.map(tool => tool.definition.function.name)

t.test('the tools are these, each with what a model must know', async t => {
  t.same(names, [
    'calculator',
    'current_time',
    'read_file',
    'write_file',
    'list_files',
    'search_files',
    'run_javascript',
  ])
  for (const { definition } of tools) {
    const { name, description, strict, parameters } = definition.function
    t.equal(definition.type, 'function')
    t.equal(strict, false)
    t.ok(description && description.length > 40, name)
    t.match(parameters, { type: 'object', additionalProperties: false }, name)
    const { properties, required } = parameters as { properties: Record<string, object>; required: string[] }
    for (const property of Object.values(properties)) t.match(property, { type: String, description: String })
    t.ok(
      required.every(name => name in properties),
      name,
    )
  }
})

t.test('every call may run again, but for one that appends', async t => {
  const safe = (name: string, args: Record<string, unknown>) => tools[names.indexOf(name)]?.isSafe(args)
  for (const name of names) t.equal(safe(name, {}), true, name)
  t.equal(safe('write_file', { path: 'a', content: 'b', append: false }), true)
  t.equal(safe('write_file', { path: 'a', content: 'b', append: true }), false)
})

t.test('a call that is stopped before it begins does nothing', async t => {
  const { call, work, inside } = givenWorkspace(t)
  const signal = AbortSignal.abort()
  const calls: Record<string, object> = {
    calculator: { expression: '1' },
    current_time: {},
    read_file: { path: 'a' },
    write_file: { path: 'a', content: 'b' },
    list_files: {},
    search_files: { pattern: 'a' },
    run_javascript: { code: '1' },
  }
  t.same(Object.keys(calls), names)
  for (const [name, args] of Object.entries(calls)) {
    t.equal(await failure(call(name, args, { signal, workdir: work })), 'The call was stopped', name)
  }
  t.equal(await failure(call('read_file', { path: inside('a') })), `${inside('a')} does not exist`)
})
