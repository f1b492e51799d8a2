// What the runtime needs to know about a kind of actor: how it folds and decides, which is pure, and the effects of one
// actor, which are the work that its state wants.
import type { Log, NewEvent, Recorded, StreamAppend } from '../../src/contract/stored.ts'
import type { Folded } from './logic.ts'

/**
 * The events of a command, possibly none. `made`: new actors of this kind that begin in the same append. `beside`: new
 * streams of another kind in the same append. Their actors begin when they are needed.
 */
export type Decision = { events: NewEvent[]; made: StreamAppend[]; beside?: StreamAppend[] }

/** The principal, owner and cause that are stored with the events of a command. */
export type Envelope = Omit<StreamAppend, 'stream' | 'expectedRevision' | 'justMade' | 'events'>

/** `At`: what a decision knows besides the view and the command: at least the time. */
export type Kind<View, Command, At> = Folded<View> & {
  /**
   * Takes the view from a saved fold of the stream, and returns the revision of the last event that the fold contains;
   * -1 when there is none. Called once, before any event. Absent: the kind has no saved folds.
   */
  restore?(view: View, stream: string, log: Pick<Log, 'readStream' | 'revisionOf'>): Promise<number>
  /** Returns the events of a command, or throws a Refusal. Pure: the same arguments give the same events. */
  decide(view: View, command: Command, at: At): Decision
  /** Pure. Called after `decide`. */
  envelope(view: View, command: Command, stream: string): Envelope
  /** The effects of one actor. They live as long as the actor is in memory. */
  effects(
    stream: string,
    /** The fold changes it in place, so it is always the newest one. */
    view: View,
    /** The actor's own mailbox, for reports of its effects. */
    own: Mailbox<View, Command>,
    /** The mailboxes of the other actors of its kind. */
    others: Mailboxes<View, Command>,
  ): Effects<Command, At>
}

/** What an actor does besides folding and deciding. Each is called in this order during a turn. */
export type Effects<Command, At> = {
  /** Whether a command can be decided now; else it stays in the mailbox until a later turn. */
  isReady?(command: Command): boolean
  /** Returns a command that must be decided before the given one; undefined: there is none. Throws to refuse the given one. */
  first?(command: Command): Command | undefined
  /** What the decision of this command knows. */
  at(command: Command): At
  /** Called with the decided events before they are appended. */
  decided?(events: readonly NewEvent[]): void
  /**
   * Returns a command that must be decided right after the first events of a new stream; undefined: there is none.
   * These events are not durable yet, so nothing that acts outside this process may begin here.
   */
  next?(): Command | undefined
  /** Called once for each event of the stream when it is durable. */
  stored?(event: Recorded): void
  /** Called once the events of a command, if any, are stored: updates what the actor keeps in memory only. */
  remember?(command: Command): void
  /** Starts the work that the view wants and that does not run yet; stops work that the view no longer wants. */
  reconcile(): void
  /** `busy`: the actor runs something; `idle`: it may leave memory; `ended`: it should leave memory. */
  rest(): 'busy' | 'idle' | 'ended'
  /** Stops what runs, and stores nothing. */
  stop(): void
}

/** The mailbox of one actor, for its own effects. */
export type Mailbox<View, Command> = {
  /** Sends a report for which no caller waits; never rejects. */
  tell(command: Command): Promise<void>
  /** Sends a command and waits for its turn; rejects when the turn fails. */
  ask(command: Command): Promise<View>
  /** Whether a command is being decided or stored, or waits for its turn: the view does not have its events yet. */
  isAtWork(): boolean
}

/** The mailboxes of all actors of one kind, by stream. */
export type Mailboxes<View, Command> = {
  /** Sends a command and returns the view after its turn; rejects when the turn fails. `isNew`: a new stream. */
  ask(stream: string, command: Command, isNew?: boolean): Promise<View>
  /** Resolves with the view once `done` returns true for it, now or after a later turn. */
  until(stream: string, done: (view: View) => boolean): Promise<View>
}
