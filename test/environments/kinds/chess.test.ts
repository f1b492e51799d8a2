import assert from 'node:assert/strict'
import t from 'tap'
import byDefault, { Chess } from '../../../src/environments/kinds/chess/chess.ts'
import {
  type Game,
  gameFrom,
  movesFrom,
  play as playMove,
  uciOf,
} from '../../../src/environments/kinds/chess/position.ts'
import fc from '../../support/fast-check.ts'
import { type Action, contentOf, contextOf, failure, play } from './support.ts'

const alone = { opponent: 'none' }
const given = (fen?: string, kwargs: object = alone): Chess => {
  const chess = new Chess({ ...kwargs })
  chess.reset(1, fen === undefined ? {} : { fen })
  return chess
}
const moves = (text: string): Action[] => text.split(' ').map(move => ({ tool: 'move', args: { move } }))
const fenOf = (chess: Chess) => chess.observe().fen as string
const move = (chess: Chess, move: string) => chess.step('move', { move }, contextOf())

t.test('the class is exported by name and by default', t => {
  t.equal(byDefault, Chess)
  t.equal(Chess.recovery, 'refold')
  t.end()
})

/** Counts that everybody who writes a move generator checks. */
const perft: Record<string, number[]> = {
  'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1': [20, 400, 8902],
  'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1': [48, 2039, 97862],
  '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1': [14, 191, 2812],
  'r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1': [6, 264, 9467],
  'rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8': [44, 1486, 62379],
  'r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10': [46, 2079, 89890],
}
/** As the environment plays: each move found among the legal ones by what is said, in both notations. */
const countPlayed = (game: Game, depth: number): number => {
  let count = 0
  for (const [index, legal] of movesFrom(game).entries()) {
    const said = index % 2 === 0 ? legal.san : uciOf(legal)
    const played = playMove(game, said)
    assert.equal(uciOf(played), uciOf(legal), `${said} at ${legal.before}`)
    count += depth === 1 ? 1 : movesFrom(game).length
    game.undo()
  }
  return count
}

t.test('as many positions follow from the standard ones as is known', t => {
  for (const [fen, [first, second, third]] of Object.entries(perft)) {
    t.equal(countPlayed(gameFrom(fen), 1), first, fen)
    t.equal(countPlayed(gameFrom(fen), 2), second, fen)
    t.equal(gameFrom(fen).perft(3), third, fen)
  }
  t.end()
})

t.test('a move may be said in SAN, in UCI, or with more than it needs', async t => {
  const fen = 'r3k2r/8/8/8/8/8/4P3/R3K1NR w KQkq - 0 1'
  for (const [said, uci] of [
    ['e4', 'e2e4'],
    ['e2-e4', 'e2e4'],
    ['e2e4', 'e2e4'],
    ['Nf3', 'g1f3'],
    ['Ngf3', 'g1f3'],
    ['N1f3!?', 'g1f3'],
    [' g1f3 ', 'g1f3'],
    ['Rxa8+', 'a1a8'],
    ['Ra8', 'a1a8'],
    ['O-O-O', 'e1c1'],
    ['0-0-0', 'e1c1'],
    ['e1c1', 'e1c1'],
  ] as const) {
    const chess = given(fen)
    t.match(await move(chess, said), { info: { move: { uci, by: 'white' } } }, said)
  }
})

t.test('a move that is not legal fails and changes nothing', async t => {
  const fen = '4k3/P6r/8/8/8/8/4P3/RN2K1NR w KQ - 0 1'
  const chess = given(fen)
  for (const [said, told] of [
    ['e5', 'e5 is not a legal move for white'],
    ['O-O', 'O-O is not a legal move for white'],
    ['--', '-- is not a legal move for white'],
    ['0000', '0000 is not a legal move for white'],
    ['e7e5', 'e7e5 is not a legal move for white'],
    ['what about Nf3?', 'move must be at most 12 characters long'],
    ['a8', 'a8 is not a legal move for white: a pawn becomes another piece there, say which, as in a8=Q+'],
    ['a7a8', /say which, as in a8=Q\+$/],
    ['a8=K', 'a8=K is not a legal move for white'],
    ['N3', 'N3 is not a legal move for white'],
    ['x', 'move must be at least 2 characters long'],
  ] as const) {
    t.match(await failure(() => move(chess, said)), told, said)
    t.equal(fenOf(chess), fen)
  }
  const two = given('4k3/8/8/8/8/8/8/RN2KN2 w Q - 0 1')
  t.match(await failure(() => move(two, 'Nd2')), 'Nd2 can be Nbd2 or Nfd2: say which')
  t.match(await move(two, 'Nbd2'), { info: { move: { uci: 'b1d2' } } })
  t.match(await failure(() => two.step('legal_moves', { square: 'z9' }, contextOf())), 'z9 is not a square')
})

