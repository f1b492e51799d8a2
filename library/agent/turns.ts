// Collects what the code of one task asks for, and sends it as turns that are not too long. What does not fit waits.
import type { MachineState, Outcome } from '../../src/contract/code-agent.ts'
import { longestTurn, mostInMessage, mostOpen } from './limits.ts'
import { valuesIn } from './plain-json.ts'
import type { MoveText } from './ran.ts'

/** The values of a turn besides its moves, the state of the chart and the outcome. */
const turnValues = 32

/** `isOpen`: the entry waits for a result. `of`: the number of the entry that the move is about. */
type Waiting = MoveText & { n?: number; isOpen?: boolean; of?: number }

export type TurnQueueDeps = {
  lease: string
  send(text: string): void
  /** Whether the connection can take more now. */
  hasRoom(): boolean
  /** The number of the last entry that is stored. */
  stored: number
  /** How many of the stored entries have no result. */
  open: number
}

export const createTurnQueue = ({ lease, send, hasRoom, stored, open: openBefore }: TurnQueueDeps) => {
  let moves: Waiting[] = []
  let lastSent = stored
  let open = openBefore
  let machine: MachineState | undefined
  let outcome: Outcome | undefined
  const values = { machine: 0, outcome: 0 }
  let isOwed = true

  /**
   * Takes as many moves as the server takes now. Entries keep their order; other moves only follow the entry that they are
   * about. `used`: the values that the turn has already.
   */
  const take = (used: number): { taken: string[]; values: number } => {
    const taken: string[] = []
    const left: Waiting[] = []
    let length = 0
    let sum = used
    let isFull = false
    let isBlocked = false
    for (const move of moves) {
      const { text, values, n, isOpen = false, of } = move
      const isAlone = taken.length === 0 && used === turnValues
      isFull ||= length >= longestTurn || (!isAlone && sum + values > mostInMessage)
      isBlocked ||= isFull || (isOpen && open >= mostOpen)
      if (isFull || (n === undefined ? (of ?? 0) > lastSent : isBlocked)) {
        left.push(move)
        continue
      }
      lastSent = n ?? lastSent
      if (isOpen) open++
      length += text.length
      sum += values
      taken.push(text)
    }
    moves = left
    return { taken, values: sum }
  }

  return {
    /** A new entry. `isOpen`: it waits for a result. */
    ask(n: number, isOpen: boolean, move: MoveText): void {
      moves.push({ ...move, n, isOpen })
    },
    /** A move about an entry: the outcome of a run, or a drop. */
    about(of: number, move: MoveText): void {
      moves.push({ ...move, of })
    },
    moved(state: MachineState): void {
      machine = state
      values.machine = valuesIn(state)
    },
    hasMoved: (): boolean => machine !== undefined,
    /** Whether the server has this entry, or gets it now. */
    isSent: (n: number): boolean => n <= lastSent,
    /** Whether something about an entry that was sent waits for room. */
    owesOutcome: (): boolean => moves.some(({ of }) => of !== undefined && of <= lastSent),
    /** At the end the server begins nothing. When more entries are open than it takes, only what was said is sent. */
    end(result: Outcome): void {
      outcome = result
      values.outcome = valuesIn(result)
      if (open + moves.filter(({ isOpen }) => isOpen).length <= mostOpen) return
      const left = moves.filter(({ isOpen, of = 0 }) => isOpen !== true && of <= lastSent)
      let n = lastSent
      moves = left.map(move =>
        move.n === undefined ? move : { ...move, n: ++n, text: move.text.replace(/^\{"n":\d+/, `{"n":${n}`) },
      )
    },
    /** The server has sent something, and expects a turn. */
    owe(): void {
      isOwed = true
    },
    /** An entry has got its result. */
    close(): void {
      open--
    },
    /** Sends what may be sent. Returns true when the last turn has been sent. */
    flush(seen: number): boolean {
      while (hasRoom() && (isOwed || moves.length > 0 || machine !== undefined || outcome !== undefined)) {
        // A state with many values goes alone.
        const used = turnValues + (machine === undefined ? 0 : values.machine)
        const { taken, values: sum } =
          used > mostInMessage / 2 && machine !== undefined ? { taken: [], values: used } : take(used)
        const isLast =
          outcome !== undefined &&
          moves.length === 0 &&
          ((taken.length === 0 && machine === undefined) || sum + values.outcome <= mostInMessage)
        if (taken.length === 0 && !isOwed && machine === undefined && !isLast) return false
        const state = machine === undefined ? '' : `,"machine":${JSON.stringify(machine)}`
        const result = isLast ? `,"outcome":${JSON.stringify(outcome)}` : ''
        isOwed = false
        machine = undefined
        send(
          `{"type":"turn","lease":${JSON.stringify(lease)},"seen":${seen},"moves":[${taken.join(',')}]${state}${result}}`,
        )
        if (isLast) return true
      }
      return false
    },
  }
}
