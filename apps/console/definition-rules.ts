import { resources } from "@tocsin/api"
import { kinds } from "@tocsin/domain/definitions"
import { indicatorBacktestRequest } from "@tocsin/domain/features/backtest"
import * as Schema from "effect/Schema"
import { type Rules, rulesAt } from "./src/editor/Rules.ts"

/** What a form needs of a JSON Schema. */
interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly enum?: ReadonlyArray<unknown>
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maximum?: number
  readonly description?: string
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
}

interface Described {
  readonly schema: () => Schema.Top
}

/** What the console edits: definitions by kind, and the bodies of requests by operation. */
const documents: Readonly<Record<string, Described>> = {
  ...Object.fromEntries(Object.entries(kinds).map(([kind, { codec }]) => [kind, codec])),
  ...Object.fromEntries(
    Object.values(resources).flatMap(({ operations }) =>
      Object.entries(operations as Readonly<Record<string, { readonly body?: Described }>>).flatMap(
        ([id, { body }]) => (body === undefined ? [] : [[id, body]]),
      ),
    ),
  ),
  backtestIndicator: indicatorBacktestRequest,
}

/** The rules of a document or of the part at a path, from the JSON Schema of its codec. */
export const definitionRules = (name: string, path?: string): Rules => {
  const described = documents[name]
  if (described === undefined) throw new Error(`There is no document ${name}`)
  const { schema, definitions } = Schema.toJsonSchemaDocument(described.schema())
  const rules = rulesOf(schema as JsonSchema, definitions as Readonly<Record<string, JsonSchema>>) ?? {}
  return path === undefined ? rules : rulesAt(rules, path)
}

const rulesOf = (
  schema: JsonSchema,
  definitions: Readonly<Record<string, JsonSchema>>,
  isRequired = false,
): Rules | undefined => {
  const of = (each: JsonSchema, needed?: boolean) => rulesOf(each, definitions, needed)
  if (schema.$ref !== undefined) return of(definitions[schema.$ref.replace("#/$defs/", "")] ?? {}, isRequired)
  const choices = schema.enum?.filter((each) => typeof each === "string")
  // An annotation of a schema that has checks is beside them.
  const texts = [schema, ...(schema.allOf ?? [])].map(({ description = "" }) => description)
  const [omitted] = texts.flatMap((text) => {
    const [, last, marked] = /Default: (\S+)$|(\S+) \(default\)/.exec(text) ?? []
    return last ?? (marked !== undefined && choices?.includes(marked) ? marked : [])
  })
  const max =
    schema.maxLength ??
    schema.maxItems ??
    (schema.maximum === Number.MAX_SAFE_INTEGER ? undefined : schema.maximum)
  const [shortest] = texts.flatMap((text) => durationIn(/must be .*at least (\d+ [a-z])/, text))
  const [longest] = texts.flatMap((text) => durationIn(/must be .*at most (\d+ [a-z])/, text))
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const rules = of(each, schema.required?.includes(name))
    return rules === undefined ? [] : [[name, rules] as const]
  })
  const items = schema.items && of(schema.items)
  const own: Rules = {
    ...(isRequired && { isRequired }),
    ...(choices !== undefined && { choices }),
    ...(max !== undefined && { max }),
    ...(shortest !== undefined && { shortest }),
    ...(longest !== undefined && { longest }),
    ...(omitted !== undefined && { default: omitted }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(items !== undefined && { items }),
  }
  const all = [
    own,
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) => of(each) ?? []),
  ].reduce(merged)
  return Object.keys(all).length === 0 ? undefined : all
}

/** JSON Schema has no bounds of durations: the rule is in the description. */
const durationIn = (pattern: RegExp, text: string): ReadonlyArray<string> => {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? [] : [found.replace(" ", "")]
}

/** The rules of a value of either shape. */
const merged = (one: Rules, other: Rules): Rules => {
  const properties = { ...one.properties }
  for (const [name, rules] of Object.entries(other.properties ?? {})) {
    const before = properties[name]
    properties[name] = before === undefined ? rules : merged(before, rules)
  }
  const choices = [...new Set([...(one.choices ?? []), ...(other.choices ?? [])])]
  return {
    ...other,
    ...one,
    ...(choices.length > 0 && { choices }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}
