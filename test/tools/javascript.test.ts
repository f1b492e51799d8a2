// What code gives, in the interpreter itself: without the thread around it, which only takes longer.
import { newQuickJSWASMModule } from 'quickjs-emscripten'
import t from 'tap'
import { evaluate } from '../../src/tools/javascript.ts'
import { failure } from './support.ts'

const KiB = 1 << 10
const run = async (code: string, env: Record<string, unknown> = {}): Promise<string> =>
  evaluate(await newQuickJSWASMModule(), {
    code,
    env,
    seed: 1,
    at: 0,
    deadlineMs: 10_000,
    tooLong: 'too long',
  })

t.test('the variables of the task are in env, which the code cannot change', async t => {
  const env = { NAME: 'é \u0000 \ud800', DEEP: { list: [1, { two: 2 }] }, NONE: null }
  t.equal(await run('env', env), JSON.stringify(env))
  t.equal(await run('env', {}), '{}')
  t.equal(
    await run('env.NAME = 1; env.MORE = 1; env.DEEP.list.x = 1; delete env.NONE; env = 5; env', env),
    JSON.stringify(env),
  )
  t.equal(await run('Object.isFrozen(env.DEEP.list[1])', env), 'true')
  t.equal(await run('const env = 5; env', env), '5', 'code may have a variable of this name')
})

t.test('the value of the last expression is told', async t => {
  const values: Record<string, string> = {
    '1 + 1': '2',
    '"as it is"': 'as it is',
    '"é 😀 \\u0000 \\ud800 end"': 'é 😀 \u0000 \ud800 end',
    'const a = [1, { b: "c" }]; a': '[1,{"b":"c"}]',
    'let x = 4; if (x > 3) { x * 2 }': '8',
    undefined: 'undefined',
    '': 'undefined',
    null: 'null',
    NaN: 'NaN',
    '10n ** 20n': '100000000000000000000',
    '({ big: 1n, map: new Map([[1, 2]]), set: new Set([3]) })': '{"big":"1","map":[[1,2]],"set":[3]}',
    'Symbol("s")': 'Symbol(s)',
    'x => x + 1': 'x => x + 1',
    'new Error("made, not thrown")': 'Error: made, not thrown',
    'const c = {}; c.c = c; c': '[object Object]',
    'const d = []; d.push(d); d': '[object Array]',
    '({ toJSON() { throw 1 }, toString() { throw 2 } })': '[object Object]',
    'const Map = 1, Error = 2, JSON = 3, String = 4; ({ Map, Error, JSON, String })':
      '{"Map":1,"Error":2,"JSON":3,"String":4}',
  }
  for (const [code, value] of Object.entries(values)) t.equal(await run(code), value, code)
})

t.test('promises are awaited, at the top level too', async t => {
  const values: Record<string, string> = {
    'Promise.resolve(7)': 'answered: 7',
    '(async () => { await null; return { a: 1 } })()': 'answered: {"a":1}',
    'const x = await Promise.resolve(4); x + 1': 'answered: 5',
    'await Promise.all([1, Promise.resolve(2)])': 'answered: [1,2]',
    'let n = 0; Promise.resolve().then(() => console.log("later")); n': 'answered: later\n0',
    'await new Promise(() => {})': 'The code waits for a promise that nothing will settle',
    'new Promise(() => {})': 'The code waits for a promise that nothing will settle',
    'Promise.reject(new TypeError("no"))': 'TypeError: no (line 1)',
  }
  for (const [code, end] of Object.entries(values)) t.equal(await failure(run(code)), end, code)
})

t.test('what is logged stands before the value', async t => {
  t.equal(
    await run('console.log("a", 1, { b: [2] }, undefined)\nconsole.error("c"); console.log()\n"value"'),
    'a 1 {"b":[2]} undefined\nc\n\nvalue',
  )
})

t.test('a throw is the failure, with its name, message and line', async t => {
  const failures: Record<string, string> = {
    '\n\nnull.x': "TypeError: cannot read property 'x' of null (line 3)",
    'const f = () => {\n  throw new RangeError("far")\n}\nf()': 'RangeError: far (line 2)',
    'await null\nthrow new Error("after")': 'Error: after (line 2)',
    'let a = 1\nlet a = 2': 'SyntaxError: invalid redefinition of lexical identifier (line 2)',
    'const e = new Error("own")\ne.name = "Mine"\nthrow e': 'Mine: own (line 1)',
    'throw { message: "no error" }': 'Thrown: {"message":"no error"}',
    'throw undefined': 'Thrown: undefined',
    'console.log("seen")\nx': "ReferenceError: 'x' is not defined (line 2)\nPrinted before:\nseen",
    'throw new Proxy({}, { getPrototypeOf() { throw 1 } })':
      'What was thrown cannot be shown; perhaps the code ran out of memory',
  }
  for (const [code, end] of Object.entries(failures)) t.equal(await failure(run(code)), end, code)
})

t.test('there is nothing outside: no import, require, network, file, timer or process', async t => {
  t.equal(
    await run(
      '[typeof require, typeof process, typeof fetch, typeof setTimeout, typeof std, typeof os, typeof Worker].join()',
    ),
    Array(7).fill('undefined').join(),
  )
  t.match(await failure(run('import fs from "node:fs"')), 'SyntaxError')
  t.match(await failure(run('await import("node:fs")')), "could not load module 'node:fs'")
  t.equal(await run('console.log.constructor("return typeof process")()'), 'undefined')
  t.equal(
    await run('globalThis.left = 1; Object.prototype.left = 2; typeof left'),
    'number',
    'and nothing is kept',
  )
  t.equal(await run('typeof left'), 'undefined')
})

t.test('the output is cut at 64 KiB', async t => {
  const note = '\n[Cut: the output is longer than 64 KiB]'
  t.equal(await run(`"x".repeat(${64 * KiB})`), 'x'.repeat(64 * KiB))
  t.equal(await run(`"x".repeat(${64 * KiB + 1})`), 'x'.repeat(64 * KiB) + note)
  t.equal(await run('"x".repeat(3e7)'), 'x'.repeat(64 * KiB) + note)
  t.equal(await run(`"é".repeat(${32 * KiB})`), 'é'.repeat(32 * KiB))
  t.equal(await run(`"a" + "é".repeat(${32 * KiB})`), `a${'é'.repeat(32 * KiB - 1)}${note}`)
  t.equal(
    await run('for (let i = 0; i < 1e5; i++) console.log("line")'),
    `${'line\n'.repeat(13_107)}l${note}`,
  )
  const failed = await failure(run('console.log("y".repeat(1e6)); null.x'))
  t.match(failed, /^TypeError: .* \(line 1\)\nPrinted before:\ny+\n\[Cut: .*\]$/)
  t.equal(Buffer.byteLength(failed), 64 * KiB + note.length)
})
