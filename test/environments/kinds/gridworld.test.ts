import assert from 'node:assert/strict'
import t from 'tap'
import byDefault, { GridWorld } from '../../../src/environments/kinds/gridworld/gridworld.ts'
import { parseMap } from '../../../src/environments/kinds/gridworld/map.ts'
import { solve } from '../../../src/environments/kinds/gridworld/solve.ts'
import fc from '../../support/fast-check.ts'
import { type Action, contentOf, contextOf, failure, play } from './support.ts'

type State = {
  text: string
  agent: { x: number; y: number }
  carrying: string[]
  view: { text: string; grid: string[][] }
  steps: number
  max_steps: number
  terminated: boolean
  truncated: boolean
}
const stateOf = (world: GridWorld) => world.observe() as State
const map = ['#######', '#@a.A.#', '#..##G#', '#######'].join('\n')
const east: Action = { tool: 'move', args: { direction: 'east' } }
const pickUp: Action = { tool: 'pick_up', args: {} }

t.test('the class is exported by name and by default', t => {
  t.equal(byDefault, GridWorld)
  t.equal(GridWorld.recovery, 'refold')
  t.end()
})

const size = fc.record({
  width: fc.integer({ min: 4, max: 24 }),
  height: fc.integer({ min: 4, max: 24 }),
  walls: fc.double({ min: 0, max: 0.6, noNaN: true }),
})
const seed = fc.integer({ min: 0, max: 2 ** 31 })

t.test('every generated map can be walked to its goal, through all of its doors', async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.integer({ min: 0, max: 6 }), seed, async (given, keys, seed) => {
      const most = Math.min(6, Math.floor((Math.max(given.width, given.height) - 4) / 3))
      const world = new GridWorld({ ...given, keys: Math.min(keys, most) })
      world.reset(seed, {})
      const { text, max_steps } = stateOf(world)
      assert.equal(text.split('\n').length, given.height)
      assert.equal(text.match(/[A-F]/g)?.length ?? 0, Math.min(keys, most))
      const actions = (solve(parseMap(text)) ?? []) as Action[]
      const last = (await play(world, actions)).at(-1)?.outcome
      assert.ok(last !== undefined && 'terminated' in last && last.terminated && !last.truncated)
      assert.equal(last.reward, 1 - (0.9 * actions.length) / max_steps)
      assert.equal(stateOf(world).carrying.length, Math.min(keys, most), 'no door can be gone around')
    }),
    { numRuns: 60, examples: [[{ width: 4, height: 22, walls: 0.6 }, 6, 0]] },
  )
})

t.test('walls leave every cell within reach', async () => {
  fc.assert(
    fc.property(seed, seed => {
      const world = new GridWorld({ width: 20, height: 12, walls: 0.6, keys: 0 })
      world.reset(seed, {})
      const { text } = stateOf(world)
      const cells = text.replace('G', '.').split('\n')
      for (const [y, row] of cells.entries()) {
        for (const x of [...row].flatMap((cell, x) => (cell === '.' ? [x] : []))) {
          const goal = cells.map((line, index) =>
            index === y ? `${line.slice(0, x)}G${line.slice(x + 1)}` : line,
          )
          if (solve(parseMap(goal.join('\n'))) === undefined) return false
        }
      }
      return text.split('').filter(cell => cell === '#').length > 60 + 20 // the outer walls, and inner ones
    }),
    { numRuns: 10 },
  )
})

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.constantFrom('north', 'east', 'south', 'west').map(direction => ({ tool: 'move', args: { direction } })),
  fc.constant(pickUp),
  fc.constant({ tool: 'look', args: {} }),
  fc.constant({ tool: 'move', args: { direction: 'up' } }),
  fc.constant({ tool: 'fly', args: {} }),
)

t.test(
  'the same seed and the same actions give the same trajectory, and doing it again the same state',
  async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.array(action, { maxLength: 40 }), async (seed, actions) => {
        const [one, two] = [new GridWorld({ max_steps: 30 }), new GridWorld({ max_steps: 30 })]
        assert.deepEqual(one.reset(seed, {}), two.reset(seed, {}))
        const trajectory = await play(one, actions, seed)
        assert.deepEqual(await play(two, actions, seed), trajectory)
        const before = one.observe()
        one.reset(seed, {})
        await play(one, actions, seed)
        assert.deepEqual(one.observe(), before)
      }),
      { numRuns: 40 },
    )
  },
)

t.test('other seeds give other maps', t => {
  const world = new GridWorld({})
  const mapOf = (seed: number) => {
    world.reset(seed, {})
    return stateOf(world).text
  }
  const maps = new Set([1, 2, 3, 4, 5, 2 ** 40, 2 ** 40 + 1].map(mapOf))
  t.equal(maps.size, 7)
  t.end()
})

