#!/usr/bin/env node
// Runs the newest build in dist/, and makes one in a checkout that has none. Every import comes after the judgement of
// Node's version, since older versions cannot read what is imported.
const [major, minor] = process.versions.node.split('.').map(Number)
const fail = message => {
  process.stderr.write(`reprise: ${message}\n`)
  process.exit(2)
}
if (major < 22 || (major === 22 && minor < 18))
  fail(`Node ${process.versions.node} is too old: Node 22.18 or later is needed, and 24 is recommended`)

// A signal ends this process while nothing has begun that hears it. The first process of a container does not hear a
// signal at all that it has no handler for.
const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
for (const [signal, code] of Object.entries(codes))
  process.on(signal, () => process.listenerCount(signal) > 1 || process.exit(code))

const { existsSync, readFileSync } = await import('node:fs')
// As the first process of a container, a server that runs in Node would leave a zombie of every process that has lost its
// parent. So a shell takes its place, which runs this file as its child.
const shell = '/bin/sh'
if (process.pid === 1 && process.argv[2] === 'serve' && existsSync(shell)) {
  const { fileURLToPath } = await import('node:url')
  const script = fileURLToPath(new URL('as-process-1.sh', import.meta.url))
  process.execve(shell, [shell, script, process.execPath, ...process.execArgv, ...process.argv.slice(1)])
}

const current = new URL('../dist/current', import.meta.url)
const maker = new URL('../build.mjs', import.meta.url)
if (!existsSync(current)) {
  if (!existsSync(maker)) fail('the folder dist/ of this package has no build: install the package again')
  await import(maker).catch(error => fail(`no build could be made (${error.message}): run npm ci`))
}
process.setSourceMapsEnabled(true)
await import(new URL(`../dist/${readFileSync(current, 'utf8').trim()}/main.mjs`, import.meta.url))
