// The paths of our own files, both in the sources and in the bundle.
import { fileURLToPath } from 'node:url'
import { built } from '../platform/built.ts'

export const javascriptHost = (): string => fileURLToPath(built('host-process.mjs'))
/** A copy of `python/reprise_env.py`. */
export const pythonHost = (): string => fileURLToPath(built('python/reprise_env.py'))
/** A copy of `python/gymnasium_kinds.py`. */
export const gymnasiumFile = (): string => fileURLToPath(built('python/gymnasium_kinds.py'))
export const builtinNames = ['chess', 'gridworld', 'sql', 'workspace'] as const
export const builtinFile = (name: string): string => fileURLToPath(built(`environments/${name}.mjs`))
