// Bodies: huge ones, ones with more keys than anybody needs, ones that never end.
import type { Socket } from 'node:net'
import { type Attack, type Hand, sleep } from './hand.ts'

const MiB = 1 << 20
const keys = (size: number) => {
  const parts: string[] = []
  for (let n = 0, chars = 0; chars < size; n++) {
    const part = `"k${n}":${n % 10}`
    parts.push(part)
    chars += part.length + 1
  }
  return parts.join(',')
}
const create = (more: string) =>
  Buffer.from(`{"user_message_content":"x","stream":false,"background":true,${more}}`)
const fourMiB = keys(4 * MiB)
const withKeys = [
  create(`"env":{${fourMiB.replaceAll(/:(\d)/g, ':"$1"')}}`),
  create(`"metadata":{${fourMiB}}`),
  create(fourMiB),
  create(`"client_tools":[{"type":"function","function":{"name":"f","parameters":{${fourMiB}}}}]`),
  create(
    `"history_messages":[${'{"type":"message","role":"user","message_content":"x"},'.repeat(70_000)}{}]`,
  ),
  create(`"metadata":{"deep":${'['.repeat(60)}${'[],'.repeat(1_300_000)}0${']'.repeat(60)}}`),
]
/** Refused when it has been read: what is stored is bounded elsewhere. */
const refused = (filling: string) => Buffer.from(`{"user_message_content":5,"x":${filling}}`)
const thirtyMiB = [
  refused(`"${'x'.repeat(30 * MiB)}"`),
  refused(`[${'[],'.repeat(10 * MiB)}0]`),
  refused(`{${keys(30 * MiB)}}`),
]

export const manyKeys: Attack = hand => {
  let n = 0
  return hand.workers(2, 50, () =>
    hand.call('bodies of 4 MiB of keys', 'POST', '/v1/tasks', withKeys[n++ % withKeys.length]),
  )
}
export const largeBodies: Attack = hand => {
  let n = 0
  return hand.workers(2, 50, () =>
    hand.call('bodies of 30 MiB', 'POST', '/v1/tasks', thirtyMiB[n++ % thirtyMiB.length]),
  )
}
export const otherBodies: Attack = hand =>
  hand.workers(2, 200, () =>
    hand.call('large bodies elsewhere', 'POST', '/v1/env/step', Buffer.alloc(2 * MiB, '[')),
  )

/** Keeps so many sockets open, each begun by `begin`; the server may close them as it likes. */
const keepOpen = async (
  hand: Hand,
  attack: string,
  count: number,
  begin: () => Promise<Socket | undefined>,
): Promise<void> => {
  const open = new Set<Socket>()
  while (!hand.over()) {
    for (let n = 0; n < 100 && open.size < count; n++) {
      const socket = await begin()
      if (socket === undefined) break
      open.add(socket)
      let text = ''
      socket.on('data', chunk => (text += text.length < 4096 ? chunk.toString('latin1') : ''))
      socket.once('close', () => {
        open.delete(socket)
        hand.note(attack, Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text)
      })
    }
    await sleep(200)
  }
  for (const socket of open) socket.destroy()
}

const almost = Buffer.alloc(32 * MiB - 1, 'x')
/** Whole but for the last byte, which never comes. */
export const bodiesThatNeverEnd: Attack = hand => {
  const head = hand.head(
    'POST',
    '/v1/tasks',
    'Content-Type: application/json',
    `Content-Length: ${32 * MiB}`,
    '',
  )
  return keepOpen(hand, 'bodies that never end', 16, async () => {
    const socket = await hand.socket(head)
    socket?.write(almost)
    return socket
  })
}
/** A byte every second. */
export const slowBodies: Attack = hand => {
  const head = hand.head('POST', '/v1/tasks', 'Content-Type: application/json', 'Content-Length: 100000', '')
  return keepOpen(hand, 'bodies byte by byte', 200, async () => {
    const socket = await hand.socket(head)
    if (socket === undefined) return undefined
    const drip = setInterval(() => socket.write('x'), 1000)
    socket.once('close', () => clearInterval(drip))
    return socket
  })
}
export const halfOpen: Attack = hand =>
  keepOpen(hand, 'half-open sockets', 3000, () => hand.socket(hand.head('POST', '/v1/tasks', 'X-Half: open')))
export const silentSockets: Attack = hand => keepOpen(hand, 'silent sockets', 1000, () => hand.socket(''))