t.test('castling moves both pieces, and is lost with the king’s first move', async t => {
  const chess = given('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1')
  await play(chess, moves('O-O O-O-O'))
  t.equal(fenOf(chess), '2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2')
  const later = given('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1')
  await play(later, moves('Ke2 a8b8 Ke1'))
  t.equal(fenOf(later), '1r2k2r/8/8/8/8/8/8/R3K2R b k - 3 2')
  const through = given('4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1')
  t.match(
    await failure(() => move(through, 'O-O')),
    'O-O is not a legal move',
    'not over a square that is attacked',
  )
  t.match(await move(through, 'O-O-O'), { info: { move: { san: 'O-O-O' } } })
})

t.test('a pawn is taken in passing at once or not at all', async t => {
  const fen = '4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1'
  const chess = given(fen)
  await play(chess, moves('d5 exd6'))
  t.equal(fenOf(chess), '4k3/8/3P4/8/8/8/8/4K3 b - - 0 2')
  const late = given(fen)
  await play(late, moves('d5 Kd1 Kd8'))
  t.match(await failure(() => move(late, 'exd6')), 'exd6 is not a legal move')
})

t.test('a pawn becomes what is said', async t => {
  for (const [said, piece] of [
    ['a8=N', 'N'],
    ['a7a8r', 'R'],
    ['a8Q', 'Q'],
    ['bxc8=B', 'B'],
  ] as const) {
    const chess = given('2n1k3/PP6/8/8/8/8/8/4K3 w - - 0 1')
    await move(chess, said)
    t.match(fenOf(chess).split(' ')[0], piece, said)
  }
})

t.test('the game ends by mate, and the reward is that of the agent’s side', async t => {
  const fool = moves('f3 e5 g4 Qh4')
  for (const [side, reward] of [
    ['white', -1],
    ['black', 1],
  ] as const) {
    const chess = given(undefined, { side, opponent: 'none' })
    const last = (await play(chess, fool)).at(-1)
    t.match(last?.outcome, {
      reward,
      terminated: true,
      truncated: false,
      info: { result: '0-1', reason: 'checkmate' },
      content: 'Black plays Qh4#. The game is over: 0-1 (checkmate).',
    })
    t.match(last?.state, {
      result: '0-1',
      reason: 'checkmate',
      terminated: true,
      moves: ['f3', 'e5', 'g4', 'Qh4#'],
    })
    t.match(await failure(() => move(chess, 'e4')), 'The game is over: reset it')
  }
})

t.test('the game ends by every kind of draw, with half a point', async t => {
  for (const [reason, fen, played] of [
    ['stalemate', '7k/8/5KQ1/8/8/8/8/8 w - - 0 1', 'Qf7'],
    ['insufficient_material', '4k3/8/8/8/8/8/3p4/4K3 w - - 0 1', 'Kxd2'],
    ['fifty_moves', '4k3/8/8/8/8/8/4P3/R3K3 w - - 99 80', 'Ra2'],
    ['threefold_repetition', undefined, 'Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8'],
  ] as const) {
    const trajectory = await play(given(fen), moves(played))
    t.match(
      trajectory.at(-1)?.outcome,
      { reward: 0.5, terminated: true, info: { result: '1/2-1/2', reason } },
      reason,
    )
    const before = trajectory.slice(0, -1).map(({ outcome }) => outcome)
    t.ok(before.every(outcome => 'reward' in outcome && outcome.reward === 0 && !outcome.terminated))
  }
  const pawn = (await play(given('4k3/8/8/8/8/8/4P3/R3K3 w - - 99 80'), moves('e3')))[0]
  t.match(pawn?.outcome, { terminated: false }, 'a pawn’s move begins the fifty anew')
})

