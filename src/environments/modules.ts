// Finds the modules below the operator's folder. A path is judged by where it leads after all links are followed.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { suffixes } from './command.ts'

/** At most this many levels of folders are searched, the operator's folder included. */
const deepestFolder = 3
/** A list names at most this many modules. */
const maxModules = 500

/** A file inside of the folder, by its real path; `name` is the path relative to the folder. */
export type Found = { file: string; name: string }

export const digestOf = (file: string): string => hash('sha256', readFileSync(file), 'base64url')

const isModule = (name: string): boolean =>
  name === '__init__.py' ||
  (suffixes.some(suffix => name.endsWith(suffix)) && !/^[._]|\.(d|test)\.ts$|\.test\.m?js$/.test(name))

const realOf = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** The real path of a file, or of the folder in which it would be. */
const nearest = (file: string): string => realOf(file) ?? nearest(path.dirname(file))

/** The path of the file relative to the root; undefined: the file is not below the root. */
const below = (root: string, file: string): string | undefined => {
  const name = path.relative(root, file)
  return name === '' || name === '..' || name.startsWith(`..${path.sep}`) || path.isAbsolute(name)
    ? undefined
    : name
}

/** The files that a folder consists of when it is a module itself, in the order in which they are tried. */
const ofPackage = ['index.mjs', 'index.js', 'index.ts', '__init__.py']

/**
 * Returns a name with a suffix as it is. Adds each suffix to other names, which may also name a package. `pkg.module` can
 * also mean `pkg/module`.
 */
const candidates = (module: string): string[] => {
  if (suffixes.some(suffix => module.endsWith(suffix))) return [module]
  const spelled = module.includes('/') ? [module] : [module, module.replaceAll('.', '/')]
  return [...new Set(spelled)].flatMap(name => [
    ...suffixes.map(suffix => name + suffix),
    ...ofPackage.map(file => `${name}/${file}`),
  ])
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true

export const findModule = (folder: string, module: string): Found | 'unknown' | 'forbidden' => {
  if (module === '' || module.includes('\0')) return 'unknown'
  if (below(path.resolve(folder), path.resolve(folder, module)) === undefined) return 'forbidden'
  const root = realOf(folder)
  if (root === undefined) return 'unknown'
  for (const candidate of candidates(module)) {
    const wanted = path.resolve(root, path.relative(folder, path.resolve(folder, candidate)))
    const place = nearest(wanted)
    // The answer is the same when no such file exists, so that it tells nothing about files outside.
    if (place !== root && below(root, place) === undefined) return 'forbidden'
    const file = realOf(wanted)
    const name = file && below(root, file)
    if (file && name && isFile(file)) return { file, name }
  }
  return 'unknown'
}

const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return [] // the folder may not be read, or was just removed
  }
}

/** The real path of the operator's folder, if a file is below it. */
export const rootOf = (folder: string | undefined, file: string): string | undefined => {
  const root = folder === undefined ? undefined : realOf(folder)
  return root === undefined || below(root, file) === undefined ? undefined : root
}

/** Every module in the folder and its subfolders, at most three levels deep. */
export const listModules = (folder: string): Found[] => {
  const found = new Map<string, Found>()
  const look = (at: string, levels: number) => {
    for (const entry of entriesOf(path.join(folder, at))) {
      const here = path.join(at, entry.name)
      if (found.size >= maxModules || entry.name.startsWith('.') || entry.name === 'node_modules') continue
      if (entry.isDirectory() && levels > 1) look(here, levels - 1)
      if (entry.isDirectory() || !isModule(entry.name)) continue
      const one = findModule(folder, here)
      if (typeof one !== 'string') found.set(one.file, one)
    }
  }
  look('', deepestFolder)
  return [...found.values()]
}
