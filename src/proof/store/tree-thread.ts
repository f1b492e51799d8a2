// The thread that keeps the tree, so that hashing never delays the event loop of the server. The thread answers
// requests in order.
import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions } from '../../platform/threads/answer-questions.ts'
import { threadGivesWay } from '../../platform/threads/give-way.ts'
import type { Hash } from '../tree/hash.ts'
import { type Keeper, openKeeper, type TreeFiles } from './keeper.ts'
import type { Tile } from './tiles.ts'

/** For each request, by name, the types of the question and of the answer. */
export type Questions = {
  /** Grows the tree for a short time. If the size in the answer is smaller than `to`, send the request again. */
  grow: { asks: { to: number }; answers: { size: number; root: Hash } }
  inclusion: { asks: { position: number; size: number }; answers: { leaf: Hash; hashes: Hash[] } }
  consistency: { asks: { from: number; to: number }; answers: Hash[] }
  tile: { asks: Tile; answers: Hash[] }
  entries: { asks: Omit<Tile, 'level'>; answers: string[] }
  close: { asks: object; answers: undefined }
}
export type Question = keyof Questions
export type Request = { [Q in Question]: { question: Q; asks: Questions[Q]['asks'] } }[Question]
export type TreeThreadData = { files: TreeFiles; trusted: number }

/** One request adds at most this many leaves, so that the next request waits for a tenth of a second at most. */
const growLeaves = 50_000

const { files, trusted } = workerData as TreeThreadData
threadGivesWay('all')
let keeper: Keeper | undefined

const answerOf = ({ question, asks }: Request): unknown => {
  keeper ??= openKeeper(files, trusted)
  switch (question) {
    case 'grow':
      return keeper.grow(asks.to, growLeaves)
    case 'inclusion':
      return keeper.inclusion(asks.position, asks.size)
    case 'consistency':
      return keeper.consistency(asks.from, asks.to)
    case 'tile':
      return keeper.tile(asks)
    case 'entries':
      return keeper.entries(asks)
    case 'close':
      return keeper.close()
  }
}

answerQuestions(answerOf, ({ question }) => {
  if (question === 'close') parentPort?.close()
})
