// reprise agent new, as a process: the files that it writes, and those that it does not.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { runReprise } from '../support/server.ts'
import { jsonLines } from './support.ts'

t.test('each form is a commented file with the name of the agent', async t => {
  const folder = path.join(t.testdir(), 'my agents')
  const made = async (name: string, ...options: string[]) => {
    const { code, stdout, stderr } = await runReprise(['agent', 'new', name, '--folder', folder, ...options])
    t.equal(code, 0, stderr)
    t.match(stderr, `reprise agent check '${stdout.trim()}'`)
    t.match(stderr, `reprise dev '${folder}'`)
    return stdout.trim()
  }
  const file = await made('refunds')
  t.equal(file, path.join(folder, 'refunds.mjs'))
  const text = readFileSync(file, 'utf8')
  for (const part of ['ctx.model(', 'ctx.run(', 'ctx.ask(', '// A question to a human']) t.match(text, part)
  t.match(readFileSync(await made('holiday', '--machine'), 'utf8'), "id: 'holiday'")
  t.equal(await made('letters', '--python'), path.join(folder, 'letters.py'))
})

t.test('--json tells the name and the file', async t => {
  const folder = t.testdir()
  const { stdout, stderr } = await runReprise(['agent', 'new', 'one', '--folder', folder, '--json'])
  t.same(jsonLines(stdout), [{ agent: 'one', file: path.join(folder, 'one.mjs') }])
  t.equal(stderr, '')
})

t.test('nothing is overwritten, and no name is taken twice', async t => {
  const folder = t.testdir()
  const file = path.join(folder, 'mine.ts')
  writeFileSync(file, '// mine')
  const { code, stderr } = await runReprise(['agent', 'new', 'mine', '--folder', folder])
  t.same(
    { code, stderr },
    {
      code: 2,
      stderr: `reprise: ${file} is the agent mine already: choose another name, or remove this file\n`,
    },
  )
  t.equal(readFileSync(file, 'utf8'), '// mine')
})

t.test('a wrong name is told with the rule: exit code 2', async t => {
  for (const name of ['Refunds', '1st', '../out', 'a b', ''])
    t.match(await runReprise(['agent', 'new', name, '--folder', t.testdirName]), {
      code: 2,
      stdout: '',
      stderr:
        /^reprise: an agent cannot have the name ".*": an agent has a name of up to 64 lower-case letters.+\n$/,
    })
  t.match(await runReprise(['agent', 'new', 'echo']), {
    code: 2,
    stderr: 'reprise: echo is a built-in agent: choose another name\n',
  })
  t.match(await runReprise(['agent', 'new', 'one', '--python', '--machine']), {
    code: 2,
    stderr: /exclude each other/,
  })
})
