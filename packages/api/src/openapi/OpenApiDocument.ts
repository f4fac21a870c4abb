import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import { pageSizeMax } from "@tocsin/domain/pagination"
import { documentedHeaders, type HeaderName } from "../operation/ResponseHeaders.ts"

/**
 * Generates the OpenAPI document of an API.
 *
 * Beyond what HttpApi generates, it names the server, describes the headers of responses, moves the description of a
 * parameter's schema to the parameter, merges schemas that HttpApi repeats as `Name_1` for each status, names the
 * discriminator of unions, and avoids what client generators trip over.
 */
export const openApiDocument = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
): OpenApi.OpenAPISpec => {
  const document = OpenApi.fromApi(api)
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) {
      if (!("responses" in operation)) continue
      operation.operationId = operation.operationId.replace(/^.*\./, "")
      operation.parameters.forEach((parameter) => describeParameter(parameter, operation.parameters))
      describeHeaders(operation)
    }
  }
  const merged = forGenerators(withTaggedUnions(mergeSchemas(document)))
  const { Error: error, ...schemas } = merged.components.schemas
  return {
    ...merged,
    servers: [{ url: "/", description: "This server" }],
    components: {
      ...merged.components,
      // Each status describes its own responses.
      schemas: { ...(error && { Error: { ...error, description: "Error response" } }), ...schemas },
      headers: documentedHeaders,
    },
  } as OpenApi.OpenAPISpec
}

/** A request and its response, as the OpenAPI document shows them. Tests send each request to a server. */
export interface OperationExample {
  /** The values of parameters, by name; `organization` is `acme` unless given. */
  readonly parameters?: Readonly<Record<string, string | number | ReadonlyArray<string>>>
  /** The JSON of the body. */
  readonly request?: unknown
  /** The status of the response, if the operation has several successful ones. */
  readonly status?: number
  /** The JSON of the response. */
  readonly response?: unknown
}

interface OperationDescription {
  readonly summary: string
  readonly description?: string
  readonly deprecated?: true | undefined
  /** Headers of the successful responses, beside the `Trace-Id` of every response. */
  readonly responseHeaders?: ReadonlyArray<HeaderName>
  readonly isYaml?: true | undefined
  /** A request without a body is one with an empty object. */
  readonly isBodyOptional?: true | undefined
  readonly example: OperationExample
}

const describedEndpoint =
  <Method extends "GET" | "POST" | "PUT" | "DELETE">(method: Method) =>
  <
    const Name extends string,
    const Path extends HttpRouter.PathInput,
    const Success extends Schema.Top | ReadonlyArray<Schema.Top>,
    const Error extends ReadonlyArray<Schema.Top>,
    Params extends Schema.Top = never,
    Query extends Schema.Top = never,
    Headers extends Schema.Top = never,
    Payload extends HttpApiEndpoint.PayloadConstraintCodecs<Method> = never,
  >(
    name: Name,
    path: Path,
    options: OperationDescription & {
      readonly params?: Params
      readonly query?: Query
      readonly headers?: Headers
      readonly payload?: Payload
      readonly success: Success
      readonly error: Error
    },
  ) => {
    const {
      summary,
      description,
      deprecated,
      responseHeaders = [],
      isYaml,
      isBodyOptional,
      example,
      ...schemas
    } = options
    return HttpApiEndpoint.make(method)<Name, Path, Params, Query, Payload, Headers, Success, Error>(
      name,
      path,
      // The constructor's condition on `Error` cannot be resolved for a type parameter.
      schemas as never,
    ).annotateMerge(
      OpenApi.annotations({
        summary,
        ...(description !== undefined && { description }),
        ...(deprecated && { deprecated }),
        transform: (generated: object) => {
          addExample(generated, example)
          if (isYaml) addYaml(generated)
          if (isBodyOptional) omitBodyRequirement(generated)
          return { ...generated, [successHeaders]: responseHeaders }
        },
      }),
    )
  }

/** Describes an endpoint, by method. */
export const endpoint = {
  get: describedEndpoint("GET"),
  post: describedEndpoint("POST"),
  put: describedEndpoint("PUT"),
  delete: describedEndpoint("DELETE"),
}

const addExample = ({ parameters, requestBody, responses }: Operation, example: OperationExample): void => {
  const values: OperationExample["parameters"] = { organization: "acme", ...example.parameters }
  for (const parameter of parameters ?? []) {
    if (values[parameter.name] !== undefined) parameter.example = values[parameter.name]
  }
  const status = example.status ?? Object.keys(responses ?? {}).find((each) => each < "300")
  for (const [content, value] of [
    [requestBody?.content, example.request],
    [responses?.[`${status}`]?.content, example.response],
  ] as const) {
    const json = content?.["application/json"]
    if (content && json && value !== undefined) content["application/json"] = { ...json, example: value }
  }
}

const addYaml = ({ requestBody, responses }: Operation): void => {
  for (const { content } of [requestBody ?? {}, responses?.["200"] ?? {}]) {
    const json = content?.["application/json"]
    if (content && json) content["application/yaml"] = json
  }
}

const omitBodyRequirement = ({ requestBody }: Operation): void => {
  delete requestBody?.required
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string; example?: unknown }>
  readonly requestBody?: Content & { required?: boolean }
  readonly responses?: Readonly<Record<string, Content>>
}

interface Content {
  readonly content?: Record<string, object>
}

const successHeaders = "x-success-headers"

/** The headers of responses that have a rate limit. */
export const rateLimited = ["RateLimit", "RateLimit-Policy"] as const

