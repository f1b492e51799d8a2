// Parts of schemas that several objects of the wire share.
import Type from 'typebox'

export const OpenObject = Type.Record(Type.String(), Type.Unknown())
export const optional = Type.Optional

export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const names = nullable(Type.Array(Type.String()))
export const orNull = <T extends Type.TSchema>(schema: T) => optional(nullable(schema))
