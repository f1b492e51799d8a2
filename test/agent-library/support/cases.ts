// Plays the cases that hold for the libraries of all languages, which `reprise agent check --command` plays too.
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import { type Case, allCases as cases, playCase as play } from '../../../src/cli/agent/play-case.ts'
import type { Peer } from './peer.ts'

export { cases }

export const playCase = async (t: Test, peer: Peer, agent: string, one: Case): Promise<void> => {
  const mismatch = await play(peer, agent, one, isDeepStrictEqual)
  t.same(mismatch?.given, mismatch?.expected)
}
