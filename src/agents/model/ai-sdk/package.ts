// Finds and loads a provider package of the AI SDK, which the operator has installed. It is none of our dependencies.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { CannotStart } from '../../../contract/cannot-start.ts'

type Exports = Record<string, unknown>

const isPath = (name: string): boolean => /^(\.{1,2}\/|\/|file:)/.test(name) || path.isAbsolute(name)
const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/

/** The name of the provider without its folder, for people and for the log. */
export const shownName = (name: string): string => (isPath(name) ? path.basename(name) : name)

type Conditions = string | { [condition: string]: Conditions } | Conditions[] | null | undefined
/** The file for imports, in the exports of a package. */
const fileIn = (exported: Conditions): string | undefined => {
  if (typeof exported === 'string') return exported
  if (Array.isArray(exported)) return exported.map(fileIn).find(Boolean)
  const wanted = ['.', 'node', 'import', 'module', 'default']
  const found = Object.entries(exported ?? {}).find(([name]) => wanted.includes(name))
  return found && fileIn(found[1])
}

/** The file of a package that has no file for `require`, in this folder or one above it. */
const importOnly = (name: string, folder: string): string | undefined => {
  const home = path.join(folder, 'node_modules', name)
  const about = path.join(home, 'package.json')
  if (existsSync(about)) {
    const { exports } = JSON.parse(readFileSync(about, 'utf8')) as { exports?: Conditions }
    const file = fileIn(exports)
    return file && path.join(home, file)
  }
  const above = path.dirname(folder)
  return above === folder ? undefined : importOnly(name, above)
}

const found = (name: string, folder: string): string | undefined => {
  try {
    return createRequire(path.join(folder, 'here.js')).resolve(name)
  } catch {
    return importOnly(name, folder)
  }
}

const fileOf = (name: string): string => {
  if (isPath(name)) {
    const file = path.resolve(name)
    if (existsSync(file)) return file
    throw new CannotStart(
      `MODEL_PROVIDER=${name} is no file: give the path of a module, or the name of a package`,
    )
  }
  if (!packageName.test(name)) {
    throw new CannotStart(`MODEL_PROVIDER=${name} is no name of a package: use one such as @ai-sdk/mistral`)
  }
  const file = found(name, process.cwd()) ?? found(name, import.meta.dirname)
  if (file !== undefined) return file
  throw new CannotStart(
    `MODEL_PROVIDER=${name} is not installed: run npm install ${name} in ${process.cwd()}`,
  )
}

/**
 * Loads a package by its name from the working folder, or from beside Reprise, or a module by its path. Throws
 * CannotStart when it is missing or cannot be loaded.
 */
export const loadPackage = async (name: string): Promise<Exports> => {
  const file = fileOf(name)
  try {
    const loaded = (await import(pathToFileURL(file).href)) as Exports
    const inner = loaded.default
    // A CommonJS package has its exports in the default export.
    return typeof inner === 'object' && inner !== null ? { ...inner, ...loaded } : loaded
  } catch (error) {
    const why = (error as Error).message.split('\n')[0]
    throw new CannotStart(`MODEL_PROVIDER=${name} cannot be loaded: ${why}`)
  }
}
