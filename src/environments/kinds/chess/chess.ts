// Chess by the full rules, against random moves or against oneself.
import type {
  Environment,
  EnvironmentClass,
  OpenObject,
  Recovery,
  StepContext,
  StepResult,
} from '../../../contract/environment.ts'
import { oneOf, randomFrom } from '../shared/random.ts'
import { toolbox } from '../shared/toolbox.ts'
import {
  boardOf,
  isOpponentsTurn,
  type Match,
  make,
  observationOf,
  rewardOf,
  stateText,
  title,
} from './match.ts'
import { endingOf, gameFrom, lastingMoves, movesFrom, uciOf } from './position.ts'
import { parameters, settingsOf } from './settings.ts'

export class Chess implements Environment {
  static readonly recovery: Recovery = 'refold'
  static readonly description =
    'Chess by the full rules, from any position, against random moves or against oneself. ' +
    'The reward is 1 for a win, -1 for a loss, 0.5 for a draw and 0 before the end.'
  static readonly parameters = parameters

  readonly #kwargs: OpenObject
  #match: Match | undefined

  constructor(kwargs: OpenObject) {
    this.#kwargs = kwargs
    settingsOf(kwargs)
  }

  readonly #tools = toolbox({
    move: {
      description:
        'Plays a move; an opponent answers at once. A move that is not legal fails and changes nothing.',
      required: {
        move: {
          type: 'string',
          minLength: 2,
          maxLength: 12,
          description: 'In SAN (e4, Nf3, exd5, O-O, e8=Q) or UCI (e2e4, e7e8q).',
        },
      },
      run: ({ move }, { random }) => this.#move(move as string, random),
    },
    legal_moves: {
      description: 'Lists the legal moves of the side to move, each in SAN and UCI.',
      optional: {
        square: {
          type: 'string',
          minLength: 2,
          maxLength: 2,
          description: 'Only the moves of the piece on this square, such as e2.',
        },
      },
      run: ({ square }) => this.#legalMoves(square as string | undefined),
    },
    board: {
      description: 'Shows the board (capitals are white), the position in FEN and whose turn it is.',
      run: () => {
        const match = this.#current()
        return this.#answer(match, `${boardOf(match)}\nFEN: ${match.game.fen()}\n${stateText(match)}`)
      },
    },
  })

  reset(seed: number, options: OpenObject): OpenObject {
    const settings = settingsOf({ ...this.#kwargs, ...options })
    const match: Match = { ...settings, game: gameFrom(settings.fen), seed, moves: [] }
    if (isOpponentsTurn(match)) {
      const openings = lastingMoves(match.game)
      if (openings.length === 0)
        throw new Error('fen is a position where every move of the opponent ends the game')
      make(match, uciOf(oneOf(openings, randomFrom(seed))))
    }
    this.#match = match
    return observationOf(match)
  }

  step(tool: string, args: OpenObject, context: StepContext): StepResult | Promise<StepResult> {
    return this.#tools.call(tool, args, context)
  }

  observe(): OpenObject {
    const match = this.#current()
    const ending = endingOf(match.game)
    return {
      ...observationOf(match),
      opponent: match.opponent,
      initial_fen: match.fen,
      moves: match.moves.map(({ san }) => san),
      result: ending?.result ?? null,
      reason: ending?.reason ?? null,
      terminated: ending !== undefined,
      seed: match.seed,
    }
  }

  tools() {
    return this.#tools.definitions()
  }

  close(): void {
    this.#match = undefined
  }

  #current(): Match {
    if (this.#match === undefined) throw new Error('There is no game: reset comes first')
    return this.#match
  }

  #answer(match: Match, content: string, reward = 0): StepResult {
    const terminated = endingOf(match.game) !== undefined
    return { content, observation: observationOf(match), reward, terminated, truncated: false }
  }

  #move(given: string, random: () => number): StepResult {
    const match = this.#current()
    if (endingOf(match.game) !== undefined) throw new Error('The game is over: reset it')
    const mine = make(match, given)
    const theirs = isOpponentsTurn(match)
      ? make(match, uciOf(oneOf(movesFrom(match.game), random)))
      : undefined
    const moves = [mine, ...(theirs === undefined ? [] : [theirs])].map(
      ({ by, san }) => `${title(by)} plays ${san}.`,
    )
    const result = this.#answer(match, [...moves, stateText(match)].join(' '), rewardOf(match))
    return {
      ...result,
      info: { move: mine, ...(theirs !== undefined && { answer: theirs }), ...endingOf(match.game) },
    }
  }

  #legalMoves(square: string | undefined): StepResult {
    if (square !== undefined && !/^[a-h][1-8]$/.test(square)) throw new Error(`${square} is not a square`)
    const match = this.#current()
    const moves = movesFrom(match.game, square).map(move => ({ san: move.san, uci: uciOf(move) }))
    const lines = moves.map(({ san, uci }) => `${san} (${uci})`)
    const result = this.#answer(match, lines.length === 0 ? 'There are none' : lines.join('\n'))
    return { ...result, info: { moves } }
  }
}

export default Chess satisfies EnvironmentClass
