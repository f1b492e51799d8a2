import { readFileSync } from 'node:fs'
import { root } from './built.ts'

const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  version: string
}
export const version: string = manifest.version
/** The name of this build, which each event stores: the version of Reprise and of the task chart. */
export const build = `${version}+task.1`
