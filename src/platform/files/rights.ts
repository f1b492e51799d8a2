// Finds everything in a data folder that this process may not use, after a change of the server's user for example. So
// one message names all of it, with the one command that mends it. Other things in the folder are left alone.
import {
  accessSync,
  constants,
  lstatSync,
  opendirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { shellWord } from '../shell-word.ts'
import { filesOf, foldersIn } from './data-folder.ts'
import { isFolder } from './make-folder.ts'
import { forbiddenAt, ourUser } from './permission.ts'
import { commandFor, type Found, type Wrong } from './rights-command.ts'

const { R_OK, W_OK, X_OK } = constants

/** How many files and folders are looked at below each place of the data folder, the nearest first. */
const mostLooks = 2000
/** How many of the places are named. */
const mostNamed = 3

const folders = new Set([...foldersIn('/').map(folder => path.basename(folder)), 'workspace'])
const files = [...Object.values(filesOf('/')).map(file => path.basename(file)), 'cluster-key']
/** Whether a name in the data folder is of the server: one of its folders or files, or one that is made beside a file. */
const isOurs = (name: string): boolean =>
  folders.has(name) ||
  files.some(
    file =>
      name === file || (!folders.has(file) && /^[-.]/.test(name.slice(file.length)) && name.startsWith(file)),
  )
/** Files that only their owner may read, so that the server must be their owner. */
const mustOwn = new Set(['secrets.db', 'stream-keys.db'].map(name => path.join('/', name)))

/** Whether this process may do everything, as root usually may. A container can take this right away from root. */
const mayAll = (): boolean => {
  if (process.getuid?.() !== 0) return false
  try {
    const set = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return set === undefined || (BigInt(`0x${set}`) & 2n) !== 0n // CAP_DAC_OVERRIDE
  } catch {
    return true
  }
}

const ourId = (): number => process.getuid?.() ?? 0

/** Judges a file or folder. `within`: its path in the data folder, which begins with a slash. */
const judged = (place: string, within: string, stats: Stats): Wrong | undefined => {
  const { uid, mode, nlink } = stats
  const folder = stats.isDirectory()
  const depth = within.split('/').length
  /** What is in the folder of a session belongs to its program. */
  const ofProgram = within.startsWith('/environments/') && depth > 4
  if (uid === ourId()) {
    const needed = folder ? 0o700 : 0o600
    // A program may have closed its files on purpose, and an operator what is kept for good, such as a rollout.
    const isMeant = ofProgram || (!folder && depth > 2)
    return (mode & needed) === needed || isMeant ? undefined : { place, why: 'mode', uid }
  }
  if (mustOwn.has(within) && (mode & 0o077) !== 0) return { place, why: 'owner', uid }
  try {
    accessSync(place, R_OK | W_OK | (folder ? X_OK : 0))
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = ofProgram && !folder && nlink > 1 ? 'linked' : 'owner'
    return code === 'EACCES' || code === 'EPERM' ? { place, why, uid } : undefined
  }
}

/** The names in a folder, at most so many of them: a folder with very many must not make the start slow. */
const namesIn = (folder: string, most = Number.POSITIVE_INFINITY): string[] => {
  const names: string[] = []
  try {
    const opened = opendirSync(folder)
    try {
      for (let entry = opened.readSync(); entry !== null && names.length < most; entry = opened.readSync())
        names.push(entry.name)
    } finally {
      opened.closeSync()
    }
  } catch {
    // it was judged already
  }
  return names.sort()
}

const statsOf = (place: string): Stats | undefined => {
  try {
    return lstatSync(place)
  } catch {
    return undefined // the same
  }
}

/** How deep the folders are judged that may hold files of others. In most of them, each user has a folder. */
const depths: Record<string, number> = { workspace: 1, rollouts: 1, logs: 1, 'left-behind': 0 }

/** What is wrong at a place of the data folder and below it. Links below it are left alone: they lead elsewhere. */
const wrongBelow = (top: string, name: string, isLink: boolean): Wrong[] => {
  const wrong: Wrong[] = []
  const deepest = isLink && name in depths ? 0 : (depths[name] ?? Number.POSITIVE_INFINITY)
  let level: [place: string, within: string][] = [[top, `/${name}`]]
  for (let [depth, looks] = [0, 0]; level.length > 0 && depth <= deepest; depth++) {
    const next: typeof level = []
    for (const [place, within] of level) {
      if (++looks > mostLooks) return wrong
      const stats = statsOf(place)
      if (stats === undefined || stats.isSymbolicLink()) continue
      const found = judged(place, within, stats)
      if (found !== undefined) wrong.push(found)
      const left = depth === deepest ? 0 : mostLooks - looks - next.length
      if (stats.isDirectory() && left > 0)
        for (const each of namesIn(place, left)) next.push([path.join(place, each), `${within}/${each}`])
    }
    level = next
  }
  return wrong
}

const realOf = (place: string): string | undefined => {
  try {
    return realpathSync(place)
  } catch {
    return undefined // the place is missing or is in a folder that is judged already
  }
}

/** The homes of other users of this machine: they are never given away. */
const isHome = (folder: string): boolean => {
  try {
    const accounts = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
    return accounts.some(([, , uid, , , home]) => home === folder && Number(uid) !== ourId())
  } catch {
    return false
  }
}

/** Why the folder itself cannot be used, when what is in it cannot be seen or is nothing of ours. */
const closedFolder = (dataDir: string, real: string | undefined): string | undefined => {
  const forbidden = forbiddenAt(dataDir)
  if (forbidden === undefined || real === undefined) return forbidden
  const names = forbiddenAt(real, 'read') === undefined ? namesIn(real) : undefined
  if (names?.some(isOurs)) return undefined // what is in it is named together with the folder
  const owner = statSync(real).uid
  const isEmpty = names?.every(name => name === 'lost+found') ?? false
  if (owner === ourId() || isEmpty || /read-only/.test(forbidden)) return forbidden
  const begin = `${ourUser()} may not write in ${real}, which belongs to the user ${owner}`
  if (names !== undefined || path.dirname(real) === '/' || isHome(real)) {
    const made = `install -d -m 700 -o ${ourId()} ${shellWord(path.join(real, 'reprise'))}`
    return `${begin} and is not for reprise alone: let root make a folder in it: ${made}`
  }
  const given = `chown -R ${ourId()} ${shellWord(real)}`
  return `${begin}: run reprise as that user or, if the folder is for reprise alone, give it to this user with all that is in it: ${given}`
}

const told = ({ folder }: Found, wrong: Wrong[]): string => {
  const names = wrong.map(({ place }) => {
    const within = path.relative(folder, place)
    return within === '' ? 'the folder itself' : within.startsWith('..') ? place : within
  })
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  const owners = [...new Set(wrong.map(each => each.uid))].sort((a, b) => a - b)
  const theirs = owners.length === 1 ? `the user ${owners[0]}` : `the users ${owners.join(', ')}`
  return `${names.slice(0, mostNamed).join(', ')}${more}, which belong${names.length === 1 ? 's' : ''} to ${theirs}`
}

/** What is wrong with one of our files or folders in the data folder; `isLink`: it leads to another place. */
const wrongAt = (folder: string, name: string): { isLink: boolean; wrong: Wrong[] } => {
  const place = path.join(folder, name)
  const target = realOf(place)
  const isLink = target !== place
  return { isLink, wrong: target === undefined ? [] : wrongBelow(target, name, isLink) }
}

/** What is wrong with a file outside of the data folder, which the server only needs to read. */
const wrongOutside = (file: string): Wrong[] => {
  if (realOf(file) === undefined || forbiddenAt(file, 'read') === undefined) return []
  const owner = statSync(file).uid
  return [{ place: file, why: owner === ourId() ? 'mode' : 'owner', uid: owner }]
}

const foundIn = (folder: string, others: readonly string[]): Found => {
  const names = namesIn(folder)
  const ours = names.filter(isOurs)
  const each = ours.map(name => wrongAt(folder, name))
  const outside = others.filter(file => path.dirname(realOf(file) ?? folder) !== folder)
  const itself = judged(folder, '/', lstatSync(folder))
  return {
    folder,
    isAlone: ours.length === names.length,
    itself: itself === undefined ? [] : [itself],
    inside: each.flatMap(({ isLink, wrong }) => (isLink ? [] : wrong)),
    elsewhere: [
      ...each.flatMap(({ isLink, wrong }) => (isLink ? wrong : [])),
      ...outside.flatMap(wrongOutside),
    ],
  }
}

/**
 * Explains what prevents this process from using a data folder, and says how to mend it; undefined when nothing does.
 * The folder may not exist yet. `others`: files elsewhere that the server reads.
 */
export const missingRights = (dataDir: string, others: readonly string[] = []): string | undefined => {
  if (mayAll()) return forbiddenAt(dataDir) // for example, the file system may be read-only
  const folder = realOf(dataDir)
  const closed = closedFolder(dataDir, folder)
  if (closed !== undefined) return closed
  if (folder === undefined || !isFolder(folder)) return undefined
  const found = foundIn(folder, others)
  const { itself, inside, elsewhere } = found
  const all = [...itself, ...inside, ...elsewhere].filter(({ why }) => why !== 'linked')
  if (all.length === 0) return undefined
  const isTheirs = all.some(({ why }) => why === 'owner')
  const wayOut = isTheirs ? 'run reprise as that user, or give this user the rights' : 'give it the rights'
  return `${ourUser()} may not read and write ${told(found, all)}: ${wayOut}: ${commandFor(found, ourId())}`
}
