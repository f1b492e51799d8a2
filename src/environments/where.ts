// Where our own files lie, from sources as from the bundle.
import { fileURLToPath } from 'node:url'
import { built } from '../platform/built.ts'

/** The host for JavaScript. */
export const javascriptHost = (): string => fileURLToPath(built('environment-host.mjs'))
/** The host for Python, a copy of `python/reprise_env.py`. */
export const pythonHost = (): string => fileURLToPath(built('python/reprise_env.py'))
export const builtinNames = ['chess', 'gridworld', 'sql', 'workspace'] as const
export const builtinFile = (name: string): string => fileURLToPath(built(`environments/${name}.mjs`))