t.test('an opponent moves when it is its turn, also first', async t => {
  const chess = given(undefined, { side: 'black' })
  t.match(chess.observe(), { turn: 'black', side: 'black', last_move: { by: 'white' }, opponent: 'random' })
  const outcome = await move(chess, 'e5')
  t.match(outcome, { info: { move: { by: 'black', san: 'e5' }, answer: { by: 'white' } }, reward: 0 })
  t.equal((chess.observe().moves as string[]).length, 3)
  const last = await move(given('8/8/8/8/8/1r6/2k5/K7 b - - 0 1', { side: 'black' }), 'Ra3')
  t.match(last, { reward: 1, info: { answer: undefined } }, 'a mated opponent does not answer')
  const before = 'rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2'
  const after = gameFrom(before)
  playMove(after, 'g4')
  const answers = movesFrom(after).map(({ san }) => san)
  const mating = (answers.indexOf('Qh4#') + 0.5) / answers.length
  t.match(
    await given(before, {}).step('move', { move: 'g4' }, contextOf(0, 0, { random: () => mating })),
    { reward: -1, terminated: true, info: { answer: { by: 'black', san: 'Qh4#' }, result: '0-1' } },
    'an opponent can win, and the random number alone decides',
  )
})

const scholar = fc.array(fc.nat(), { maxLength: 30 })

t.test('the same seed gives the same game, and playing it again the same state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom('white', 'black'), scholar, async (seed, side, choices) => {
      const [one, two] = [new Chess({ side }), new Chess({ side })]
      assert.deepEqual(one.reset(seed, {}), two.reset(seed, {}))
      const actions: Action[] = []
      for (const [number, choice] of choices.entries()) {
        const legal = movesFrom(gameFrom(fenOf(one)))
        // Now and then one that is most likely not legal.
        const chosen = choice % 7 === 0 ? 'a1a8' : legal[choice % legal.length]?.san
        actions.push({ tool: 'move', args: { move: chosen } })
        await failure(() => one.step('move', { move: chosen }, contextOf(seed, number)))
        if (one.observe().terminated) break
      }
      const trajectory = await play(two, actions, seed)
      assert.deepEqual(trajectory.at(-1)?.state ?? two.observe(), one.observe())
      two.reset(seed, {})
      assert.deepEqual(await play(two, actions, seed), trajectory)
    }),
    { numRuns: 25 },
  )
})

t.test('the board and the legal moves are told and change nothing', async t => {
  const chess = given()
  const before = chess.observe()
  t.match(await contentOf(chess, 'board'), /8 \| r {2}n.*\nFEN: rnbqkbnr\/p[^\n]*\nWhite is to move\.$/s)
  t.equal((await contentOf(chess, 'legal_moves')).split('\n').length, 20)
  t.equal(await contentOf(chess, 'legal_moves', { square: 'b1' }), 'Na3 (b1a3)\nNc3 (b1c3)')
  t.equal(await contentOf(chess, 'legal_moves', { square: 'e5' }), 'There are none')
  t.same(chess.observe(), before)
  t.match(given('4k3/8/8/8/8/8/4q3/4K3 w - - 0 1').observe(), { in_check: true, turn: 'white' })
})

t.test('what cannot be played is refused with the name of the field', async t => {
  for (const [kwargs, told] of [
    [{ fen: 'nonsense' }, /^fen is no position: /],
    [{ fen: '8/8/8/8/8/8/8/8 w - - 0 1' }, /^fen is no position: .*king/],
    [
      { fen: '4k3/8/8/8/8/8/4R3/4K3 w - - 0 1' },
      'fen is no position: the side that is not to move is in check',
    ],
    [{ fen: '7k/5Q2/5K2/8/8/8/8/8 b - - 0 1' }, 'fen is the position of a game that is over'],
    [{ side: 'red' }, 'side must be one of white, black'],
    [{ opponent: 'stockfish' }, 'opponent must be one of random, none'],
    [{ elo: 3000 }, 'elo is not known: there is fen, side, opponent'],
  ] as const) {
    t.match(await failure(() => new Chess(kwargs)), told, JSON.stringify(kwargs))
  }
  const chess = new Chess({})
  t.match(await failure(() => chess.observe()), 'There is no game: reset comes first')
  // Its only move ends the game, before the agent has had one.
  t.match(
    await failure(() => chess.reset(0, { fen: '8/8/8/8/8/8/r1k5/K7 w - - 0 1', side: 'black' })),
    'fen is a position where every move of the opponent ends the game',
  )
})
