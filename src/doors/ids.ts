// Ids that protocols show. The id of an item or a call of a task also names its task, so that a client which sends it back
// with no more than that leads the server to the task.

/** The id of an item or a call, with its task. */
export const withTask = (id: string, taskId: string): string => `${id}.${taskId}`

/** Ids of items and calls that the server makes: they have no dot. Ids of other origin may have one. */
const ofServer = /^((?:call|msg|rs|tc|tr)_[^.]+)\.(.+)$/s

/** The parts of such an id; undefined: it is none. */
export const inTask = (text: string): { id: string; taskId: string } | undefined => {
  const [, id, taskId] = ofServer.exec(text) ?? []
  return id === undefined || taskId === undefined ? undefined : { id, taskId }
}

/** The id itself, whether or not it names a task. */
export const bare = (text: string): string => inTask(text)?.id ?? text

/** The turn with which a task begins. Each other turn has the number of the frame with which the task waited before it. */
export const firstTurn = -1

/** A turn of a task: the task begins with the first one, and each other one begins with answers of its client. */
export type TurnId = { taskId: string; turn: number }

const endsLikeTurn = /\.\d+$/

/** The id of a turn. That of the first turn is the id of the task, unless this looks like the id of another turn. */
export const turnText = ({ taskId, turn }: TurnId): string => {
  if (turn !== firstTurn) return `${taskId}.${turn}`
  return endsLikeTurn.test(taskId) ? `${taskId}.0` : taskId
}

/** The turn that `turnText` gives this text. Frame 0 creates the task, so no turn follows it. */
export const turnOf = (text: string): TurnId => {
  const [, taskId, number] = /^(.+)\.(\d+)$/s.exec(text) ?? []
  if (taskId === undefined) return { taskId: text, turn: firstTurn }
  return { taskId, turn: Number(number) === 0 ? firstTurn : Number(number) }
}
