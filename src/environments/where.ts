// Where our own files lie, from sources as from the bundle.
import { fileURLToPath } from 'node:url'
import { built } from '../built.ts'

/** The host for JavaScript. */
export const javascriptHost = fileURLToPath(built('environment-host.mjs'))
/** The host for Python: `python/` lies beside `dist/`. */
export const pythonHost = fileURLToPath(built('../python/reprise_env.py'))
export const builtinNames = ['chess', 'gridworld', 'sql', 'workspace'] as const
export const builtinFile = (name: string): string => fileURLToPath(built(`environments/${name}.mjs`))
