// Environments that spin, hang, throw, fork, leak, exit, flood and lie cost their own instance its life, or a step;
// nobody else waits, and nothing is left of them.
import { getEventListeners } from 'node:events'
import t, { type Test } from 'tap'
import { AuthorsError, EnvironmentGone, type Instance } from '../../src/contract/environment.ts'
import { cutMark } from '../../src/environments/cut.ts'
import { givenPrograms, resetOf, stepOf, until } from './support.ts'

type Programs = Awaited<ReturnType<typeof givenPrograms>>

const beside = await givenPrograms(t)
const witness = await beside.open('hostile/witness.mjs')
await resetOf(witness)
t.teardown(async () => {
  await witness.close()
  await beside.onlyLeft(0)
})

/** A hostile instance, reset. */
const given = async (t: Test, file: string, limits?: { memoryMb: number }) => {
  const programs = await givenPrograms(t, limits)
  const hostile = await programs.open(`hostile/${file}`, { env_vars: { KEY: 's3cret' } })
  await resetOf(hostile)
  return { ...programs, hostile }
}

/** Its step ends it, for this reason; the other one works on, and nothing is left but that. */
const endsAlone = async (
  t: Test,
  { hostile, onlyLeft, world }: Programs & { hostile: Instance },
  args: Record<string, unknown>,
  reason: string | RegExp,
  /** How long the world waits. */
  ms = 0,
  /** How long each quarter of a second of the world takes: memory is used in real time, also on a busy machine. */
  realMs = 5,
) => {
  let isOver = false
  const step = stepOf(hostile, args).catch((error: Error) => error)
  const ended = step.then(() => (isOver = true))
  t.equal((await stepOf(witness)).content, 'meanwhile')
  if (ms > 0) t.notOk(isOver)
  // In small pieces: what is looked at between is real.
  while (!isOver && ms > 0) {
    await world.advance(250)
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, realMs))])
  }
  const error = await step
  t.ok(error instanceof EnvironmentGone, String((error as Error).message))
  t.match((error as Error).message, reason)
  t.equal(await hostile.gone, (error as Error).message)
  t.ok((await hostile.observe().catch((late: Error) => late)) instanceof EnvironmentGone)
  t.equal((await stepOf(witness)).content, 'meanwhile')
  await onlyLeft(0)
  await hostile.close()
}

const tooLate = /^the environment's step took longer than 30 s and did not stop when it was told to$/
const limit = 32_000

for (const [file, args] of [
  ['spin.mjs', {}],
  ['hang.mjs', {}],
  ['hostile.py', { how: 'spin' }],
  ['hostile.py', { how: 'hang' }],
] as const) {
  t.test(
    `${file} ${Object.values(args)}: a step that does not stop is killed 2 s after its limit`,
    async t => {
      await endsAlone(t, await given(t, file), args, tooLate, limit)
    },
  )
}

t.test('a step that is canceled and does not stop is killed too', async t => {
  const { hostile, world, onlyLeft } = await given(t, 'spin.mjs')
  const canceled = new AbortController()
  const step = t.rejects(stepOf(hostile, {}, { signal: canceled.signal, emit: () => canceled.abort() }), {
    message: "the environment's step was canceled and did not stop when it was told to",
  })
  await until(() => canceled.signal.aborted)
  await world.advance(2000)
  await step
  t.equal(getEventListeners(canceled.signal, 'abort').length, 0)
  await onlyLeft(0)
})

for (const how of ['a throw', 'a promise']) {
  t.test(`one that fails after its answer, by ${how}, ends with what it threw`, async t => {
    const { hostile, onlyLeft } = await given(t, 'later.mjs')
    t.equal((await stepOf(hostile, { how })).content, 'all is well')
    t.equal(await hostile.gone, `the environment failed: too late, by ${how}`)
    t.equal((await stepOf(witness)).content, 'meanwhile')
    await onlyLeft(0)
  })
}

t.test('what one has started ends with it, in its process group or not', async t => {
  await endsAlone(
    t,
    await given(t, 'children.mjs'),
    { how: 'exits' },
    'the environment ended by itself with exit code 0',
  )
})

t.test('what one has started ends with it when it is killed', async t => {
  await endsAlone(t, await given(t, 'children.mjs'), { how: 'hangs' }, tooLate, limit)
})

t.test('what one has started ends with it when it is closed', async t => {
  const { hostile, onlyLeft } = await given(t, 'children.mjs')
  t.equal((await stepOf(hostile, { how: 'stays' })).content, 'started three')
  await hostile.close()
  await onlyLeft(0)
})

t.test('what a Python one has started ends with it', async t => {
  await endsAlone(t, await given(t, 'hostile.py'), { how: 'children' }, /exit code 0$/)
})

