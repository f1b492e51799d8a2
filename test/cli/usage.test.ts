// What the reprise command answers to a wrong or a questioning command line.
import t from 'tap'
import { version } from '../../src/version.ts'
import { runReprise } from '../support/server.ts'

t.test('help and version are answers: stdout, exit code 0', async t => {
  const [help, tokenHelp, asked] = await Promise.all([
    runReprise(['--help']),
    runReprise(['token', 'create', '--help']),
    runReprise(['--version']),
  ])
  t.match(help, { code: 0, stderr: '', stdout: /^Usage: reprise/ })
  for (const command of ['serve', 'try', 'token', 'model'])
    t.match(help.stdout, new RegExp(`^ {2}${command} `, 'm'))
  t.match(tokenHelp, { code: 0, stderr: '' })
  for (const option of ['--role', '--user-id', '--ttl']) t.match(tokenHelp.stdout, option)
  t.same(asked, { code: 0, stderr: '', stdout: `${version}\n` })
})

t.test('a slip of the hand is told with the way out: stderr, exit code 2', async t => {
  const slips: [string[], RegExp][] = [
    [['serv'], /unknown command 'serv'\n\(Did you mean serve\?\)/],
    [['token', 'crate'], /unknown command 'crate'\n\(Did you mean create\?\)/],
    [['token', 'create', '--role', 'user', '--tll', '5'], /unknown option '--tll'\n\(Did you mean --ttl\?\)/],
    [
      ['token', 'create', '--role', 'root'],
      /^reprise: --role root is none of admin, user, auditor, subscriber\n$/,
    ],
    [
      ['token', 'create', '--role', 'user', '--ttl', '1h'],
      /^reprise: --ttl 1h is not a number of seconds from 1 to 315360000\n$/,
    ],
    [['token', 'create', '--role', 'user', '--ttl', '0'], /^reprise: --ttl 0 is not a number/],
  ]
  const DATA_DIR = t.testdir()
  for (let n = 0; n < slips.length; n += 3) {
    await Promise.all(
      slips.slice(n, n + 3).map(async ([args, says]) => {
        const { code, stdout, stderr } = await runReprise(args, { DATA_DIR, PORT: '0' })
        t.match({ code, stdout }, { code: 2, stdout: '' }, args.join(' '))
        t.match(stderr, says)
      }),
    )
  }
})
