// Which environments there are: ours, and those below the operator's folder, found by name and judged by where they
// really lie. Their code never runs here.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type EnvironmentClass as EnvironmentClassOfPackage, tool } from '../../library/environment/index.ts'
import type { EnvironmentClass } from '../../src/contract/environment.ts'
import type { Environments } from '../../src/environments/environments.ts'
import { digestOf } from '../../src/environments/modules.ts'
import { builtinNames } from '../../src/environments/where.ts'
import { environmentsIn, here, keeping, resetOf, stepOf } from './support.ts'

const ofOurs =
  'export class Ours { reset() {} step() { return { content: "ours" } } observe() { return {} } tools() { return [] } }'

/** A folder of modules, by their names in it. */
const given = async (t: Test, files: Record<string, string> = {}, byDefault = 'counter') => {
  const environments = await environmentsIn(t, files, byDefault)
  const { top, folder, world } = environments
  const add = (file: string, name = path.basename(file)) =>
    copyFileSync(path.join(here, file), path.join(folder, name))
  add('good/counter.mjs')
  return { top, folder, add, environments, world }
}

const nameOf = async ({ resolve }: Environments, envId?: string, classPath?: string) => {
  const found = await resolve(envId, classPath)
  return 'refused' in found ? found.refused : found.source.name
}

t.test('ours are known by name, and none of their folders is forgotten', async t => {
  const { environments } = await given(t)
  const kinds = path.resolve(import.meta.dirname, '../../src/environments/kinds')
  t.same(
    readdirSync(kinds).filter(name => name !== 'shared'),
    builtinNames,
  )
  for (const name of builtinNames) {
    t.equal(await nameOf(environments, name), name)
    t.equal(await nameOf(environments, undefined, name), name)
    t.match(await environments.info(name), [{ name, origin: 'builtin', importable: 'true' }])
  }
})

/** What the package calls a class of an environment is what the server takes. */
const asServed = (Class: EnvironmentClassOfPackage): EnvironmentClass => Class

t.test('a module finds reprise/environment wherever it lies', async t => {
  const class_ = `export class Door {
  reset() {}
  step() { return { content: 'open' } }
  observe() { return {} }
  tools() { return [tool('open', 'Opens the door.', { key: { type: 'string' } })] }
}`
  const text = `import { tool } from 'reprise/environment'\n${class_}`
  const { environments } = await given(t, { 'door.mjs': text, 'typed.ts': text })
  for (const name of ['door', 'typed']) t.match(await environments.info(name), [{ importable: 'true' }], name)
  t.type(asServed, 'function')
  t.same(tool('open', 'Opens the door.', { key: { type: 'string' } }).function.parameters, {
    type: 'object',
    properties: { key: { type: 'string' } },
    required: ['key'],
  })
})

t.test('a class path leads to a class of a module, with or without its suffix', async t => {
  const { environments, folder } = await given(t, { 'pkg/deep/one.mjs': ofOurs })
  const { resolve } = environments
  for (const written of ['counter.mjs#Counter', 'counter#Counter', './counter#Counter']) {
    t.equal(await nameOf(environments, undefined, written), 'counter.mjs#Counter')
  }
  for (const written of ['counter', 'counter#default', 'counter#Plain']) {
    t.equal(await nameOf(environments, undefined, written), 'counter.mjs#Plain')
  }
  for (const written of ['pkg/deep/one#Ours', 'pkg.deep.one#Ours', 'pkg/deep/one']) {
    t.equal(await nameOf(environments, undefined, written), 'pkg/deep/one.mjs#Ours')
  }
  const file = path.join(folder, 'counter.mjs')
  t.match(await resolve(undefined, 'counter#Counter'), {
    source: { module: file, className: 'Counter', digest: digestOf(file) },
    recovery: 'snapshot',
    parameters: { type: 'object', properties: { from: { default: 3 } } },
  })
})

t.test('what is not there is unknown, and what cannot be used says why', async t => {
  const { environments, add } = await given(t)
  add('hostile/broken.mjs')
  for (const written of ['nowhere#X', 'counter#Nobody', 'counter#helper', 'counter.py#Counter', '#X', '\0']) {
    t.equal(await nameOf(environments, undefined, written), 'unknown', JSON.stringify(written))
  }
  t.same(await environments.resolve(undefined, 'counter#Half'), {
    refused: 'broken',
    message: 'counter#Half: the class has no observe, no tools',
  })
  const broken = await environments.resolve(undefined, 'broken#X')
  t.match(broken, {
    refused: 'broken',
    message: /Cannot find module 'nowhere\.mjs' imported from broken\.mjs/,
  })
})

