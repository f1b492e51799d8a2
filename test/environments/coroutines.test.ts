// Every method of a class may be asynchronous, in every form of class.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { environmentsIn, keeping, resetOf, stepOf } from './support.ts'

t.jobs = 2

const methods = ['reset', 'step', 'observe', 'tools', 'snapshot', 'restore', 'close'] as const
type Method = (typeof methods)[number]

/** A counter in Python, of which these methods are coroutines. */
const python = (coroutines: readonly Method[]): string => {
  const def = (name: Method) => (coroutines.includes(name) ? 'async def' : 'def')
  return `import asyncio
class Count:
    recovery = "snapshot"
    def __init__(self, kwargs, given):
        self.end = kwargs["end"]
        self.lock = asyncio.Lock()
    ${def('reset')} reset(self, seed, options):
        self.n = 0
        return {"n": 0}
    ${def('step')} step(self, tool, args, context):
        self.n += args["by"]
        return {"content": str(self.n)}
    ${def('observe')} observe(self):
        return {"n": self.n}
    ${def('tools')} tools(self):
        return [{"type": "function", "function": {"name": "go", "parameters": {}}}]
    ${def('snapshot')} snapshot(self):
        return self.n
    ${def('restore')} restore(self, data):
        self.n = data
    ${def('close')} close(self):
        with open(self.end, "w") as file: file.write("closed")
`.replaceAll(/(async def .*:\n)/g, '$1        async with self.lock: await asyncio.sleep(0.001)\n')
}

const javascript = (coroutines: readonly Method[]): string => {
  const begin = (name: Method) => (coroutines.includes(name) ? `async ${name}` : name)
  return `import { writeFileSync } from 'node:fs'
export class Count {
  static recovery = 'snapshot'
  constructor({ end }) { this.end = end }
  ${begin('reset')}() { this.n = 0; return { n: 0 } }
  ${begin('step')}(tool, { by }) { this.n += by; return { content: String(this.n) } }
  ${begin('observe')}() { return { n: this.n } }
  ${begin('tools')}() { return [{ type: 'function', function: { name: 'go', parameters: {} } }] }
  ${begin('snapshot')}() { return this.n }
  ${begin('restore')}(data) { this.n = data }
  ${begin('close')}() { writeFileSync(this.end, 'closed') }
}
`.replaceAll(/(async \w+\(.*?\) \{)/g, '$1 await new Promise(setImmediate);')
}

const instanceOf = async (t: Test, file: string, text: string, kwargs: object = {}) => {
  const { resolve, open, instanceDir } = await environmentsIn(t, { [file]: text })
  const found = await resolve(undefined, `${file}#Count`)
  if ('refused' in found) throw new Error(found.message)
  return open(found.source, { kwargs: { ...kwargs }, env_vars: {}, dir: instanceDir() })
}

const counts = async (t: Test, file: string, text: string) => {
  const end = path.join(t.testdir(), 'end')
  const instance = await instanceOf(t, file, text, { end })
  t.match(await resetOf(instance), { observation: { n: 0 }, state: { n: 0 }, tools: [{ type: 'function' }] })
  t.match(await stepOf(instance, { by: 2 }), { status: 'completed', content: '2', state: { n: 2 } })
  const snapshot = await instance.snapshot(keeping)
  t.match(await stepOf(instance, { by: 3 }), { content: '5' })
  await instance.restore(snapshot)
  t.match(await instance.observe(), { state: { n: 2 } })
  await instance.close()
  t.equal(readFileSync(end, 'utf8'), 'closed')
}

for (const [language, file, textOf] of [
  ['Python', 'count.py', python],
  ['JavaScript', 'count.mjs', javascript],
] as const) {
  for (const method of methods)
    t.test(`${language}: ${method} may be asynchronous`, t => counts(t, file, textOf([method])))
  t.test(`${language}: all methods may be asynchronous`, t => counts(t, file, textOf(methods)))
}

const ofGymnasium = ['reset', 'step', 'render', 'close'] as const
const gymnasium = (coroutines: readonly string[]): string => {
  const def = (name: string) => (coroutines.includes(name) ? 'async def' : 'def')
  return `import asyncio
class Discrete:
    n = 9
class Count:
    metadata = {"render_modes": ["ansi"]}
    action_space = Discrete()
    def __init__(self, end, render_mode=None):
        self.end, self.render_mode = end, render_mode
    ${def('reset')} reset(self, seed=None, options=None):
        self.n = 0
        return self.n, {"seed": seed}
    ${def('step')} step(self, action):
        self.n += action
        return self.n, 1.0, self.n > 4, False, {}
    ${def('render')} render(self):
        return "n is %d" % self.n
    ${def('close')} close(self):
        with open(self.end, "w") as file: file.write("closed")
`.replaceAll(/(async def .*:\n)/g, '$1        await asyncio.sleep(0.001)\n')
}
for (const coroutines of [...ofGymnasium.map(name => [name]), ofGymnasium]) {
  t.test(`Gymnasium: ${coroutines.join(', ')} may be asynchronous`, async t => {
    const end = path.join(t.testdir(), 'end')
    const instance = await instanceOf(t, 'count.py', gymnasium(coroutines), { end })
    t.match(await resetOf(instance), { observation: { observation: 0 }, state: { render: 'n is 0' } })
    t.match(await stepOf(instance, { action: 3 }, { tool: 'act' }), {
      observation: { observation: 3 },
      state: { render: 'n is 3' },
      done: false,
    })
    t.match(await stepOf(instance, { action: 2 }, { tool: 'act' }), { done: true })
    await instance.close()
    t.equal(readFileSync(end, 'utf8'), 'closed')
  })
}
