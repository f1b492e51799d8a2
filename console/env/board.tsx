// Draws the position of a chess game from its FEN.

const names: Record<string, [string, string]> = {
  k: ['king', '♚'],
  q: ['queen', '♛'],
  r: ['rook', '♜'],
  b: ['bishop', '♝'],
  n: ['knight', '♞'],
  p: ['pawn', '♟'],
}
const files = 'abcdefgh'

/** The squares from a8 to h1, each with its piece or ''; undefined when the text is no FEN. */
export const squaresOf = (fen: string): string[] | undefined => {
  const rows = fen.split(' ')[0]?.split('/') ?? []
  const squares = rows.flatMap(row => [
    ...row.replace(/\d/g, digit => ' '.repeat(Number(digit))).replaceAll(' ', '.'),
  ])
  const isBoard = rows.length === 8 && squares.length === 64 && squares.every(each => /[kqrbnp.]/i.test(each))
  return isBoard ? squares.map(each => (each === '.' ? '' : each)) : undefined
}

type Props = { squares: readonly string[]; side: unknown; lastMove: unknown }

const movedSquares = (move: unknown): string[] => {
  const { uci } = (move ?? {}) as { uci?: unknown }
  return typeof uci === 'string' ? [uci.slice(0, 2), uci.slice(2, 4)] : []
}

/** The pieces in words, for screen readers. */
const inWords = (squares: readonly string[]): string =>
  squares
    .flatMap((piece, n) => {
      if (piece === '') return []
      const colour = piece === piece.toLowerCase() ? 'black' : 'white'
      return [`${colour} ${names[piece.toLowerCase()]?.[0]} ${files[n % 8]}${8 - Math.floor(n / 8)}`]
    })
    .join(', ')

export const Board = ({ squares, side, lastMove }: Props) => {
  const order = squares.map((_, n) => n)
  if (side === 'black') order.reverse()
  const moved = movedSquares(lastMove)
  return (
    <div class="board" role="img" aria-label={`Chess board: ${inWords(squares)}`}>
      {order.map((n, place) => {
        const piece = squares[n] ?? ''
        const [row, column] = [Math.floor(n / 8), n % 8]
        const name = `${files[column]}${8 - row}`
        const isDark = (row + column) % 2 === 1
        return (
          <div
            key={name}
            class={`square${isDark ? ' dark' : ''}${moved.includes(name) ? ' moved' : ''}`}
            title={name}
          >
            {place % 8 === 0 && <small class="rank">{8 - row}</small>}
            {place >= 56 && <small class="file">{files[column]}</small>}
            {piece !== '' && (
              <span class={piece === piece.toLowerCase() ? 'piece black' : 'piece white'}>
                {names[piece.toLowerCase()]?.[1]}
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
}
