// The command on a machine that is not the one it needs: one line says what is missing, before anything else is loaded.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import t from 'tap'
import '../support/built.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Runs the command in a Node that takes itself for another one. */
const runAs = (as: string) => {
  const args = ['--import', `data:text/javascript,${as}`, 'bin/reprise.mjs', '--version']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}
const asNode = (version: string) =>
  `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`

for (const version of ['18.20.8', '20.20.2', '22.17.1'])
  t.test(`Node ${version} is refused in one line`, async t => {
    t.same(runAs(asNode(version)), {
      status: 2,
      stdout: '',
      stderr: `reprise: Node ${version} is too old: Node 22.18 or later is needed, and 24 is recommended\n`,
    })
  })

for (const version of ['22.18.0', '24.0.0', '26.1.0'])
  t.test(`Node ${version} runs it`, async t => {
    t.match(runAs(asNode(version)), { status: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: '' })
  })

t.test('packages that were installed for another machine are named in one line', async t => {
  const { status, stdout, stderr } = runAs(`Object.defineProperty(process,'arch',{value:'riscv64'})`)
  t.same({ status, stdout }, { status: 2, stdout: '' })
  t.match(
    stderr,
    /^reprise: SQLite cannot be loaded on \w+-riscv64 with Node v\S+ \(.+\): install the packages again on this machine\n$/,
  )
})