t.test('a path that leads outside is forbidden, by links too', async t => {
  const { environments, top, folder } = await given(t)
  writeFileSync(path.join(top, 'secret.mjs'), ofOurs)
  symlinkSync(path.join(top, 'secret.mjs'), path.join(folder, 'link.mjs'))
  symlinkSync(top, path.join(folder, 'up'))
  symlinkSync(path.join(folder, 'counter.mjs'), path.join(folder, 'other.mjs'))
  for (const written of [
    '../secret#Ours',
    `${top}/secret.mjs#Ours`,
    'link#Ours',
    'up/secret#Ours',
    'up/nothing#Ours',
    'up.nothing',
    'up/no/folder.mjs',
    '/etc/passwd',
    '..',
  ]) {
    t.equal(await nameOf(environments, undefined, written), 'forbidden', written)
  }
  t.equal(await nameOf(environments, undefined, 'other#Counter'), 'counter.mjs#Counter')
  for (const nowhere of ['no/folder#Counter', 'counter.mjs/x.mjs#Counter', '.mjs'])
    t.equal(await nameOf(environments, undefined, nowhere), 'unknown', nowhere)
})

t.test('an id that is no known name is refused, and the default is for those who name none', async t => {
  const { environments } = await given(t)
  for (const id of [undefined, '']) t.equal(await nameOf(environments, id), 'counter.mjs#Plain')
  for (const [id, refused] of [
    ['env-123', 'unknown'],
    ['counter#Nobody', 'unknown'],
    ['../secret', 'forbidden'],
  ]) {
    t.match(await environments.resolve(id, undefined), { refused })
  }
  t.equal(await nameOf(environments, 'counter#Counter'), 'counter.mjs#Counter')
  t.equal(await nameOf(environments, 'chess', 'counter#Counter'), 'counter.mjs#Counter')
})

t.test(
  'the list tells of each class what it says of itself, and of each module that cannot be loaded why',
  async t => {
    const { environments, add } = await given(t, {
      'a/b/three.mjs': ofOurs,
      'a/b/c/four.mjs': ofOurs,
      'node_modules/x/index.mjs': ofOurs,
      '_helper.mjs': 'process.exit(1)',
      'types.d.ts': 'export {}',
      'none.mjs': 'export const x = 1',
      'notes.txt': 'hello',
    })
    add('good/typed.ts')
    add('python/taxi.py')
    add('hostile/exits.mjs')
    const list = (await environments.list()).filter(({ origin }) => origin === 'external')
    t.same(
      list.map(({ name }) => name),
      [
        'a/b/three.mjs#Ours',
        'counter.mjs#Counter',
        'counter.mjs#Half',
        'counter.mjs#Plain',
        'exits.mjs',
        'taxi.py#Taxi',
        'typed.ts#Typed',
      ],
    )
    const byName = Object.fromEntries(list.map(({ name, ...rest }) => [name, rest]))
    t.same(byName['counter.mjs#Counter'], {
      source: 'ENV_PATH',
      module: 'counter.mjs',
      importable: 'true',
      default_params_summary: 'from=3, name: string',
      origin: 'external',
      description: 'Counts.',
    })
    t.match(byName['counter.mjs#Half'], { importable: 'false', error: 'the class has no observe, no tools' })
    t.match(byName['exits.mjs'], {
      importable: 'false',
      error: 'the environment ended by itself with exit code 5',
    })
    t.match(byName['taxi.py#Taxi'], {
      importable: 'true',
      default_params_summary: 'size=5, render_mode, last_stop',
    })
    t.equal((await environments.info('counter')).length, 3)
    t.match(await environments.info('counter#Half'), [{ name: 'counter.mjs#Half' }])
    t.same(await environments.info('nowhere'), [])
    t.same(await environments.info('../x'), [])
  },
)