for (const where of [
  'in the heap',
  'out of the heap',
  'in another process',
  'in another group',
  'in an orphan of another group',
]) {
  t.test(`one that takes too much memory ${where} is ended`, async t => {
    const programs = await given(t, 'memory.mjs', { memoryMb: 160 })
    await endsAlone(t, programs, { where }, 'the environment needed more than 160 MiB of memory', limit, 100)
  })
}

t.test('one that takes too much memory in Python is ended', async t => {
  const programs = await given(t, 'hostile.py', { memoryMb: 100 })
  await endsAlone(
    t,
    programs,
    { how: 'memory' },
    'the environment needed more than 100 MiB of memory',
    limit,
    100,
  )
})

for (const [file, how, reason] of [
  ['ends.mjs', 'by itself', 'the environment ended by itself with exit code 3'],
  ['ends.mjs', 'by a signal', 'the environment was ended by SIGKILL'],
  ['ends.mjs', 'by SIGSEGV', 'the environment was ended by SIGSEGV'],
  // Its last word is told, but never what it was given as a secret.
  ['ends.mjs', 'with a word', /with exit code 3: out of luck, and the key is \*\*\*$/],
  ['hostile.py', 'exit', 'the environment ended by itself with exit code 3: out of luck'],
  ['hostile.py', 'abort', 'the environment was ended by SIGABRT'],
  ['hostile.py', 'crash', 'the environment was ended by SIGSEGV'],
] as const) {
  t.test(`one that ends: ${file} ${how}`, async t => {
    await endsAlone(t, await given(t, file), { how }, reason)
  })
}

const broken = (what: string) => `the environment does not speak the protocol: it sent ${what}`
for (const [what, reason] of Object.entries({
  garbage: '“what is this?”, which is no message',
  'an array': '“[1]”, which is no message',
  'the number 5': '“5”, which is no message',
  'an object': 'neither an answer nor a notification',
  'hello again': 'hello a second time',
  'bad output': 'output without a text',
  'an answer to another': 'an answer that nobody waits for',
  'a line without end': '', // a line too long, or what of it came first
  'lines without end': '', // too much of them, or an answer that was written into the middle of one
})) {
  t.test(`one that says ${what} is ended`, async t => {
    await endsAlone(t, await given(t, 'says.mjs'), { what }, broken(reason))
  })
}

t.test('one that answers twice is believed once, and ended', async t => {
  const { hostile, onlyLeft } = await given(t, 'says.mjs')
  t.equal((await stepOf(hostile, { what: 'two answers' })).content, 'forged')
  t.equal(await hostile.gone, broken('an answer that nobody waits for'))
  t.equal((await stepOf(witness)).content, 'meanwhile')
  await onlyLeft(0)
})

const mebibyte = 1 << 20
for (const [file, args] of [
  ['floods.mjs', { where: 'output', times: 64 }],
  ['floods.mjs', { where: 'content', times: 320 }],
  ['hostile.py', { how: 'flood' }],
] as const) {
  t.test(`too much of what is said is cut at 1 MiB, and marked: ${Object.values(args)}`, async t => {
    const { hostile } = await given(t, file)
    let said = ''
    const { status, content } = await stepOf(hostile, args, { emit: text => (said += text) })
    const both = [said, content as string].filter(text => text.length > 10)
    t.equal(status, 'completed')
    for (const text of both) {
      t.ok(text.endsWith(`ä${cutMark}`))
      t.equal(Buffer.byteLength(text), mebibyte + Buffer.byteLength(cutMark))
    }
    t.ok(both.length > 0)
    await hostile.close()
  })
}

for (const where of ['stderr', 'stdout']) {
  t.test(`a flood of what is printed to ${where} is slowed down, and harms nobody`, async t => {
    const { hostile, world } = await given(t, 'floods.mjs')
    let isOver = false
    const step = stepOf(hostile, { where, times: 40 }).finally(() => (isOver = true))
    t.equal((await stepOf(witness)).content, 'meanwhile')
    while (!isOver) {
      await world.advance(50)
      await new Promise(resolve => setTimeout(resolve, 1))
    }
    t.equal((await step).content, 'said')
    await hostile.close()
  })
}

