// The classes of a module that are environments, and what they say of themselves.
import { pathToFileURL } from 'node:url'
import type { EnvironmentClass } from '../../contract/environment.ts'

const methods = ['reset', 'step', 'observe', 'tools']
const own = ['reset', 'step'] // a class with these means to be one

export type Loaded = { name: string; isDefault: boolean; Class: EnvironmentClass }

const isEnvironment = (value: unknown): value is EnvironmentClass =>
  typeof value === 'function' && own.every(name => typeof value.prototype?.[name] === 'function')

/** TypeScript needs its loader, which others do not wait for. */
const importModule = async (file: string): Promise<Record<string, unknown>> => {
  const { href } = pathToFileURL(file)
  return file.endsWith('.ts') ? (await import('tsx/esm/api')).tsImport(href, import.meta.url) : import(href)
}

export const loadClasses = async (file: string): Promise<Loaded[]> => {
  const { default: byDefault, ...named } = await importModule(file)
  // A CommonJS module gives its exports as the default.
  const exported = typeof byDefault === 'object' ? { ...byDefault, ...named } : named
  const found = new Map<EnvironmentClass, Loaded>()
  for (const [name, Class] of Object.entries(exported)) {
    if (isEnvironment(Class) && name !== 'module.exports') {
      found.set(Class, { name, isDefault: Class === byDefault, Class })
    }
  }
  if (isEnvironment(byDefault) && !found.has(byDefault)) {
    found.set(byDefault, { name: byDefault.name || 'default', isDefault: true, Class: byDefault })
  }
  return [...found.values()]
}

const problemOf = ({ prototype, recovery }: EnvironmentClass): string | undefined => {
  const needed = recovery === 'snapshot' ? [...methods, 'snapshot', 'restore'] : methods
  const missing = needed.filter(name => typeof prototype[name as keyof typeof prototype] !== 'function')
  return missing.length === 0 ? undefined : `the class has no ${missing.join(', no ')}`
}

/** As the hello tells it. */
export const told = ({ name, isDefault, Class }: Loaded): object => {
  const { recovery, parameters, description, limits, stepTimeoutMs } = Class as EnvironmentClass & {
    stepTimeoutMs?: unknown
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
      error,
    }).filter(([, value]) => value !== undefined),
  )
}
