// The agents of AGENT_PATH: looks at the folder every second, and keeps a host for each file.
import { createPlaces } from '../fairness/places.ts'
import { type AgentFile, readAgentFolder } from './folder.ts'
import { type FileDeps, type HostedFile, hostFile } from './hosted-file.ts'

/** Milliseconds between two looks at the folder. */
const lookMs = 1000
/** At most this many hosts start at a time. */
const startsAtOnce = 2

export type HostedFiles = {
  get(name: string): HostedFile | undefined
  all(): HostedFile[]
  /** Ends all hosts. Their tasks hear nothing of it. */
  close(): Promise<void>
}

/** `folder`: undefined: there are no files. `taken`: the names of built-in agents. */
export const hostFiles = (
  folder: string | undefined,
  taken: ReadonlySet<string>,
  deps: Omit<FileDeps, 'inTurn'>,
): HostedFiles => {
  const files = new Map<string, HostedFile>()
  /** The files as the look before has seen them. A file is used only when it has stayed the same from look to look. */
  let before = new Map<string, string>()
  const told = new Set<string>()
  const places = createPlaces({ places: startsAtOnce, perUser: startsAtOnce })
  const all: FileDeps = { ...deps, inTurn: start => places.hold('', start) }

  const look = (at: string, isFirst: boolean) => {
    const { agents, problems } = readAgentFolder(at, taken)
    for (const { file, problem } of problems) {
      if (told.has(`${file} ${problem}`)) continue
      told.add(`${file} ${problem}`)
      deps.report('error', `a file of AGENT_PATH is no agent: ${file} ${problem}`)
    }
    const isSettled = ({ file, seen }: AgentFile) => isFirst || before.get(file) === seen
    for (const found of agents.filter(isSettled)) {
      const known = files.get(found.name)
      if (known === undefined) files.set(found.name, hostFile(found, all))
      else known.look(found)
    }
    const there = new Set(agents.map(({ name }) => name))
    for (const [name, file] of files) {
      if (there.has(name)) continue
      files.delete(name)
      void file.end(true)
    }
    before = new Map(agents.map(({ file, seen }) => [file, seen]))
  }
  let stop = () => {}
  if (folder !== undefined) {
    look(folder, true)
    stop = deps.timers.every(lookMs, () => {
      try {
        look(folder, false)
      } catch {} // the folder cannot be read now: the agents stay as they are
    })
  }
  return {
    get: name => files.get(name),
    all: () => [...files.values()],
    async close() {
      stop()
      await Promise.all([...files.values()].map(file => file.end(false)))
    },
  }
}
