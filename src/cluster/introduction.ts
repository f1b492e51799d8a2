// What a node says about itself to another node, and what two nodes find when they compare it.

/** Digests by the name of the variable. A variable that is not set and has no default has none. */
export type Digests = Readonly<Record<string, string>>

export type Introduction = {
  node: string
  /** The id of the process. No other process has it, not even one of a node with the same name. */
  run: string
  /** The version of Reprise. */
  version: string
  /** The version of the contents of the records of the shared log. */
  records: number
  settings: Digests
}

/** A difference that two nodes cannot work with. Each is a sentence without its end. */
const clashesOf = (ours: Introduction, theirs: Introduction): string[] => {
  const [one, other] = [ours.settings.ADMIN_TOKEN, theirs.settings.ADMIN_TOKEN]
  const found: string[] = []
  if (one !== undefined && other !== undefined && one !== other)
    found.push(
      `ADMIN_TOKEN of the node ${ours.node} is another one than that of the node ${theirs.node}: set it to the same value on all nodes`,
    )
  if (ours.records !== theirs.records)
    found.push(
      `the node ${ours.node} (reprise ${ours.version}) cannot read the records of the node ${theirs.node} (reprise ${theirs.version}): run the same version on all nodes`,
    )
  return found
}

/** The names of the variables that two nodes have set to different values, without those that they cannot work with. */
const differencesOf = (ours: Introduction, theirs: Introduction): string[] => {
  const names = new Set([...Object.keys(ours.settings), ...Object.keys(theirs.settings)])
  const isClash = (name: string) => name === 'ADMIN_TOKEN' && clashesOf(ours, theirs).length > 0
  return [...names].filter(name => ours.settings[name] !== theirs.settings[name] && !isClash(name)).sort()
}

const alike = (texts: string[]): string => `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`

export type Comparison = {
  /** Variables with different values. */
  differing: string[]
  /** Says what differs, and what to do; undefined: nothing that two nodes can work with differs. */
  difference: string | undefined
  /** Says what the nodes cannot work with, and what to do; undefined: nothing. */
  clash: string | undefined
}

export const compare = (ours: Introduction, theirs: Introduction): Comparison => {
  const differing = differencesOf(ours, theirs)
  const nodes = `the nodes ${ours.node} and ${theirs.node}`
  const names = differing.length > 1 ? alike(differing) : differing[0]
  const found = [
    ...(differing.length > 0 ? [`${nodes} differ in ${names}: set the same value on all nodes`] : []),
    ...(ours.version === theirs.version
      ? []
      : [
          `${nodes} run different versions of Reprise (${ours.version} and ${theirs.version}): upgrade the older one`,
        ]),
  ]
  const clashes = clashesOf(ours, theirs)
  return {
    differing,
    difference: found.length > 0 ? found.join('; ') : undefined,
    clash: clashes.length > 0 ? clashes.join('; ') : undefined,
  }
}
