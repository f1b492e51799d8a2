// The package for Python: its version is ours, and what pip installs runs.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { pythonWith } from '../support/python-packages.ts'

t.test('it has the version of the server', async t => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.match(readFileSync('python/pyproject.toml', 'utf8'), `\nversion = "${version}"\n`)
})

const python = pythonWith('setuptools==84.2.1', 'wheel==0.48.0') ?? ''
const noPip = python === '' && 'there is no python3 with venv, or setuptools cannot be had'

t.test(
  'pip installs it, and an agent and the client run from there',
  { skip: noPip, timeout: 300_000 },
  async t => {
    const folder = t.testdir()
    const source = path.join(folder, 'source')
    cpSync('python', source, { recursive: true }) // pip leaves files of its own in it
    const installed = path.join(folder, 'installed')
    const options = ['--no-build-isolation', '--no-deps', '--no-index', '--quiet', '--target', installed]
    const { status, stderr } = spawnSync(python, ['-m', 'pip', 'install', ...options, source])
    t.equal(status, 0, `${stderr}`)
    const client =
      'import reprise, os; print(os.path.exists(os.path.join(os.path.dirname(reprise.__file__), "py.typed")), reprise.Reprise)'
    const imported = spawnSync(python, ['-c', client], {
      cwd: folder,
      env: { PATH: process.env.PATH, PYTHONPATH: installed },
    })
    t.match(`${imported.stdout}`, /^True <class/, `${imported.stderr}`)
    const file = path.join(folder, 'answer.py')
    const lines = [
      'from reprise_agent import agent',
      '@agent',
      'async def main(ctx): return f"{ctx.input.text}!"',
    ]
    writeFileSync(file, lines.join('\n'))
    const begin = { type: 'begin', lease: 'l', agent: 'answer', input: { text: 'hello' }, seed: 's', at: 1 }
    // The host ends with its input, so its answer must be there before: the shell waits a little.
    const said = spawnSync(
      'sh',
      ['-c', '(echo "$1"; sleep 3) | "$2" -m reprise_agent "$3"', 'sh', JSON.stringify(begin), python, file],
      { cwd: folder, env: { PATH: process.env.PATH, PYTHONPATH: installed } },
    )
    t.match(`${said.stdout}`, '"outcome":{"answer":"hello!"}')
  },
)