t.test('a locked door needs its key, and the goal ends the episode', async t => {
  const world = new GridWorld({})
  world.reset(0, { map, max_steps: 100 })
  t.match(await contentOf(world, 'move', { direction: 'north' }), /^A wall is in the way, north of you\./)
  t.match(await contentOf(world, 'pick_up'), /^There is no key here\./)
  await play(world, [east, east])
  t.match(await contentOf(world, 'move', { direction: 'east' }), /^Door A is locked: it needs key a\./)
  t.same(stateOf(world).agent, { x: 3, y: 1 })
  await play(world, [{ tool: 'move', args: { direction: 'west' } }])
  t.match(await contentOf(world, 'pick_up'), /^You pick up key a\./)
  t.same(stateOf(world).carrying, ['a'])
  await play(world, [east])
  t.match(await contentOf(world, 'move', { direction: 'east' }), /^You open door A and move east\./)
  t.notMatch(stateOf(world).text, /[aA]/, 'neither the key nor the door is there any more')
  await play(world, [{ tool: 'move', args: { direction: 'south' } }])
  t.match(stateOf(world), { terminated: false, agent: { x: 4, y: 1 } }, 'a wall stands there')
  t.match(
    await failure(() => world.reset(0, { map: '@#G' })),
    'map must have a goal, G, that can be reached from @',
  )
  world.reset(0, { map: '@.G', max_steps: 4 })
  const [, last] = await play(world, [east, east])
  t.match(last?.outcome, { reward: 1 - 0.9 * (2 / 4), terminated: true, truncated: false })
  t.match(await failure(() => contentOf(world, 'look')), 'The episode is over: reset it')
})

t.test('the last step truncates, and every tool takes one; a failure takes none', async t => {
  const world = new GridWorld({ max_steps: 3 })
  world.reset(1, { map: '@..........G' })
  t.match(
    await failure(() => contentOf(world, 'move', { direction: 'up' })),
    /^direction must be one of north, east/,
  )
  t.match(await failure(() => contentOf(world, 'move')), 'direction is missing')
  t.match(await failure(() => contentOf(world, 'look', { at: 1 })), 'at is not known')
  t.match(
    await failure(() => contentOf(world, 'jump')),
    'There is no tool jump: there is move, pick_up, look',
  )
  const trajectory = await play(world, [{ tool: 'look', args: {} }, pickUp, east])
  t.same(
    trajectory.map(({ outcome }) => (outcome as { truncated: boolean }).truncated),
    [false, false, true],
  )
  t.match(trajectory.at(-1)?.outcome, { reward: 0, terminated: false })
})

t.test('the agent sees a square around it, in letters and in words', async t => {
  const world = new GridWorld({ view_radius: 1 })
  const observation = world.reset(3, { map })
  t.match(observation, {
    agent: { x: 1, y: 1 },
    direction: 'east',
    standing_on: 'floor',
    carrying: [],
    view: {
      text: '###\n#@a\n#..',
      grid: [
        ['wall', 'wall', 'wall'],
        ['wall', 'agent', 'key a'],
        ['wall', 'floor', 'floor'],
      ],
    },
    steps: 0,
    steps_left: 112,
  })
  t.match(stateOf(world), { text: map, width: 7, height: 4, seed: 3, max_steps: 112, view_radius: 1 })
  const [{ outcome } = {}] = await play(world, [east])
  t.match(outcome, {
    observation: { standing_on: 'key a', direction: 'east' },
    content: /Key a lies here\.\n\n###\n#?/,
  })
})

t.test('what cannot be a world is refused with the name of the field', async t => {
  for (const [kwargs, told] of [
    [{ width: 3 }, 'width must be at least 4'],
    [{ height: 51 }, 'height must be at most 50'],
    [{ width: 4.5 }, 'width must be an integer'],
    [{ walls: '0.1' }, 'walls must be a number'],
    [{ keys: 2 }, 'keys must be at most 1 on a map of 9 × 9'],
    [{ colour: 'red' }, /^colour is not known: there is width, height/],
    [{ map: '@.G\n..' }, 'map must have rows of the same length'],
    [{ map: '..G' }, 'map must have one start, @'],
    [{ map: '@@G' }, 'map must have one start, @'],
    [{ map: '@?G' }, 'map must hold # . @ G a-f A-F alone, and holds ?'],
    [{ map: '@..' }, 'map must have a goal, G, that can be reached from @'],
    [{ map: '@AG' }, 'map must have a goal, G, that can be reached from @'],
    [{ map: `@${'.'.repeat(50)}G` }, 'map must have at most 50 rows and columns'],
  ] as const) {
    t.match(await failure(() => new GridWorld(kwargs)), told, JSON.stringify(kwargs))
  }
  const world = new GridWorld({ width: 4, height: 4 })
  t.match(await failure(() => world.observe()), 'There is no episode: reset comes first')
  t.match(world.reset(0, {}), { steps: 0 }, 'a map too small for a door has none')
  t.match(await failure(() => world.reset(0, { max_steps: 0 })), 'max_steps must be at least 1')
  t.match(await world.step('look', {}, contextOf()), { reward: 0 }, 'and the episode before goes on')
  world.close()
  t.match(await failure(() => world.observe()), 'There is no episode')
})
