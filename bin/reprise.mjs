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

const { existsSync, readFileSync } = await import('node:fs')
const current = new URL('../dist/current', import.meta.url)
const maker = new URL('../build.mjs', import.meta.url)
if (!existsSync(current)) {
  if (!existsSync(maker)) fail('the folder dist/ of this package has no build: install the package again')
  await import(maker).catch(error => fail(`no build could be made (${error.message}): run npm ci`))
}
process.setSourceMapsEnabled(true)
await import(new URL(`../dist/${readFileSync(current, 'utf8').trim()}/main.mjs`, import.meta.url))
