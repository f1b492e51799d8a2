// The environments of Gymnasium's registry, by their names. The tests with the real package need a python3 that has it:
// put the folder bin of a virtual environment with Gymnasium first on PATH.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { find } from '../../src/environments/sandbox.ts'
import { environmentsIn, folderOf, processesIn, resetOf, stepOf } from './support.ts'

const isThere = spawnSync('python3', ['-c', 'import gymnasium']).status === 0
const noGymnasium = isThere ? false : 'the python3 on PATH has no Gymnasium'

const openedOf = async (
  { resolve, open, instanceDir }: Awaited<ReturnType<typeof environmentsIn>>,
  written: string,
  kwargs = {},
) => {
  const found = await resolve(undefined, written)
  if ('refused' in found) throw new Error(found.message)
  return open(found.source, { kwargs, env_vars: {}, dir: instanceDir() })
}

t.test(
  'CartPole runs by its name, and the same seed gives the same again',
  { skip: noGymnasium },
  async t => {
    const environments = await environmentsIn(t)
    const play = async () => {
      const pole = await openedOf(environments, 'gymnasium#CartPole-v1')
      const first = await resetOf(pole)
      t.match(first.tools, [
        { function: { name: 'act', parameters: { properties: { action: { minimum: 0, maximum: 1 } } } } },
      ])
      const steps = []
      for (let n = 0; n < 12; n++) steps.push(await stepOf(pole, { action: 1 }, { tool: 'act' }))
      await pole.close()
      t.match(steps[0], { reward: 1, terminated: false })
      t.ok(
        steps.some(({ terminated }) => terminated),
        'the pole falls',
      )
      return [first.observation, steps.map(({ observation }) => observation)]
    }
    t.same(await play(), await play())
  },
)

t.test(
  'its text is rendered, its arguments are given, and its limit of steps holds',
  { skip: noGymnasium },
  async t => {
    const environments = await environmentsIn(t)
    const lake = await openedOf(environments, 'gymnasium#FrozenLake-v1', {
      is_slippery: false,
      map_name: '4x4',
    })
    t.match((await resetOf(lake)).state, { observation: 0, render: /S.*FFF/ })
    t.match(await stepOf(lake, { action: 2 }, { tool: 'act' }), { observation: { observation: 1 } })
    t.match(await stepOf(lake, { action: 7 }, { tool: 'act' }), {
      error: 'the action does not fit the action space',
    })
    await lake.close()
    const short = await openedOf(environments, 'gymnasium#FrozenLake-v1', {
      max_episode_steps: 2,
      is_slippery: false,
    })
    await resetOf(short)
    await stepOf(short, { action: 0 }, { tool: 'act' })
    t.match(await stepOf(short, { action: 0 }, { tool: 'act' }), { truncated: true, done: true })
    await short.close()
  },
)

t.test('a class of ENV_PATH that wraps one of them runs too', { skip: noGymnasium }, async t => {
  const environments = await environmentsIn(t, {
    'lake.py': `import gymnasium
class Lake(gymnasium.Wrapper):
    def __init__(self, render_mode="ansi", is_slippery=True):
        super().__init__(gymnasium.make("FrozenLake-v1", render_mode=render_mode, is_slippery=is_slippery))
`,
  })
  const lake = await openedOf(environments, 'lake#Lake', { is_slippery: false })
  t.match((await resetOf(lake)).state, { observation: 0, render: /S.*FFF/ })
  t.match(await stepOf(lake, { action: 2 }, { tool: 'act' }), { observation: { observation: 1 } })
  await lake.close()
})

t.test('the list has all of them, and one program has described them', { skip: noGymnasium }, async t => {
  const environments = await environmentsIn(t)
  const infos = (await environments.list()).filter(({ module }) => module === 'gymnasium')
  t.ok(infos.length >= 30, `${infos.length} environments`)
  t.match(
    infos.find(({ name }) => name === 'gymnasium#CartPole-v1'),
    {
      source: 'gymnasium',
      origin: 'external',
      importable: 'true',
      description: /^Of Gymnasium \d.*; ends after 500 steps/,
    },
  )
  t.match(await environments.info('gymnasium#FrozenLake-v1'), [{ default_params_summary: /map_name="4x4"/ }])
  t.same(await environments.info('gymnasium#Nothing-v0'), [])
  t.equal(processesIn(environments.top).length, 0)
  t.match(await environments.resolve(undefined, 'gymnasium#Nothing-v0'), {
    refused: 'unknown',
    kinds: /CartPole/,
  })
  t.match(await environments.resolve(undefined, 'gymnasium#os:CartPole-v1'), { refused: 'unknown' })
  t.match(await environments.resolve(undefined, 'gymnasium#GymV26Environment-v0'), { refused: 'unknown' })
})

t.test('one whose own packages are missing says which', { skip: noGymnasium }, async t => {
  const environments = await environmentsIn(t)
  const found = await environments.resolve(undefined, 'gymnasium#LunarLander-v3')
  if ('refused' in found) throw new Error(found.message)
  const dir = environments.instanceDir()
  const opening = environments.open(found.source, { kwargs: {}, env_vars: {}, dir })
  await opening.then(
    instance => instance.close(),
    error => t.match(error.message, /pip install/),
  )
})

/** A python3 without the packages that are installed. */
const plainPython = (folder: string): string => {
  mkdirSync(folder)
  const program = path.join(folder, 'python3')
  writeFileSync(program, `#!/bin/sh\nexec '${find('python3')}' -S "$@"\n`)
  chmodSync(program, 0o755)
  return folder
}

t.test('without the package, a name says what to install, and the list leaves it out', async t => {
  const before = process.env.PATH
  t.teardown(() => {
    process.env.PATH = before
  })
  const bin = path.join(folderOf(t), 'bin')
  process.env.PATH = `${plainPython(bin)}:${before}`
  const environments = await environmentsIn(t)
  t.same(
    (await environments.list()).filter(({ module }) => module === 'gymnasium'),
    [],
  )
  const found = await environments.resolve(undefined, 'gymnasium#CartPole-v1')
  t.match(found, {
    refused: 'unavailable',
    message:
      /^gymnasium#CartPole-v1: .*Gymnasium is not installed for \S+, the python3 that runs environments: .*pip install gymnasium/,
  })
})

t.test('without python3, a name says so', async t => {
  const before = process.env.PATH
  t.teardown(() => {
    process.env.PATH = before
  })
  process.env.PATH = folderOf(t)
  const environments = await environmentsIn(t)
  t.match(await environments.resolve(undefined, 'gymnasium#CartPole-v1'), {
    refused: 'unavailable',
    message: 'gymnasium#CartPole-v1: python3 was not found on PATH',
  })
})
