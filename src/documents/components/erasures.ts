// The schemas of erasures and legal holds.

import * as answers from '../../contract/audit-responses.ts'
import { ErasureSubject, NotErased } from '../../contract/events/erasure-events.ts'
import { HoldBody } from '../../contract/wire.ts'
import type { Components } from '../component.ts'
import { listFields } from './list-fields.ts'

const subject = {
  task_id: 'The task that nobody may erase.',
  session_id: 'The id of a session. The hold protects the sessions with this id of all users.',
  user_id: 'The user whose data nobody may erase.',
}

export const erasureComponents: Components = {
  Erasure: {
    schema: answers.Erasure,
    about: 'What was erased. The same request gets the same answer again.',
    fields: {
      erasure_id: 'The id of the erasure.',
      position: 'The position of the event that says what was erased.',
      time: 'When that event was stored.',
      reason: 'The reason that the request gave.',
      by: 'The id of the token.',
      subject: 'What the request asked for.',
      erased: 'The ids of everything whose content is gone.',
      not_erased: 'What the server cannot erase, and why.',
    },
  },
  ErasureSubject: {
    schema: ErasureSubject,
    about: 'What somebody asked to erase.',
    fields: {
      kind: 'A task, a session or a user; `retention`: the tasks that a rule of retention names.',
      id: 'The id of the task, the session or the user; for `retention`, the rule.',
      user_id: 'The user of the session, if the request named one.',
    },
  },
  NotErased: {
    schema: NotErased,
    about: 'Something that may still hold erased content.',
    fields: { what: 'What it is.', why: 'Why the server did not erase it, and what to do.' },
  },
  HoldBody: {
    schema: HoldBody,
    about: 'What a legal hold protects: exactly one task, session or user.',
    fields: { ...subject, reason: 'Why the hold is placed or lifted. The log keeps it.' },
  },
  Hold: {
    schema: answers.Hold,
    about: 'A legal hold.',
    fields: {
      ...subject,
      hold_id: 'The id of the hold.',
      reason: 'Why it was placed.',
      by: 'The id of the token that placed it.',
      placed_at: 'When it was placed.',
    },
  },
  HoldList: {
    schema: answers.HoldList,
    about: 'The legal holds.',
    fields: { ...listFields, data: 'The holds, oldest first.' },
  },
}
