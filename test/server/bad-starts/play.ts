// Plays starts of a server to which random things happen, each followed by a good start that must have everything.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { launch } from '../../support/server.ts'
import { type Expected, goodEnv, makePlace, missing, type Place, stepEach } from './place.ts'
import { type BadStart, type Draw, type Trouble, troubles } from './troubles.ts'

/** Milliseconds after which a bad start is given up. */
const patienceMs = 15_000
/** How many bad starts one data folder sees. */
const perPlace = 20

/** mulberry32: a seed reproduces the run. */
const drawing = (seed: number): Draw => {
  let state = seed
  return n => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n)
  }
}

/** A folder on a small disk of its own, where that can be mounted. */
const openRoot = () => {
  const root = mkdtempSync(path.join(tmpdir(), 'reprise-starts-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m,mode=755', 'tmpfs', root])
  return {
    root,
    isDisk: status === 0,
    close() {
      if (status === 0) spawnSync('umount', ['--lazy', root])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const defined = (env: BadStart['env']): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined))

const badStart = async (place: Place, expected: Expected, { env, as, kill }: BadStart, draw: Draw) => {
  const ms = kill === undefined ? patienceMs : kill.after
  const server = await launch(place.data, defined(env), [], {
    ...as,
    ms,
    signal: kill?.signal ?? 'SIGKILL',
  }).catch(() => undefined)
  if (server === undefined) return 'refused or killed'
  await stepEach(server.api, expected)
  const giveUp = setTimeout(() => server.signal('SIGKILL'), patienceMs)
  await server.end(kill?.signal ?? (draw(2) === 0 ? 'SIGTERM' : 'SIGKILL'))
  clearTimeout(giveUp)
  return 'started'
}

const round = async (place: Place, expected: Expected, chosen: Trouble[], draw: Draw) => {
  const start: BadStart = { env: goodEnv(place), as: {} }
  const repairs: (() => void | Promise<void>)[] = []
  for (const trouble of chosen) repairs.unshift(await trouble.begin(place, start, draw))
  const outcome = await badStart(place, expected, start, draw)
  for (const repair of repairs) await repair()
  return { outcome, problems: await missing(place, expected) }
}

/** `tell`: called with a line for each bad start. Resolves to what was missing after the good starts. */
export const playBadStarts = async (seed: number, count: number, tell: (line: string) => void = () => {}) => {
  const draw = drawing(seed)
  const problems: string[] = []
  for (let left = count; left > 0; left -= perPlace) {
    const { root, isDisk, close } = openRoot()
    const possible = troubles.filter(trouble => trouble.of !== 'disk' || isDisk)
    try {
      const { place, expected } = await makePlace(root)
      for (let n = 0; n < Math.min(left, perPlace); n++) {
        const first = possible[(seed + count - left + n) % possible.length] as Trouble
        const second = possible[draw(possible.length)] as Trouble
        const both = draw(3) === 0 && second !== first && (first.of === undefined || first.of !== second.of)
        // Nothing more can be broken on a disk that is full or read-only.
        const chosen = (both ? [first, second] : [first]).sort(
          (one, other) => Number(one.of === 'disk') - Number(other.of === 'disk'),
        )
        const names = chosen.map(({ name }) => name).join('; ')
        const found = await round(place, expected, chosen, draw)
        tell(`${names}: ${found.outcome}${found.problems.map(problem => `\n  ${problem}`).join('')}`)
        problems.push(...found.problems.map(problem => `${names}: ${problem}`))
        if (found.problems.length > 0) break // the next rounds would only find the same again
      }
    } finally {
      close()
    }
  }
  return problems
}