t.test('a module is asked once, until its file changes', async t => {
  const { environments, folder } = await given(t)
  const file = path.join(folder, 'told.mjs')
  const count = path.join(folder, 'count')
  const write = (name: string) =>
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs'
      appendFileSync(${JSON.stringify(count)}, 'x')
      ${ofOurs.replace('Ours', name)}`,
    )
  const times = () => (existsSync(count) ? readFileSync(count, 'utf8').length : 0)
  write('One')
  await environments.info('told')
  await environments.info('told')
  t.equal(await nameOf(environments, undefined, 'told'), 'told.mjs#One')
  t.equal(times(), 1)
  write('Two')
  t.equal(await nameOf(environments, undefined, 'told'), 'told.mjs#Two')
  t.match(await environments.info('told'), [{ name: 'told.mjs#Two' }])
  t.equal(times(), 2)
  writeFileSync(file, `throw new Error('broken')`)
  t.match(await environments.info('told'), [{ importable: 'false' }])
  t.equal(await nameOf(environments, undefined, 'told'), 'broken')
})

t.test('a failure is asked again when an instance is wanted, and in a list ten minutes later', async t => {
  const { environments, folder, world } = await given(t, { 'late.mjs': `export * from './neighbour.mjs'` })
  t.match(await environments.info('late'), [{ importable: 'false' }])
  writeFileSync(path.join(folder, 'neighbour.mjs'), ofOurs)
  t.match(await environments.info('late'), [{ importable: 'false' }])
  t.equal(await nameOf(environments, undefined, 'late'), 'late.mjs#Ours')
  t.match(await environments.info('late'), [{ importable: 'true' }])
  writeFileSync(path.join(folder, 'late.mjs'), `export * from './other.mjs'`)
  t.match(await environments.info('late'), [{ importable: 'false' }])
  writeFileSync(path.join(folder, 'other.mjs'), ofOurs)
  await world.advance(600_000)
  t.match(await environments.info('late'), [{ importable: 'true' }])
})

t.test('a list does not wait for a module that never says hello', async t => {
  const { environments, add, world } = await given(t)
  add('hostile/mute.mjs')
  const asking = environments.info('mute')
  await world.advance(5000)
  t.match(await asking, [{ error: 'the environment has not said hello in 5 s so far' }])
})

t.test('an instance of what was found runs, TypeScript too', async t => {
  const { environments, add, top } = await given(t)
  add('good/typed.ts')
  const found = await environments.resolve(undefined, 'typed#Typed')
  if ('refused' in found) throw new Error(found.message)
  const dir = path.join(top, 'sessions', 'one')
  const instance = await environments.open(found.source, { kwargs: {}, env_vars: {}, dir })
  t.same((await resetOf(instance)).state, { count: 0 })
  t.equal((await stepOf(instance)).content, '1')
  await instance.close()
})

/** What Node itself refuses when it strips the types of a file, and users write all the same. */
const typeScripts: Record<string, Record<string, string>> = {
  'an enum': {
    'own.ts': `enum Move { Up = 'up' }
      export class Own { reset() { return {} } step() { return { content: Move.Up } } observe() { return {} } tools() { return [] } }`,
  },
  'a decorator': {
    'own.ts': `const shout = (method: () => object, _: ClassMethodDecoratorContext) => () => method()
      export class Own { reset() { return {} } @shout step() { return { content: 'up' } } observe() { return {} } tools() { return [] } }`,
  },
  'a parameter property': {
    'own.ts': `class Held { constructor(readonly word: string) {} }
      export class Own { reset() { return {} } step() { return { content: new Held('up').word } } observe() { return {} } tools() { return [] } }`,
  },
  'a file y.ts that is imported as ./y.js': {
    '_word.ts': `export const word: string = 'up'`,
    'own.ts': `import { word } from './_word.js'
      export class Own { reset() { return {} } step() { return { content: word } } observe() { return {} } tools() { return [] } }`,
  },
  'a package in TypeScript': {
    'node_modules/words/package.json': '{"name": "words", "type": "module", "exports": "./index.ts"}',
    'node_modules/words/index.ts': `export const word: string = 'up'`,
    'own.ts': `import { word } from 'words'
      export class Own { reset() { return {} } step() { return { content: word } } observe() { return {} } tools() { return [] } }`,
  },
}
for (const [what, files] of Object.entries(typeScripts))
  t.test(`a module of users in TypeScript may have ${what}`, async t => {
    const { environments, top } = await given(t, files)
    const found = await environments.resolve(undefined, 'own#Own')
    if ('refused' in found) throw new Error(found.message)
    const dir = path.join(top, 'sessions', 'one')
    const instance = await environments.open(found.source, { kwargs: {}, env_vars: {}, dir })
    await resetOf(instance)
    t.equal((await stepOf(instance)).content, 'up')
    await instance.close()
  })

t.test('a program in any language runs when it speaks the protocol', async t => {
  const { environments, folder, add, top } = await given(t)
  add('good/bell.environment')
  chmodSync(path.join(folder, 'bell.environment'), 0o644)
  t.match(await environments.resolve(undefined, 'bell#Bell'), {
    refused: 'broken',
    message: /EACCES/,
  })
  chmodSync(path.join(folder, 'bell.environment'), 0o755)
  const found = await environments.resolve(undefined, 'bell#Bell')
  if ('refused' in found) throw new Error(found.message)
  const dir = path.join(top, 'one')
  const instance = await environments.open(found.source, { kwargs: {}, env_vars: {}, dir })
  t.match(await resetOf(instance), { state: { rung: 0 }, observation: { rung: 0 } })
  t.match(await stepOf(instance), { content: 'ding', state: { rung: 1 }, terminated: false })
  t.match(await instance.observe(), { state: { rung: 1 } })
  t.equal(await instance.snapshot(keeping), undefined)
  await instance.close()
})

t.test('without Python its modules are not importable, and that is said', async t => {
  const { environments, add } = await given(t)
  add('python/taxi.py')
  const { PATH } = process.env
  process.env.PATH = '/nowhere'
  t.teardown(() => {
    process.env.PATH = PATH
  })
  t.match(await environments.info('taxi'), [{ importable: 'false', error: 'python3 was not found on PATH' }])
})

/** The modules that a document shows whole, by the names in their first lines. */
const documented = Object.fromEntries(
  [
    ...readFileSync(path.join(here, '../../docs/environments.md'), 'utf8').matchAll(
      /^<!-- runs in .*\n```\w+\n((?:\/\/|#) (\S+)\n[^`]*(?:`[^`]+`[^`]*)*?)^```$/gm,
    ),
  ].map(([, text = '', name = '']) => [name, text]),
)

t.test('the environments of the document run as they stand there', async t => {
  const { environments, top } = await given(t, documented)
  const play = async (name: string, options: object, steps: object[]) => {
    const found = await environments.resolve(undefined, name)
    if ('refused' in found) throw new Error(found.message)
    const dir = path.join(top, name)
    const instance = await environments.open(found.source, { kwargs: {}, env_vars: {}, dir })
    await instance.reset({ seed: 7, options: { ...options }, now: 0 })
    const answers = []
    for (const args of steps) answers.push(await stepOf(instance, { ...args }))
    await instance.close()
    return answers
  }
  const guesses = Array.from({ length: 22 }, () => ({ number: 0 }))
  const guessed = await play('guess#Guess', {}, guesses)
  t.match(guessed[0], {
    content: 'higher',
    observation: { hint: 'higher' },
    state: { left: 19 },
    done: false,
  })
  t.equal(guessed[19]?.truncated, true)
  t.match(guessed[20], { status: 'incomplete', error: 'I have lost my patience' })
  const found = await play(
    'guess#Guess',
    {},
    Array.from({ length: 20 }, (_, n) => ({ number: n + 1 })),
  )
  t.match(found.find(({ content }) => content === 'Right!') ?? found.at(-1), {})
  const moves = [
    [0, 2],
    [0, 1],
    [2, 1],
    [0, 2],
    [1, 0],
    [1, 2],
    [0, 2],
  ]
  const moved = await play(
    'hanoi#Hanoi',
    {},
    moves.map(([from, to]) => ({ from, to })),
  )
  t.match(moved.at(-1), {
    content: 'solved',
    reward: 1,
    terminated: true,
    state: { pegs: [[], [], [3, 2, 1]] },
  })
  const wrong = await play('hanoi#Hanoi', {}, [{ from: 1, to: 0 }])
  t.match(wrong, [{ status: 'incomplete', error: 'that move is not allowed' }])
})
