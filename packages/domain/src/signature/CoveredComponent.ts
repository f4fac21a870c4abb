import * as Result from "effect/Result"
import { type Item, writeString } from "./StructuredField.ts"

/**
 * One covered component: a field name in lower case, or a derived name that starts with `@`.
 *
 * `identifier` is its serialised form, with which its line in the signature base starts. `queryParameter` is
 * the `name` parameter of `@query-param`, still percent-encoded; no other component has a parameter.
 *
 * Source: RFC 9421 section 2.
 */
export interface CoveredComponent {
  readonly name: string
  readonly queryParameter: string | undefined
  readonly identifier: string
}

/**
 * The components that every notification's signature covers, in the order in which they are signed.
 *
 * Source: spec/signatures §1.
 */
export const requiredComponents = [
  "@method",
  "@authority",
  "@path",
  "content-digest",
  "content-type",
] as const

/**
 * Reads one item of the list of covered components.
 *
 * Fails with `unsupported`, and the component as far as it is known, for an item that is not a string, a name
 * that is neither a field name in lower case nor a derived component of requests, and a parameter that would
 * change the component's meaning (`sf`, `key`, `bs`, `req`, `tr`, unknown ones).
 *
 * Source: RFC 9421 sections 2, 2.1 and 2.2; spec/signatures §9.
 */
export const itemToComponent = (item: Item): Result.Result<CoveredComponent, string> => {
  if (item.value.type !== "string") return Result.fail("an item that is no string")
  const name = item.value.value
  const parameter = item.parameters.get("name")
  if (name === "@query-param") {
    if (item.parameters.size !== 1 || parameter?.type !== "string") return Result.fail(name)
    const identifier = `"@query-param";name=${writeString(parameter.value)}`
    return Result.succeed({ name, queryParameter: parameter.value, identifier })
  }
  if (item.parameters.size > 0) return Result.fail(`${name} with parameters`)
  const known = knownComponents.get(name)
  if (known !== undefined) return known
  return fieldNamePattern.test(name) ? Result.succeed(plainComponent(name)) : Result.fail(name)
}

const plainComponent = (name: string): CoveredComponent => ({
  name,
  queryParameter: undefined,
  identifier: writeString(name),
})

const knownComponents = new Map(
  [...requiredComponents, "@target-uri", "@scheme", "@request-target", "@query"].map((name) => [
    name,
    Result.succeed(plainComponent(name)),
  ]),
)
const fieldNamePattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
