// Folders that the user of the server may not use: one line that says which user may not do what where, and what to do.
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { adminToken, serveHere } from '../support/server.ts'

const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
/** Root may do everything, so another user is asked. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const uid = user.uid ?? process.getuid?.()
const run = (args: string[], env: Record<string, string>) => {
  const options = { ...user, cwd: '/', encoding: 'utf8' as const, timeout: 20_000 }
  const all = { PATH: process.env.PATH, PORT: '0', ADMIN_TOKEN: adminToken, ...env }
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { ...options, env: all })
  return { code: status, stdout, stderr }
}
const skip = run(['--version'], {}).code === 0 ? false : 'another user cannot read these sources'

const top = mkdtempSync(path.join(tmpdir(), 'reprise-forbidden-'))
t.teardown(() => rmSync(top, { recursive: true, force: true }))
chmodSync(top, 0o755)
const [closed, shut, own, used] = ['closed', 'shut', 'own', 'used'].map(name => path.join(top, name)) as [
  string,
  string,
  string,
  string,
]
for (const folder of [closed, shut, own, used]) mkdirSync(folder)
if (user.uid !== undefined) chownSync(own, user.uid, user.gid)

t.test('it is named who may not do what, and where', { skip }, async t => {
  await (await serveHere(t, { DATA_DIR: used })).stop()
  chmodSync(closed, 0o555)
  chmodSync(used, 0o755)
  chmodSync(shut, 0)
  const who = `the user \\S+ \\(${uid}\\) may not`
  const cases: [string[], Record<string, string>, string][] = [
    [
      ['serve'],
      { DATA_DIR: closed },
      `DATA_DIR=${closed} cannot be used: ${who} write in ${closed}, which belongs to the user \\d+: .+chown ${uid} ${closed}; or set another DATA_DIR`,
    ],
    [
      ['serve'],
      { DATA_DIR: path.join(closed, 'new') },
      `DATA_DIR=${closed}/new cannot be used: ${who} write in ${closed}, .+install -d -m 700 -o ${uid} ${closed}/new; or`,
    ],
    [
      ['serve'],
      { DATA_DIR: path.join(shut, 'new') },
      `DATA_DIR=${shut}/new cannot be used: ${who} enter ${shut}, `,
    ],
    [
      ['serve'],
      { DATA_DIR: own, WORKSPACE_ROOT: closed },
      `WORKSPACE_ROOT=${closed} cannot be used: ${who} write in ${closed}, `,
    ],
    [['history', 'x'], { DATA_DIR: shut }, `${shut}/log.db cannot be read: ${who} enter ${shut}, `],
    [
      ['backup', path.join(closed, 'x.db')],
      { DATA_DIR: used },
      `${used}/log.db cannot be (copied to ${closed}/x.db|opened|read): ${who} .+`,
    ],
  ]
  for (const [args, env, says] of cases) {
    const { code, stdout, stderr } = run(args, env)
    t.same({ code, stdout }, { code: 2, stdout: '' }, args.join(' '))
    t.match(stderr, new RegExp(`^reprise: ${says}.*\n$`))
  }
  t.notOk(existsSync(path.join(closed, 'new')))
})
