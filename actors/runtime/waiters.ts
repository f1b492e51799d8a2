// Lets callers wait until the view of an actor meets their condition.
export type Waiter<View> = {
  done: (view: View) => boolean
  resolve: (view: View) => void
  reject: (error: unknown) => void
}
type Waited<View> = { waiters: Waiter<View>[] }

export const waitFor = <View>(actor: Waited<View>, done: (view: View) => boolean): Promise<View> =>
  new Promise((resolve, reject) => actor.waiters.push({ done, resolve, reject }))

/** Answers the waiters whose condition the view meets. */
export const answerWaiters = <View>(actor: Waited<View>, view: View): void => {
  if (actor.waiters.length === 0) return
  const answered = actor.waiters.filter(waiter => waiter.done(view))
  actor.waiters = actor.waiters.filter(waiter => !answered.includes(waiter))
  for (const waiter of answered) waiter.resolve(view)
}
