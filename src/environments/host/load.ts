// Finds the environment classes of a module, and describes them for the first message of the process (the hello).
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { EnvironmentClass } from '../../contract/environment.ts'

const methods = ['reset', 'step', 'observe', 'tools']
const own = ['reset', 'step'] // a class with these methods counts as an environment, even if it lacks the others

export type Loaded = { name: string; isDefault: boolean; Class: EnvironmentClass }

const isEnvironment = (value: unknown): value is EnvironmentClass =>
  typeof value === 'function' && own.every(name => typeof value.prototype?.[name] === 'function')

/** A module may import `reprise/environment` also when no node_modules is beside it. */
const library = new URL('./environment.mjs', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'reprise/environment'
      ? { url: library, format: 'module', shortCircuit: true }
      : next(specifier, context),
})

/** The TypeScript loader is slow to load, so it is imported for `.ts` modules only. */
const importModule = async (file: string): Promise<Record<string, unknown>> => {
  const { href } = pathToFileURL(file)
  return file.endsWith('.ts') ? (await import('tsx/esm/api')).tsImport(href, import.meta.url) : import(href)
}

export const loadClasses = async (file: string): Promise<Loaded[]> => {
  const { default: byDefault, ...named } = await importModule(file)
  // A CommonJS module has its exports in the default export.
  const exported = typeof byDefault === 'object' ? { ...byDefault, ...named } : named
  const loaded = new Map<EnvironmentClass, Loaded>()
  for (const [name, Class] of Object.entries(exported)) {
    if (isEnvironment(Class) && name !== 'module.exports') {
      loaded.set(Class, { name, isDefault: Class === byDefault, Class })
    }
  }
  if (isEnvironment(byDefault) && !loaded.has(byDefault)) {
    loaded.set(byDefault, { name: byDefault.name || 'default', isDefault: true, Class: byDefault })
  }
  return [...loaded.values()]
}

const problemOf = ({ prototype, recovery }: EnvironmentClass): string | undefined => {
  const needed = recovery === 'snapshot' ? [...methods, 'snapshot', 'restore'] : methods
  const missing = needed.filter(name => typeof prototype[name as keyof typeof prototype] !== 'function')
  return missing.length === 0 ? undefined : `the class has no ${missing.join(', no ')}`
}

/** The description of a class in the hello. */
export const describe = ({ name, isDefault, Class }: Loaded): object => {
  const { recovery, parameters, description, limits, stepTimeoutMs, showsObservation } =
    Class as EnvironmentClass & {
      stepTimeoutMs?: unknown
      showsObservation?: unknown
    }
  const error = problemOf(Class)
  return Object.fromEntries(
    Object.entries({
      name,
      default: isDefault,
      recovery,
      parameters,
      description,
      limits,
      stepTimeoutMs,
      showsObservation,
      error,
    }).filter(([, value]) => value !== undefined),
  )
}
