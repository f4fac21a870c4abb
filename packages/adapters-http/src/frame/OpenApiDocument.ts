import { Limits } from "@tocsin/domain/Limits"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"

/**
 * Writes the OpenAPI document of an API.
 *
 * It differs from what HttpApi generates in three points: a parameter has the description of its schema, `limit` is an
 * integer, and schemas that HttpApi repeats as `Name_1`, since a response adds a status to them, are merged.
 */
export const openApiDocument = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
): OpenApi.OpenAPISpec => {
  const document = OpenApi.fromApi(api)
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) {
      if ("parameters" in operation) operation.parameters.forEach(describeParameter)
    }
  }
  return mergeSchemas(document)
}

const describeParameter = (parameter: OpenApi.OpenAPISpecParameter): void => {
  const { description }: { readonly description?: string } = parameter.schema
  if (description !== undefined) parameter.description = description
  if (parameter.name === "limit") {
    parameter.schema = { type: "integer", minimum: 0, maximum: Limits.pageSizeMax }
  }
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
