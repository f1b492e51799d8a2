// Where our own files lie, from sources as from the bundle.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const isBundle = !import.meta.url.endsWith('.ts')
const firstOf = (...files: string[]) => files.find(file => existsSync(file)) ?? files.at(-1) ?? ''

/** The host for JavaScript; from sources it registers the loader first, which takes longer. */
export const javascriptHost = path.join(here, 'environment-host.mjs')
/** The host for Python: `python/` lies beside `dist/`, and beside `src/`. */
export const pythonHost = firstOf(
  path.join(here, '../python/reprise_env.py'),
  path.join(here, '../../python/reprise_env.py'),
)
export const builtinNames = ['chess', 'gridworld', 'sql', 'workspace'] as const
export const builtinFile = (name: string): string =>
  path.join(here, isBundle ? `environments/${name}.mjs` : `kinds/${name}/${name}.ts`)
