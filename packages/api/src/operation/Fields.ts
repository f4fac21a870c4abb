import type { DefinitionJson } from "@tocsin/domain"
import { type Codec, plain, type WireSchema } from "@tocsin/domain/codec"
import { definitionsMax } from "@tocsin/domain/limits"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { PageOf, Response } from "./Operation.ts"
import { pageSizeMax } from "@tocsin/domain/pagination"

/** A response without content, of status 204. */
export const noContent = Schema.Void

/** A date-time of RFC 3339. */
export const dateTime = (description: string) => Schema.String.annotate({ description, format: "date-time" })

/** An optional text. */
export const optionalText = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description }))

/** A query parameter that can be repeated. */
export const repeatable = <S extends Schema.Top>(value: S, description = "Can be repeated") =>
  Schema.optionalKey(Schema.Array(value).annotate({ description }))

/** A number of things: an integer of at least 0. */
export const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The path parameter `id`. */
export const IdParam = Schema.Struct({ id: Schema.String })

/** The parameters of the query of a list in pages. */
export const PageParams = Schema.Struct({
  limit: Schema.optionalKey(
    Schema.FiniteFromString.annotate({
      description: `Maximum number of objects to return. 0 selects the default, ${pageSizeMax}.`,
    }),
  ),
  cursor: optionalText("The cursor of links.next in the previous response"),
})

/** The name and project of a definition. */
export const KeySchema = Schema.Struct({ project: Schema.String, name: Schema.String })

/** Links to other pages; a link is absent where there is no such page. */
export const PageLinksSchema = Schema.Struct({
  self: Schema.String,
  next: optionalText("Absent on the last page"),
}).annotate({ description: "Links relative to the server, with limit and cursor" })

/** The JSON of a page of a list, by the name of its component in the OpenAPI document. */
export const pageSchema = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({ data: Schema.Array(item), links: PageLinksSchema }).annotate({ identifier })

/** A time in Unix milliseconds, rounded down; in JSON, a date-time of RFC 3339 in UTC. */
export const time = (description: string) =>
  dateTime(description).pipe(
    Schema.decodeTo(Schema.Finite, {
      decode: SchemaGetter.transform(Date.parse),
      encode: SchemaGetter.transform((timeMs: number) => new Date(Math.floor(timeMs)).toISOString()),
    }),
  )

/** The page of a list; its name in the OpenAPI document is that of the item with `Page`, unless it is given. */
export const pageOf = <Item extends Response>(
  item: Item,
  identifier = `${String(item.ast.annotations?.["identifier"])}Page`,
): PageOf<Item> => ({ page: item, identifier })

/** Headers of a request in their order, as pairs of a name and a value; in JSON, as objects. */
export const headerList = (description?: string) =>
  Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String }))
    .annotate(description === undefined ? {} : { description })
    .pipe(
      Schema.decodeTo(Schema.Array(Schema.Tuple([Schema.String, Schema.String])), {
        decode: SchemaGetter.transform((headers) => headers.map(({ name, value }) => [name, value] as const)),
        encode: SchemaGetter.transform((headers) => headers.map(([name, value]) => ({ name, value }))),
      }),
    )

/** JSON that is written already, such as a definition: it is described by a schema, and neither checked nor changed. */
export const written = <A, J>(schema: WireSchema): Schema.Codec<A, J> =>
  Schema.declare((_value): _value is A => true, {
    toCodecJson: () =>
      Schema.link<unknown>()(schema, {
        decode: SchemaGetter.passthrough(),
        encode: SchemaGetter.passthrough(),
      }),
  }) as unknown as Schema.Codec<A, J>

/** A definition as `definitionToJson` writes it. */
export const definitionJson = <J>({ schema }: { readonly schema: () => WireSchema<J> }) =>
  written<DefinitionJson, J>(schema())

/** The body of an operation that takes one document or a list of them, and reads it itself. */
export const oneOrMore = <J>(
  document: () => Schema.Top,
): Codec<J | ReadonlyArray<J>, unknown, J | ReadonlyArray<J>> =>
  plain(
    () =>
      Schema.Union([
        document(),
        Schema.Array(document()).check(Schema.isMinLength(1), Schema.isMaxLength(definitionsMax)),
      ]),
    (value) => value as J | ReadonlyArray<J>,
  )
