// What `npm start` sets, read from package.json, so that benches and soaks measure the server as users start it.
import { readFileSync } from 'node:fs'
import path from 'node:path'

const file = path.resolve(import.meta.dirname, '../../package.json')
const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: { start: string } }
const words = scripts.start.split(' ')
const program = words.indexOf('node')

/** The environment variables that `npm start` sets. */
export const startVariables: Record<string, string> = Object.fromEntries(
  words.filter(word => /^[A-Z_]+=/.test(word)).map(word => word.split('=', 2) as [string, string]),
)
/** The options of Node that `npm start` sets. */
export const nodeOptions = words.slice(program + 1).filter(word => word.startsWith('--'))
