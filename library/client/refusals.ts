// The refusals of the server, as docs/errors.md has them. Written by `npm run documents`, from the schemas of the server.
import { RepriseError } from './errors.ts'

/** A refusal with the status 400. */
export class BadRequest extends RepriseError {
  override name = 'BadRequest'
}
/** A refusal with the status 404. */
export class NotFound extends RepriseError {
  override name = 'NotFound'
}
/** 409, -32023: this id or key is already used for something else. */
export class Conflict extends RepriseError {
  override name = 'Conflict'
}
/** 429, -32027: the server is handling too much for this caller. */
export class Busy extends RepriseError {
  override name = 'Busy'
}
/** A refusal with the status 503. */
export class Unavailable extends RepriseError {
  override name = 'Unavailable'
}
/** 400, -32002: the task has ended and cannot be canceled. */
export class NotCancelable extends BadRequest {
  override name = 'NotCancelable'
}
/** 400, -32020: the task is in a state that does not allow this. */
export class WrongState extends BadRequest {
  override name = 'WrongState'
}
/** 400, -32021: some pending tool calls have no answer. */
export class InputMissing extends BadRequest {
  override name = 'InputMissing'
}
/** 400, -32022: this tool call already has a different answer. */
export class AlreadyAnswered extends BadRequest {
  override name = 'AlreadyAnswered'
}
/** 400, -32026: the environment session is done. */
export class SessionDone extends BadRequest {
  override name = 'SessionDone'
}
/** 400, -32600: the server cannot read this as an HTTP request. */
export class NotHttp extends BadRequest {
  override name = 'NotHttp'
}
/** 400, -32600: this is no handshake of a WebSocket. */
export class BadHandshake extends BadRequest {
  override name = 'BadHandshake'
}
/** 401, -32030: a valid bearer token is required. */
export class Unauthenticated extends RepriseError {
  override name = 'Unauthenticated'
}
/** 403, -32031: this token does not allow this request. */
export class Forbidden extends RepriseError {
  override name = 'Forbidden'
}
/** 404, -32001: no such task. */
export class TaskNotFound extends NotFound {
  override name = 'TaskNotFound'
}
/** 404, -32001: no such webhook. */
export class WebhookNotFound extends NotFound {
  override name = 'WebhookNotFound'
}
/** 404, -32001: this webhook has no such delivery. */
export class DeliveryNotFound extends NotFound {
  override name = 'DeliveryNotFound'
}
/** 404, -32001: no such cron job. */
export class CronJobNotFound extends NotFound {
  override name = 'CronJobNotFound'
}
/** 404, -32001: no such tile. */
export class TileNotFound extends NotFound {
  override name = 'TileNotFound'
}
/** 404, -32001: no such token. */
export class TokenNotFound extends NotFound {
  override name = 'TokenNotFound'
}
/** 404, -32001: there is no such hold. */
export class HoldNotFound extends NotFound {
  override name = 'HoldNotFound'
}
/** 404, -32024: there is no environment with this name. */
export class EnvNotFound extends NotFound {
  override name = 'EnvNotFound'
}
/** 404, -32025: no such session, or it is closed. */
export class SessionNotFound extends NotFound {
  override name = 'SessionNotFound'
}
/** 404, -32601: the server has no route for this path. */
export class RouteNotFound extends NotFound {
  override name = 'RouteNotFound'
}
/** 405, -32601: this path does not accept this method. */
export class MethodNotAllowed extends RepriseError {
  override name = 'MethodNotAllowed'
}
/** 408, -32600: the request body came too slowly. */
export class BodyTooSlow extends RepriseError {
  override name = 'BodyTooSlow'
}
/** 409, -32023: this cannot be erased now. */
export class NotErasable extends Conflict {
  override name = 'NotErasable'
}
/** 413, -32600: the request body is too large. */
export class BodyTooLarge extends RepriseError {
  override name = 'BodyTooLarge'
}
/** 415, -32600: the request body is not uncompressed JSON. */
export class MediaType extends RepriseError {
  override name = 'MediaType'
}
/** 422, -32602: invalid request. */
export class Invalid extends RepriseError {
  override name = 'Invalid'
}
/** 424, -32603: the task has not completed. */
export class TaskFailed extends RepriseError {
  override name = 'TaskFailed'
}
/** 426, -32600: this path opens a WebSocket. */
export class UpgradeRequired extends RepriseError {
  override name = 'UpgradeRequired'
}
/** 429, -32027: a quota is used up. */
export class OverQuota extends Busy {
  override name = 'OverQuota'
}
/** 500, -32603: internal error. */
export class Fault extends RepriseError {
  override name = 'Fault'
}
/** 503, -32008: the tools of the task are not available now. */
export class ToolsAway extends Unavailable {
  override name = 'ToolsAway'
}
/** 503, -32603: the event log cannot be written at the moment. */
export class StorageDown extends Unavailable {
  override name = 'StorageDown'
}
/** 503, -32603: lists are catching up with the log. */
export class ReadModelsBehind extends Unavailable {
  override name = 'ReadModelsBehind'
}
/** 503, -32603: the erasure is stored, but has not finished. */
export class ErasureUnfinished extends Unavailable {
  override name = 'ErasureUnfinished'
}
/** 503, -32603: the session cannot be used at the moment, but it is not lost. */
export class SessionAway extends Unavailable {
  override name = 'SessionAway'
}
/** 503, -32603: there is no checkpoint yet. */
export class NoCheckpoint extends Unavailable {
  override name = 'NoCheckpoint'
}
/** 503, -32603: what the answer shows was changed or erased while the server made it. */
export class ChangedMeanwhile extends Unavailable {
  override name = 'ChangedMeanwhile'
}
/** 503, -32603: a stored event cannot be read or does not match its hash. */
export class Damaged extends Unavailable {
  override name = 'Damaged'
}
/** 503, -32603: the server is shutting down. */
export class ShuttingDown extends Unavailable {
  override name = 'ShuttingDown'
}
/** 508, -32603: this node does not own the event log. */
export class NotOwner extends RepriseError {
  override name = 'NotOwner'
}
