// Lists and finds environments: built-in kinds by name, and classes below the operator's folder by `module#Class`. The
// code of an environment runs in a process of its own, never in the server.
import {
  EnvironmentGone,
  type EnvironmentSource,
  type OpenObject,
  type Recovery,
  reservedKinds,
} from '../contract/environment.ts'
import { isFull, StorageFailure } from '../contract/stored.ts'
import type { Hellos } from './hellos.ts'
import { type EnvironmentInfo, infoOf, type Origin } from './info.ts'
import { digestOf, type Found, findModule, listModules } from './modules.ts'
import type { ClassInfo, Hello } from './protocol.ts'
import { builtinFile, builtinNames, gymnasiumFile } from './where.ts'

/** A list asks at most this many modules for their hellos at the same time. */
const together = 4

export type Refusal = {
  /** `broken`: the kind cannot be loaded or used. `unavailable`: this machine lacks something that the kind needs. */
  refused: 'unknown' | 'forbidden' | 'broken' | 'unavailable'
  /** The unknown name; for a create that names no environment: the name of the default. */
  name?: string
  message: string
  /** With `unknown`: the names of the environments in the module if it is known, otherwise the names of all modules. */
  kinds?: string[]
}
export type Resolved = { source: EnvironmentSource; recovery: Recovery; parameters: OpenObject } | Refusal

export type Registry = {
  /** Sorted by name. */
  list(): Promise<EnvironmentInfo[]>
  /** The environments of a name, of `module#Class` or of a whole module; an empty list if it is unknown. */
  info(name: string): Promise<EnvironmentInfo[]>
  /** Finds the environment that the class path names, else the id, else the default. An unknown name is refused. */
  resolve(envId: string | undefined, classPath: string | undefined): Promise<Resolved>
}

type Place = Found & { origin: Origin; source?: string }
/** The environments of Gymnasium's registry, by their ids: `gymnasium#CartPole-v1`. One program describes all of them. */
const gymnasium = (): Place => ({
  name: 'gymnasium',
  file: gymnasiumFile(),
  origin: 'external',
  source: 'gymnasium',
})
const places = (folder: string | undefined): Place[] => [
  ...builtinNames.map(name => ({ name, file: builtinFile(name), origin: 'builtin' as const })),
  ...(folder === undefined ? [] : listModules(folder).map(one => ({ ...one, origin: 'external' as const }))),
]

const unknown = (name: string, kinds: string[]): Refusal => ({
  refused: 'unknown',
  name,
  message: `there is no environment ${name}`,
  kinds,
})

const split = (name: string): { module: string; className: string | undefined } => {
  const at = name.lastIndexOf('#')
  return at === -1
    ? { module: name, className: undefined }
    : { module: name.slice(0, at), className: name.slice(at + 1) }
}

const pick = ({ classes }: Hello, className: string | undefined): ClassInfo | undefined => {
  const byDefault = classes.find(({ isDefault }) => isDefault)
  if (className === undefined) return byDefault ?? (classes.length === 1 ? classes[0] : undefined)
  return classes.find(({ name }) => name === className) ?? (className === 'default' ? byDefault : undefined)
}

type Deps = {
  hellos: Hellos
  folder: string | undefined
  byDefault: string
  /** Why a built-in kind cannot be used on this machine. */
  refusalOf(name: string): string | undefined
}

export const createRegistry = ({ hellos, folder, byDefault, refusalOf }: Deps): Registry => {
  const find = (module: string): Place | 'unknown' | 'forbidden' => {
    if (reservedKinds.has(module)) return 'unknown'
    const builtin = builtinNames.find(name => name === module)
    if (builtin !== undefined) return { name: builtin, file: builtinFile(builtin), origin: 'builtin' }
    if (module === gymnasium().name) return gymnasium()
    if (folder === undefined) return 'unknown'
    const found = findModule(folder, module)
    return typeof found === 'string' ? found : { ...found, origin: 'external' }
  }

  /** Removes the path of the folder from the error of a program, because only the operator may see this path. */
  const describeError = (error: unknown, { file, name }: Place): string => {
    if ((error as NodeJS.ErrnoException).syscall !== undefined) return 'its file cannot be read'
    if (!(error instanceof EnvironmentGone)) throw error
    return error.message.replaceAll(file.slice(0, -name.length), '')
  }

  const resolve = async (name: string): Promise<Resolved> => {
    const { module, className } = split(name)
    const found = find(module)
    if (found === 'forbidden') return { refused: found, message: `${module} leads out of ENV_PATH` }
    if (found === 'unknown')
      return unknown(
        name,
        places(folder).map(one => one.name),
      )
    const refusal = found.origin === 'builtin' ? refusalOf(found.name) : undefined
    if (refusal !== undefined) return { refused: 'unavailable', message: refusal }
    try {
      const digest = digestOf(found.file)
      const hello = await hellos.forUse({ file: found.file, digest })
      const one = pick(hello, className)
      if (one === undefined) {
        const ofModule = hello.classes.map(its => `${found.name}#${its.name}`)
        return unknown(name, ofModule)
      }
      if (one.error !== undefined) return { refused: 'broken', message: `${name}: ${one.error}` }
      const source = {
        name: found.origin === 'builtin' ? found.name : `${found.name}#${one.name}`,
        module: found.file,
        className: one.name,
        digest,
      }
      return { source, recovery: one.recovery, parameters: one.parameters }
    } catch (error) {
      if (isFull(error)) throw new StorageFailure('the disk is full')
      const refused = found.source === undefined ? 'broken' : 'unavailable' // Gymnasium can be installed later
      return { refused, message: `${name}: ${describeError(error, found)}` }
    }
  }

  const infosOf = async (place: Place): Promise<EnvironmentInfo[]> => {
    try {
      const { classes } = await hellos.forList({ file: place.file, digest: digestOf(place.file) })
      const error = place.origin === 'builtin' ? refusalOf(place.name) : undefined
      return classes.map(one => infoOf(place, error === undefined ? one : { ...one, error }))
    } catch (error) {
      return [infoOf(place, { error: describeError(error, place) })]
    }
  }

  /** An empty list if Gymnasium is not installed. */
  const infosOfGymnasium = async () => (await infosOf(gymnasium())).filter(({ error }) => error === undefined)

  return {
    async list() {
      const all = places(folder)
      const infos: EnvironmentInfo[] = await infosOfGymnasium()
      for (let at = 0; at < all.length; at += together) {
        infos.push(...(await Promise.all(all.slice(at, at + together).map(infosOf))).flat())
      }
      return infos.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async info(name) {
      const { module, className } = split(name)
      const found = find(module)
      if (typeof found === 'string') return []
      const infos = await infosOf(found)
      return className === undefined ? infos : infos.filter(info => info.name.endsWith(`#${className}`))
    },
    resolve: async (envId, classPath) => resolve(classPath || envId || byDefault),
  }
}
