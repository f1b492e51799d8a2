// The package `reprise/testing`: the newest build, whose folder has another name each time.
import { readFileSync } from 'node:fs'

const build = readFileSync(new URL('../current', import.meta.url), 'utf8').trim()
export const { killEverywhere, startTestServer } = await import(`../${build}/testing.mjs`)