t.test('results that are none fail their step, with the reason, and nothing else', async t => {
  const { hostile } = await given(t, 'unfit.mjs')
  const reasons: Record<string, string> = {
    'an infinite number': 'the reward is 1e999, which cannot be held exactly',
    nothing: 'the step gave no result',
    'a text': 'the step gave no result',
    'no content': 'the content is neither a text nor a list of content items',
    'content of a number': 'the content is neither a text nor a list of content items',
    'content of no kind': 'the content is neither a text nor a list of content items',
    NaN: '“reward” is NaN, which is no JSON',
    'a cycle': 'a value holds itself, which is no JSON',
    'a function': '“call” is a function, which is no JSON',
    undefined: '“there” is undefined, which is no JSON',
    'a Map': '“observation” is a Map, which is no JSON',
    'a text as reward': 'the reward is no number',
    'a number as end': 'terminated is neither true nor false',
    'a list as info': 'the info is no object',
    'a text as state': 'the state is no object',
    'blocks without a type': 'the blocks are no list of blocks',
    'too deep': 'the info that step gave is nested deeper than 64 levels',
    'much too deep': 'a value is nested too deeply',
    'the name __proto__': 'the info that step gave holds the name __proto__',
  }
  for (const [what, error] of Object.entries(reasons)) {
    const answer = await stepOf(hostile, { what })
    t.match(answer, { status: 'incomplete', error, content: error, reward: 0, done: false })
    t.equal(answer.tools.length, 1)
  }
  t.equal((await stepOf(witness)).content, 'meanwhile')
  t.same(await hostile.observe(), {
    state: { here: true },
    tools: (await witness.observe()).tools,
    done: false,
  })
  t.notOk('polluted' in {})
  await hostile.close()
})

t.test('in Python too', async t => {
  const { hostile } = await given(t, 'hostile.py')
  for (const [how, error] of Object.entries({
    nan: 'TypeError: nan is no JSON',
    a_set: 'TypeError: a set is no JSON',
    cycle: 'TypeError: a value is nested deeper than 64 levels, or holds itself',
    nowhere: "AttributeError: 'Hostile' object has no attribute 'nowhere'",
  })) {
    t.match(await stepOf(hostile, { how }), { status: 'incomplete', error, state: { here: true } })
  }
  t.equal((await stepOf(hostile, { how: 'thread' })).content, 'survived')
  t.equal((await stepOf(hostile, { how: 'prints' })).content, "read ''")
  await hostile.close()
})

t.test(
  'a throw of a step is its failure, whatever was thrown; the newest state that can be had is told',
  async t => {
    const { hostile } = await given(t, 'throws.mjs')
    for (const [what, error] of Object.entries({
      'an error': 'no such move',
      null: 'null',
      'a symbol': 'Symbol(odd)',
      'an object': 'something was thrown that cannot be told',
    })) {
      t.match(await stepOf(hostile, { what }), { status: 'incomplete', error, state: { here: true } })
    }
    const blind = await stepOf(hostile, { isBlind: true })
    t.match(blind, { status: 'incomplete', error: 'cannot see', state: { here: true } })
    await t.rejects(hostile.observe(), new AuthorsError('cannot see'))
    t.equal((await stepOf(hostile, {})).content, 'done')
    await hostile.close()
  },
)

t.test('a throw of the constructor or of reset is told; the first leaves no process', async t => {
  const { open, onlyLeft } = await givenPrograms(t)
  await t.rejects(
    open('hostile/throws.mjs', { kwargs: { where: 'constructor' } }),
    new AuthorsError('bad arguments'),
  )
  await onlyLeft(0)
  const hostile = await open('hostile/throws.mjs', { kwargs: { where: 'reset' } })
  await t.rejects(resetOf(hostile), new AuthorsError('cannot begin'))
  t.same((await hostile.observe()).state, { here: true })
  await hostile.close()
})

t.test('one that spoils its own objects spoils nobody else', async t => {
  const { hostile, onlyLeft } = await given(t, 'pollutes.mjs')
  await stepOf(hostile).catch(() => {})
  t.notOk('polluted' in {})
  t.same(JSON.parse(JSON.stringify([1])), [1])
  t.equal((await stepOf(witness)).content, 'meanwhile')
  await hostile.close()
  await onlyLeft(0)
})

t.test('one that does not want to be closed is killed', async t => {
  const { hostile, world, onlyLeft } = await given(t, 'stays.mjs')
  let isClosed = false
  const closing = hostile.close().then(() => (isClosed = true))
  while (!isClosed) {
    await world.advance(500)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  await closing
  await onlyLeft(0)
})

t.test(
  'one that never says hello, ends while it is loaded, or cannot be loaded, cannot be opened',
  async t => {
    const { start, world, onlyLeft } = await givenPrograms(t)
    await t.rejects(start('hostile/exits.mjs'), { message: /exit code 5$/ })
    await t.rejects(start('hostile/broken.mjs'), {
      message: /^the environment failed: Error: Cannot find module .*nowhere\.mjs/,
    })
    const starting = t.rejects(start('hostile/mute.mjs'), {
      message: 'the environment did not say hello in 20 s',
    })
    let isOver = false
    void starting.then(() => {
      isOver = true
    })
    // Again and again, since nobody outside sees when the wait for the hello begins.
    while (!isOver) {
      await world.advance(20_000)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    await onlyLeft(0)
  },
)
