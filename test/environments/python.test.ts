// Environments in Python: classes with our methods, and those in the style of Gymnasium, without either installed.
import t from 'tap'
import { givenPrograms, keeping, resetOf, stepOf } from './support.ts'

t.test('a class with our methods does what one in JavaScript does', async t => {
  const { open, onlyLeft, folder } = await givenPrograms(t)
  const instance = await open('python/own.py', { kwargs: { from: 5 } })
  t.equal(instance.recovery, 'snapshot')
  const first = await resetOf(instance)
  t.match(first, { state: { count: 5, dir: `${folder}/instance-0` }, observation: { count: 5 }, done: false })
  t.match(first.state.begun, [7, Number, 1000])
  const said: string[] = []
  const answer = await stepOf(instance, { by: 2 }, { number: 3, emit: text => said.push(text) })
  t.match(answer, { status: 'completed', content: 'go 7', observation: { count: 7 }, reward: 0, done: false })
  // The same numbers as in JavaScript (protocol.test.ts).
  t.same(answer.info, {
    random: [
      0.9307029220583553, 0.9856857323135984, 0.4340382954943385, 0.14337157881937246, 0.9160209080890449,
      0.550249773811378,
    ],
    now: 1000,
  })
  t.same(said, ['now 7'])
  const snapshot = await instance.snapshot(keeping)
  t.match(await stepOf(instance, { by: 5 }), { truncated: true, done: true })
  await instance.restore(snapshot)
  t.match(await instance.observe(), { state: { count: 7 }, done: false })
  const canceled = new AbortController()
  const stopped = await stepOf(
    instance,
    { wait: true },
    { signal: canceled.signal, emit: () => canceled.abort() },
  )
  t.match(stopped, { status: 'incomplete', content: 'go 8', error: 'the step was canceled' })
  await instance.close()
  await onlyLeft(0)
})

t.test('classes say what they are; hidden and imported ones are none', async t => {
  const { start } = await givenPrograms(t)
  const program = await start('python/own.py')
  t.match(program.hello.classes, [
    { name: 'Own', recovery: 'snapshot', description: 'Counts.', parameters: { properties: { from: {} } } },
    { name: 'Bad', error: 'recovery is none of refold, snapshot, none' },
  ])
  await program.end()
})

t.test('a class in the style of Gymnasium has one tool, whose schema is its action space', async t => {
  const { open, start } = await givenPrograms(t)
  const program = await start('python/taxi.py')
  t.match(program.hello.classes, [
    {
      name: 'Taxi',
      recovery: 'refold',
      description: 'Brings a passenger from a corner to another.',
      parameters: { properties: { size: { default: 5 }, render_mode: {}, last_stop: {} } },
    },
  ])
  await program.end()
  const taxi = await open('python/taxi.py', { kwargs: { size: 4 } })
  const first = await taxi.reset({ seed: 3, options: { at: [0, 0] }, now: 0 })
  t.same(first.observation, { observation: [0, 0, 0] })
  t.match(first.state, { observation: [0, 0, 0], info: { seeded: 3 }, render: 'T...\n....\n....\n....' })
  t.match(first.tools, [
    {
      type: 'function',
      function: {
        name: 'act',
        parameters: {
          properties: { action: { type: 'integer', minimum: 0, maximum: 5 } },
          required: ['action'],
        },
      },
    },
  ])
  const answer = await stepOf(taxi, { action: 2 }, { tool: 'act' })
  t.match(answer, {
    status: 'completed',
    content:
      '{"observation": [0, 1, 0], "reward": -1, "terminated": false, "truncated": false}\n.T..\n....\n....\n....',
    observation: { observation: [0, 1, 0] },
    reward: -1,
    info: { steps: 1, self: '<Taxi>' },
    done: false,
  })
  for (const [args, error] of [
    [{ action: 6 }, 'the action does not fit the action space'],
    [{ action: 'up' }, 'the action does not fit the action space'],
    [{}, 'the action does not fit the action space'],
  ] as const) {
    t.match(await stepOf(taxi, args, { tool: 'act' }), { status: 'incomplete', error })
  }
  t.match(await stepOf(taxi, { action: 1 }, { tool: 'fly' }), { error: 'there is no tool fly' })
  t.match(await taxi.observe(), { state: { observation: [0, 1, 0] } })
  await taxi.close()
})

t.test('the same seed and the same actions give the same again, in another process', async t => {
  const { open } = await givenPrograms(t)
  const play = async () => {
    const taxi = await open('python/taxi.py')
    const seen: unknown[] = [await resetOf(taxi)]
    for (const action of [0, 2, 4, 1, 3, 5]) seen.push(await stepOf(taxi, { action }, { tool: 'act' }))
    await taxi.close()
    return seen
  }
  t.same(await play(), await play())
})

t.test('every kind of space has its schema, and its values are understood', async t => {
  const { open } = await givenPrograms(t)
  const instance = await open('python/spaces.py', { kwargs: { speed: 2 } })
  const first = await resetOf(instance)
  t.same(first.state, {
    observation: [
      [0.5, 1],
      [2, 3],
    ],
    info: { 3: true, array: [1] },
  })
  const number = { type: 'number', minimum: 0, maximum: 1.5 }
  const row = (items: object, size = 2) => ({ type: 'array', items, minItems: size, maxItems: size })
  const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum })
  const list = (...prefixItems: object[]) => ({
    type: 'array',
    prefixItems,
    minItems: prefixItems.length,
    maxItems: prefixItems.length,
  })
  const text = { type: 'string', minLength: 1, maxLength: 5 }
  // Python writes 0.0, and this text is kept.
  t.same(JSON.parse(JSON.stringify(first.tools[0]?.function.parameters.properties)), {
    action: {
      type: 'object',
      properties: {
        discrete: whole(0, 1),
        box: row(row(number)),
        endless: row(row({ type: 'number' })),
        multi: list(whole(0, 1), whole(0, 3)),
        binary: row(whole(0, 1), 3),
        text,
        tuple: list(whole(1, 3), text),
        unknown: {},
      },
      required: ['discrete', 'box', 'endless', 'multi', 'binary', 'text', 'tuple', 'unknown'],
      additionalProperties: false,
    },
  })
  const matrix = [
    [0, 0],
    [0, 0],
  ]
  const action = {
    discrete: 1,
    box: matrix,
    endless: matrix,
    multi: [1, 3],
    binary: [0, 1, 0],
    text: 'x',
    tuple: [2, 'y'],
    unknown: null,
  }
  t.match(await stepOf(instance, { action }, { tool: 'act' }), {
    reward: 2.5,
    terminated: true,
    truncated: false,
    done: true,
    info: { kinds: { discrete: 'int', tuple: 'tuple', box: 'list' }, options: { speed: 2 } },
  })
  await instance.close()
})

t.test('a Python step that is told to stop and does lives on', async t => {
  const { open, world } = await givenPrograms(t)
  const instance = await open('hostile/hostile.py')
  await resetOf(instance)
  let isOver = false
  const step = stepOf(instance, { how: 'stop' }).finally(() => (isOver = true))
  // The program is told to stop after 30 s of the clock, and needs real time to do so.
  for (let seconds = 1; !isOver; seconds++) {
    await world.advance(1000)
    await new Promise(resolve => setTimeout(resolve, seconds < 30 ? 20 : 1500))
  }
  t.match(await step, { status: 'incomplete', error: 'the step took longer than 30 s' })
  t.equal((await stepOf(instance, { how: 'thread' })).content, 'survived')
  await instance.close()
})
