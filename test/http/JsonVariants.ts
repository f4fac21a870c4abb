/** JSON Schema, as far as the OpenAPI document uses it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly format?: string
  readonly pattern?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly exclusiveMaximum?: number
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly maxProperties?: number
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
}

/** How variants resolve the schema: references, and which member of a union describes a value. */
export interface SchemaLookup {
  readonly resolve: (schema: JsonSchema) => JsonSchema
  readonly isValid: (schema: JsonSchema, value: unknown) => boolean
}

/** A value that differs in one place, and where. */
export interface Variant {
  readonly path: string
  readonly value: unknown
}

/**
 * Variants of a valid value that are on and just beyond each limit of its schema: types, lengths, patterns, formats,
 * enums, bounds, sizes, and missing or unknown properties. Some are valid and some are not.
 */
export const variantsOf = (
  lookup: SchemaLookup,
  given: JsonSchema,
  value: unknown,
): ReadonlyArray<Variant> => {
  const schema = describing(lookup, given, value)
  const here = [...wrongTypes(schema), ...scalars(schema, value)].map((each) => ({ path: "", value: each }))
  if (Array.isArray(value)) return [...here, ...ofArray(lookup, schema, value)]
  if (isObject(value)) return [...here, ...ofObject(lookup, schema, value)]
  return here
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const describing = (lookup: SchemaLookup, given: JsonSchema, value: unknown): JsonSchema => {
  const schema = lookup.resolve(given)
  const members = schema.anyOf ?? schema.oneOf
  const member = members?.find((each) => lookup.isValid(each, value))
  return member === undefined ? schema : describing(lookup, member, value)
}

const wrongTypes = ({ type }: JsonSchema): ReadonlyArray<unknown> =>
  type === undefined
    ? []
    : [
        ...(type === "string" ? [] : ["text"]),
        ...(type === "number" || type === "integer" ? [] : [7]),
        ...(type === "boolean" ? [] : [true]),
        ...(type === "object" ? [] : [{}]),
        ...(type === "array" ? [] : [[]]),
      ]

const scalars = (schema: JsonSchema, value: unknown): ReadonlyArray<unknown> => {
  if (typeof value === "string") return strings(schema, value)
  return typeof value === "number" ? numbers(schema) : []
}

const strings = ({ enum: allowed, format, pattern, maxLength }: JsonSchema, value: string) => [
  ...(allowed === undefined ? [] : [...allowed, "other"]),
  ...(format === "date-time" ? ["2026-01-30", "2026-02-30T12:00:00Z", "2026-01-30T12:00:00"] : []),
  ...(pattern === undefined ? [] : [`-${value}`, `${value}-`, `${value} `, `${value}é`, value.toUpperCase()]),
  ...(maxLength === undefined ? [] : [value.padEnd(maxLength, "a"), value.padEnd(maxLength + 1, "a")]),
]

const numbers = ({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema) =>
  [
    ...[minimum, exclusiveMinimum, maximum, exclusiveMaximum].flatMap((bound) =>
      bound === undefined ? [] : [bound - 1, bound, bound + 1],
    ),
    ...(type === "integer" ? [1.5] : []),
  ].filter((each) => Math.abs(each) <= Number.MAX_SAFE_INTEGER)

const ofArray = (
  lookup: SchemaLookup,
  { maxItems, items = {} }: JsonSchema,
  value: ReadonlyArray<unknown>,
): ReadonlyArray<Variant> => [
  { path: "", value: [] },
  ...(maxItems === undefined
    ? []
    : [{ path: "", value: Array.from({ length: maxItems + 1 }, () => value[0]) }]),
  ...value.flatMap((entry, index) =>
    variantsOf(lookup, items, entry).map(({ path, value: changed }) => ({
      path: `[${index}]${path}`,
      value: value.with(index, changed),
    })),
  ),
]

const ofObject = (
  lookup: SchemaLookup,
  { properties = {}, additionalProperties, maxProperties }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): ReadonlyArray<Variant> => [
  { path: ".unknown", value: { ...value, unknown: true } },
  ...(maxProperties === undefined
    ? []
    : [
        {
          path: "",
          value: Object.fromEntries(
            Array.from({ length: maxProperties + 1 }, (_, index) => [`key${index}`, Object.values(value)[0]]),
          ),
        },
      ]),
  ...Object.entries(value).flatMap(([name, property]) => {
    const { [name]: _, ...others } = value
    const schema =
      properties[name] ??
      (typeof additionalProperties === "object" ? additionalProperties : ({} as JsonSchema))
    return [
      { path: `.${name}`, value: others },
      ...variantsOf(lookup, schema, property).map(({ path, value: changed }) => ({
        path: `.${name}${path}`,
        value: { ...value, [name]: changed },
      })),
    ]
  }),
]
