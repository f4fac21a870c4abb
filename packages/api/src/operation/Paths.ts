import type {
  BodyJsonOf,
  JsonOf,
  Operation,
  Operations,
  PageOf,
  PageParameters,
  Parameters,
  PathNames,
  PathParams,
  Response,
  WithBody,
} from "./Operation.ts"
import type { noContent } from "./Fields.ts"

/** Operations as the type of `paths` that `openapi-fetch` takes, for clients in browsers. */
export type PathsOf<O extends Operations> = {
  readonly [P in O[keyof O]["path"] as Braced<P>]: {
    readonly [N in keyof O as O[N]["path"] extends P ? Lowercase<O[N]["method"]> : never]: Described<O[N]>
  }
}

type Braced<P extends string> = P extends `${infer Start}/:${infer Name}/${infer Rest}`
  ? Braced<`${Start}/{${Name}}/${Rest}`>
  : P extends `${infer Start}/:${infer Name}`
    ? `${Start}/{${Name}}`
    : P

type Described<O extends Operation> = {
  readonly parameters: ([PathNames<O["path"]>] extends [never]
    ? unknown
    : { readonly path: PathParams<O> }) & {
    readonly query?: Given<O, "query"> & (O["success"] extends PageOf ? PageParameters : unknown)
    readonly header?: Given<O, "headers">
  }
  readonly responses: Responses<O["success"]>
} & (O extends WithBody
  ? O extends Record<"isBodyOptional", true>
    ? { readonly requestBody?: Content<BodyJsonOf<O>> }
    : { readonly requestBody: Content<BodyJsonOf<O>> }
  : unknown)

type Given<O extends Operation, Place extends "query" | "headers"> = O extends {
  readonly [P in Place]: infer F extends Parameters
}
  ? { readonly [N in keyof F]?: F[N]["Type"] | undefined }
  : unknown

type Responses<S> = S extends typeof noContent
  ? { readonly 204: NoContent }
  : S extends PageOf | Response
    ? { readonly 200: Json<JsonOf<S>> }
    : {
        readonly [N in keyof S]: S[N] extends typeof noContent
          ? NoContent
          : S[N] extends Response
            ? Json<S[N]["Encoded"]>
            : never
      }

interface NoContent {
  readonly content?: never
}

type Json<T> = Content<Mutable<T>>

interface Content<T> {
  readonly content: { readonly "application/json": T }
}

/** The client takes a read-only array of a response for an object with the methods of one. */
type Mutable<T> =
  T extends ReadonlyArray<infer Entry>
    ? Array<Mutable<Entry>>
    : T extends object
      ? { [N in keyof T]: Mutable<T[N]> }
      : T
