// The rules of chess, by chess.js: playable positions, moves in either notation, and the end of a game.
import { Chess, type Color, type Move, type Square, validateFen } from 'chess.js'

export { DEFAULT_POSITION } from 'chess.js'
export type Game = Chess
export type Side = 'white' | 'black'
export type Ending = {
  result: '1-0' | '0-1' | '1/2-1/2'
  reason: 'checkmate' | 'stalemate' | 'insufficient_material' | 'threefold_repetition' | 'fifty_moves'
}

export const sideOf = (color: Color): Side => (color === 'w' ? 'white' : 'black')
export const other = (side: Side): Side => (side === 'white' ? 'black' : 'white')

/** Undefined while the game continues. A draw that may be claimed ends the game. */
export const endingOf = (game: Game): Ending | undefined => {
  if (game.isCheckmate()) return { result: game.turn() === 'w' ? '0-1' : '1-0', reason: 'checkmate' }
  const drawn = (reason: Ending['reason']): Ending => ({ result: '1/2-1/2', reason })
  if (game.isStalemate()) return drawn('stalemate')
  if (game.isInsufficientMaterial()) return drawn('insufficient_material')
  if (game.isThreefoldRepetition()) return drawn('threefold_repetition')
  return game.isDrawByFiftyMoves() ? drawn('fifty_moves') : undefined
}

/** Sets up a position. Throws if `fen` is no position, or if the game is over in it. */
export const gameFrom = (fen: string): Game => {
  const { ok, error } = validateFen(fen)
  if (!ok) throw new Error(`fen is no position: ${error}`)
  const game = new Chess(fen)
  const turn = game.turn()
  const [king] = game.findPiece({ type: 'k', color: turn === 'w' ? 'b' : 'w' })
  if (king !== undefined && game.isAttacked(king, turn)) {
    throw new Error('fen is no position: the side that is not to move is in check')
  }
  if (endingOf(game) !== undefined) throw new Error('fen is the position of a game that is over')
  return game
}

export const uciOf = ({ from, to, promotion }: Move): string => `${from}${to}${promotion ?? ''}`

export const movesFrom = (game: Game, square?: string): Move[] =>
  square === undefined
    ? game.moves({ verbose: true })
    : game.moves({ verbose: true, square: square as Square })

/** The moves that do not end the game. */
export const lastingMoves = (game: Game): Move[] =>
  movesFrom(game).filter(({ after }) => endingOf(new Chess(after)) === undefined)

const castlings: Record<string, string> = { 'O-O': 'k', 'O-O-O': 'q' }
const spelling =
  /^(?<piece>[NBRQK])?(?<file>[a-h])?(?<rank>[1-8])?[x-]?(?<to>[a-h][1-8])(?:=?(?<promotion>[nbrqNBRQ]))?$/

/** The legal moves that a spelling can mean: SAN, UCI, or either with more detail than necessary. */
const meant = (game: Game, given: string): Move[] => {
  const said = given.trim().replace(/[+#!?]+$/, '')
  const legal = movesFrom(game)
  const castling = castlings[said.replaceAll('0', 'O')]
  if (castling !== undefined) return legal.filter(({ flags }) => flags === castling)
  const { piece, file, rank, to, promotion } = said.match(spelling)?.groups ?? {}
  // Two squares, as in UCI, can mean any piece; one square without a letter means a pawn.
  const type = piece?.toLowerCase() ?? (file && rank ? undefined : 'p')
  return legal.filter(
    move =>
      move.to === to &&
      (type === undefined || move.piece === type) &&
      (file === undefined || move.from[0] === file) &&
      (rank === undefined || move.from[1] === rank) &&
      move.promotion === promotion?.toLowerCase(),
  )
}

/** Plays a move in SAN (Nf3, exd5, O-O, e8=Q) or UCI (g1f3, e7e8q). Throws unless it means exactly one legal move. */
export const play = (game: Game, given: string): Move => {
  // The parser of chess.js guesses omitted details, for example the piece of a promotion, and lets a side pass with --.
  const [move, another] = meant(game, given)
  if (move !== undefined && another === undefined) {
    return game.move({ from: move.from, to: move.to, ...(move.promotion && { promotion: move.promotion }) })
  }
  if (another !== undefined) {
    throw new Error(
      `${given} can be ${meant(game, given)
        .map(({ san }) => san)
        .join(' or ')}: say which`,
    )
  }
  const [asQueen] = meant(game, `${given.trim()}q`)
  const hint = asQueen?.promotion
    ? `: a pawn becomes another piece there, say which, as in ${asQueen.san}`
    : ''
  throw new Error(`${given} is not a legal move for ${sideOf(game.turn())}${hint}`)
}
