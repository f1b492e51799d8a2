#!/usr/bin/env node
// Runs the newest build in dist/. `npm ci` and `npm start` make builds there, with build.mjs.
import { readFileSync } from 'node:fs'

const dist = new URL('../dist/', import.meta.url)
let build
try {
  build = readFileSync(new URL('current', dist), 'utf8').trim()
} catch {
  process.stderr.write('reprise: there is no build in dist/: run npm ci, or node build.mjs\n')
  process.exit(2)
}
process.setSourceMapsEnabled(true)
await import(new URL(`${build}/main.mjs`, dist))
