import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type Codec, decode, encode } from "./Codec.ts"
import type { Issue } from "./Issue.ts"

/**
 * A codec as an `effect/Schema`, for a `Struct` or an `HttpApi` of a host.
 *
 * Decodes with every issue of the codec at its path, and encodes with secrets hidden. JSON Schema and OpenAPI documents have the
 * schema of the codec. Derived codecs, as `HttpApi` uses, check that schema first, with the messages of Effect; `disableCodecs: true`
 * of an endpoint leaves all messages to the codec. `context` is what the codec needs besides the document.
 */
export const schemaOf = <A, C, J>(codec: Codec<A, C, J>, context: NoInfer<C>): Schema.Codec<A, J> =>
  Schema.declare(isAny<J>, {
    toCodecJson: () =>
      Schema.link<J>()(codec.schema() as Schema.Codec<J>, SchemaTransformation.passthrough<J>()),
  }).pipe(
    Schema.decodeTo(
      Schema.declare(isAny<A>),
      SchemaTransformation.transformEffect({
        decode: (input: J) => {
          const decoded = decode(codec, input, context)
          return Result.isSuccess(decoded)
            ? Effect.succeed(decoded.success)
            : Effect.fail(schemaIssueOf(codec.schema(), decoded.failure))
        },
        encode: (value: A) => Effect.sync(() => encode(codec, value) as J),
      }),
    ),
  )

const schemaIssueOf = ({ ast }: Schema.Top, issues: ReadonlyArray<Issue>): SchemaIssue.Issue => {
  const [first, ...rest] = issues.map(({ path, message }) => {
    const issue = new SchemaIssue.InvalidValue({ message })
    return path === "" ? issue : new SchemaIssue.Pointer(keysOf(path), issue)
  })
  return first === undefined
    ? new SchemaIssue.InvalidValue()
    : new SchemaIssue.Composite(ast, [first, ...rest])
}

/** `["spec", "objectives", 0, "target"]` of `spec.objectives[0].target`. */
const keysOf = (path: string): ReadonlyArray<string | number> =>
  [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = ""]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : name,
  )

/** The codec checks. */
const isAny = (() => true) as unknown as <T>(value: unknown) => value is T
