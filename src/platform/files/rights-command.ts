// The one command that gives this process the rights that it lacks in a data folder. It touches nothing that is not ours.
import path from 'node:path'
import { shellWord } from '../shell-word.ts'

/**
 * A place that this process may not use. `owner`: it belongs to another user; `mode`: its own user has no right;
 * `linked`: it belongs to another user and has a second name (a hard link), perhaps elsewhere, so it keeps its owner.
 */
export type Wrong = { place: string; why: 'owner' | 'mode' | 'linked'; uid: number }

/** What is wrong with a data folder. */
export type Found = {
  /** The path of the folder, without links. */
  folder: string
  /** Whether everything in the folder is ours. Others put lost+found there, for example. */
  isAlone: boolean
  itself: Wrong[]
  inside: Wrong[]
  /** Where links in the folder lead, and files that variables name. */
  elsewhere: Wrong[]
}

const words = (places: Iterable<string>): string => [...places].map(shellWord).join(' ')

/** The places at the top of the folder that have something wrong in them. */
const topsOf = ({ folder, inside }: Found): Set<string> =>
  new Set(inside.map(({ place }) => path.join(folder, path.relative(folder, place).split(path.sep)[0] ?? '')))

/** Only what is wrong for one reason. */
const only = (found: Found, why: Wrong['why']): Found => {
  const pick = (wrong: Wrong[]) => wrong.filter(each => each.why === why)
  const { itself, inside, elsewhere } = found
  return { ...found, itself: pick(itself), inside: pick(inside), elsewhere: pick(elsewhere) }
}

type Commands = { forOne: string; forAll: (places: string) => string }
/** A command for the folder and everything in it; or, with others in it, for the folder alone and then for our files. */
const commandsFor = (found: Found, { forOne, forAll }: Commands): string[] => {
  const { folder, isAlone, itself, inside, elsewhere } = found
  const isWhole = isAlone && itself.length + inside.length > 0
  const places = [...(isWhole ? [folder] : topsOf(found)), ...elsewhere.map(({ place }) => place)]
  return [
    ...(!isWhole && itself.length > 0 ? [`${forOne} ${shellWord(folder)}`] : []),
    ...(places.length > 0 ? [forAll(words(places))] : []),
  ]
}

export const commandFor = (found: Found, uid: number): string => {
  const isLinked = only(found, 'linked').inside.length > 0
  const giveAll = (places: string) =>
    isLinked
      ? `find ${places} \\( -type d -o -links 1 \\) -exec chown -h ${uid} {} +`
      : `chown -R ${uid} ${places}`
  return [
    ...commandsFor(only(found, 'owner'), { forOne: `chown ${uid}`, forAll: giveAll }),
    ...commandsFor(only(found, 'mode'), {
      forOne: 'chmod u+rwx',
      forAll: places => `chmod -R u+rwX ${places}`,
    }),
  ].join(' && ')
}
