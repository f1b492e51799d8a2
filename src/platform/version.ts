import { readFileSync } from 'node:fs'
import { root } from './built.ts'

const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  version: string
}
export const version: string = manifest.version
/** What wrote an event: our version and that of the task machine. */
export const build = `${version}+task.1`
