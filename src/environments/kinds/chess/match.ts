// Keeps one game between two sides: whose turn it is, the moves so far, and the reward of the agent.
import type { OpenObject } from '../../../contract/environment.ts'
import { endingOf, type Game, play, type Side, sideOf, uciOf } from './position.ts'
import type { Settings } from './settings.ts'

type Played = { by: Side; san: string; uci: string }
export type Match = Settings & { game: Game; seed: number; moves: Played[] }

const winners: Record<string, Side> = { '1-0': 'white', '0-1': 'black' }

/** 1 for a win of the agent's side, -1 for a loss, 0.5 for a draw, 0 while the game continues. */
export const rewardOf = ({ game, side }: Match): number => {
  const ending = endingOf(game)
  if (ending === undefined) return 0
  const winner = winners[ending.result]
  return winner === undefined ? 0.5 : winner === side ? 1 : -1
}

export const make = ({ game, moves }: Match, given: string): Played => {
  const move = play(game, given)
  const played = { by: sideOf(move.color), san: move.san, uci: uciOf(move) }
  moves.push(played)
  return played
}

export const isOpponentsTurn = ({ game, opponent, side }: Match): boolean =>
  opponent !== 'none' && sideOf(game.turn()) !== side && endingOf(game) === undefined

export const title = (side: Side): string => (side === 'white' ? 'White' : 'Black')

export const boardOf = ({ game }: Match): string => game.ascii().trimEnd()

export const observationOf = (match: Match): OpenObject => {
  const { game, side, moves } = match
  return {
    fen: game.fen(),
    board: boardOf(match),
    side,
    turn: sideOf(game.turn()),
    in_check: game.isCheck(),
    last_move: moves.at(-1) ?? null,
  }
}

/** Says how the game ended and why, or who is to move. */
export const stateText = (match: Match): string => {
  const { game } = match
  const ending = endingOf(game)
  if (ending !== undefined)
    return `The game is over: ${ending.result} (${ending.reason.replaceAll('_', ' ')}).`
  return `${title(sideOf(game.turn()))} is to move${game.isCheck() ? ' and in check' : ''}.`
}
