import type * as OpenApi from "effect/http-api/OpenApi"

type Spec = ReturnType<typeof OpenApi.fromApi>

/** What is read of a JSON schema. */
interface JsonSchema {
  readonly $ref?: string
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<string | number | boolean>
  readonly type?: string
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | JsonSchema
}

/**
 * Writes the types of the console's API client from an OpenAPI document: `Schemas` by their names, and `Calls` by
 * method and path, each with its path, query, headers, body and answer. Headers that every call of the console has, or
 * that its session stands for, are left out, and so are descriptions: other words do not change what is sent.
 */
export const apiTypes = (spec: Spec): string => {
  const schemas = spec.components.schemas as unknown as Readonly<Record<string, JsonSchema>>
  const calls = Object.entries(spec.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Operation => ({ ...operation, path, method }) as never),
  )
  const used = reachable(schemas, calls)
  return `// Written from the server's OpenAPI by test/console/api-types.test.ts: run it with -u when the API changes.

/** What the API sends and takes, by name. */
export interface Schemas {
${Object.entries(schemas)
  .filter(([name]) => used.has(name))
  .map(([name, schema]) => `${name}: ${typeOf(schema)}\n`)
  .join("")}}

/** Each call of the API, by method and path. */
export interface Calls {
${calls.map(callType).join("")}}
`
}

/** What is read of an operation. */
interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: JsonSchema
  }>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

const commonHeaders = new Set(["organization", "x-tocsin-console"])

const callType = (operation: Operation): string => {
  const parameters = (place: string): string =>
    `{${operation.parameters
      .filter(({ in: where, name }) => where === place && !commonHeaders.has(name))
      .map(({ name, required, schema }) => `${keyText(name)}${required ? "" : "?"}: ${typeOf(schema)};`)
      .join("")}}`
  const answers = answersOf(operation).map((schema) => (schema === undefined ? "undefined" : typeOf(schema)))
  const body = operation.requestBody?.content["application/json"]?.schema
  return `"${operation.method.toUpperCase()} ${operation.path}": {
    path: ${parameters("path")}
    query: ${parameters("query")}
    headers: ${parameters("header")}
    body: ${body === undefined ? "undefined" : typeOf(body)}
    answer: ${[...new Set(answers)].join(" | ")}
  }\n`
}

const answersOf = ({ responses }: Operation): ReadonlyArray<JsonSchema | undefined> =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => content?.["application/json"]?.schema)

const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return `Schemas["${refName(schema.$ref)}"]`
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ")
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return variants.map((each) => `(${typeOf(each)})`).join(" | ")
  switch (schema.type) {
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {})}>`
    case "integer":
      return "number"
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type
    case "object": {
      const more = schema.additionalProperties
      const properties = Object.entries(schema.properties ?? {}).map(
        ([name, property]) =>
          `readonly ${keyText(name)}${schema.required?.includes(name) ? "" : "?"}: ${typeOf(property)}\n`,
      )
      if (typeof more === "object") properties.push(`readonly [key: string]: ${typeOf(more)}\n`)
      return `{\n${properties.join("")}}`
    }
    default:
      return "unknown"
  }
}

const keyText = (name: string): string => (/^[a-zA-Z_]\w*$/.test(name) ? name : JSON.stringify(name))

const refName = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

/** The schemas that a call takes or answers, with those that they name. */
const reachable = (
  schemas: Readonly<Record<string, JsonSchema>>,
  calls: ReadonlyArray<Operation>,
): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (text: string): void => {
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      visit(JSON.stringify(schemas[name]))
    }
  }
  for (const call of calls) visit(JSON.stringify([call.requestBody, call.parameters, answersOf(call)]))
  return found
}