const describeHeaders = (operation: {
  readonly deprecated?: boolean
  readonly responses: object
  readonly [successHeaders]?: ReadonlyArray<HeaderName>
}): void => {
  const named = operation[successHeaders] ?? []
  Reflect.deleteProperty(operation, successHeaders)
  const always: ReadonlyArray<HeaderName> = operation.deprecated
    ? ["Trace-Id", "Deprecation", "Sunset", "Link"]
    : ["Trace-Id"]
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = [...always, ...(headersByStatus[status] ?? (status < "300" ? named : []))]
    const headers = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
    Object.assign(response, { headers: Object.fromEntries(headers) })
  }
}

const headersByStatus: Readonly<Record<string, ReadonlyArray<HeaderName>>> = {
  429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  503: ["Retry-After"],
}

const describeParameter = (
  parameter: OpenApi.OpenAPISpecParameter & { "x-go-name"?: string },
  others: ReadonlyArray<OpenApi.OpenAPISpecParameter>,
): void => {
  const { description, ...schema }: { readonly description?: string } = parameter.schema
  if (description !== undefined) parameter.description = description
  parameter.schema =
    parameter.name === "limit" ? { type: "integer", minimum: 0, maximum: pageSizeMax } : schema
  // oapi-codegen makes one field of each name.
  const isHeaderToo = others.some(({ in: place, name }) => place === "header" && name === parameter.name)
  if (parameter.in === "query" && isHeaderToo) parameter["x-go-name"] = `${parameter.name}Query`
}

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
}

/**
 * Makes a union whose variants differ in the value of a required property a `oneOf`, which effect writes as `anyOf` when
 * a variant has a rule that JSON Schema cannot express. Components get a `discriminator`, too. A union of one is that one.
 */
const withTaggedUnions = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const { schemas } = document.components
  const resolved = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(componentPrefix, "")] ?? {})
  const tagged = (_key: string, value: unknown): unknown => {
    if (!isUnion(value)) return value
    const { anyOf, oneOf, ...rest } = value
    const variants = anyOf ?? oneOf ?? []
    if (variants.length === 1) return { ...variants[0], ...rest }
    const tag = tagOf(variants.map(resolved))
    if (tag === undefined) return value
    const mapping = Object.fromEntries(
      variants.flatMap((variant) =>
        variant.$ref === undefined ? [] : [[tagValue(resolved(variant), tag), variant.$ref]],
      ),
    )
    const isNamed = Object.keys(mapping).length === variants.length
    return { oneOf: variants, ...(isNamed && { discriminator: { propertyName: tag, mapping } }), ...rest }
  }
  return JSON.parse(JSON.stringify(document), tagged)
}

const isUnion = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && ("anyOf" in value || "oneOf" in value)

const componentPrefix = "#/components/schemas/"

/**
 * Writes what client generators trip over in another way: openapi-generator fails on `enum: [true]` in Python, on a pattern
 * within `allOf`, where effect writes the rules of a described schema, and on `null` as a variant.
 */
const forGenerators = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec =>
  JSON.parse(JSON.stringify(document), (_key, value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? withoutBooleanEnum(withoutNullVariant(withoutSingleAllOf(value)))
      : value,
  )

const withoutSingleAllOf = (value: JsonSchema): JsonSchema => {
  const { allOf, ...rest } = value
  const [only, ...more] = allOf ?? []
  if (only === undefined || more.length > 0 || only.$ref !== undefined) return value
  const isInBoth = Object.keys(only).some((name) => name !== "description" && name in rest)
  return isInBoth ? value : { ...rest, ...only }
}

const withoutNullVariant = (value: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = value
  const [only, ...more] = anyOf?.filter(({ type }) => type !== "null") ?? []
  const isNullable = anyOf?.length === 2 && more.length === 0 && typeof only?.type === "string"
  return isNullable ? { ...rest, ...only, type: [only.type, "null"] } : value
}

const withoutBooleanEnum = (value: JsonSchema): JsonSchema => {
  const { enum: values, description, ...rest } = value
  if (!Array.isArray(values) || !values.every((each) => typeof each === "boolean")) return value
  const always = `Always ${values.join(" or ")}`
  return { ...rest, description: description === undefined ? always : `${description}. ${always}` }
}

/** The required property that has one value in each variant, and another one in each. */
const tagOf = ([first, ...others]: ReadonlyArray<JsonSchema>): string | undefined =>
  first?.required?.find((name) => {
    const values = new Set([first, ...others].map((variant) => tagValue(variant, name)))
    return !values.has(undefined) && values.size === others.length + 1
  })

const tagValue = ({ properties, required = [] }: JsonSchema, name: string): string | undefined => {
  const property = properties?.[name]
  const [only, ...more] = (property?.anyOf?.[0] ?? property)?.enum ?? []
  const isOne = typeof only === "string" && more.length === 0 && (property?.anyOf?.length ?? 1) === 1
  return isOne && required.includes(name) ? only : undefined
}

/** Replaces `Name_1`, `Name_2`, … by `Name` where they are the same but for their descriptions. */
const mergeSchemas = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const { schemas } = document.components
  let json = JSON.stringify(document)
  for (const [copy, schema] of Object.entries(schemas)) {
    const name = copy.replace(/_\d+$/, "")
    const original = schemas[name]
    if (name === copy || original === undefined || !isSame(original, schema)) continue
    delete schemas[copy]
    json = json.replaceAll(`"#/components/schemas/${copy}"`, `"#/components/schemas/${name}"`)
  }
  const merged: OpenApi.OpenAPISpec = JSON.parse(json)
  return { ...merged, components: { ...merged.components, schemas: pick(merged, Object.keys(schemas)) } }
}

const isSame = (one: object, other: object): boolean => withoutDescription(one) === withoutDescription(other)

const withoutDescription = (schema: object): string => JSON.stringify({ ...schema, description: undefined })

const pick = ({ components: { schemas } }: OpenApi.OpenAPISpec, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, schemas[name] ?? {}]))
