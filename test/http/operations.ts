import { Api, ApiV1 } from "@tocsin/adapters-http"
import type { JsonSchema } from "./JsonVariants.ts"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { openApiDocument } from "@tocsin/api/openapi"

/** A parameter as the document describes it. */
export interface Parameter {
  readonly name: string
  readonly in: "header" | "path" | "query"
  readonly required: boolean
  readonly schema: JsonSchema
  readonly example?: string | number | ReadonlyArray<string>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>
}

/** An operation as the document describes it. */
export interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

const operationsOf = (document: object): ReadonlyArray<Operation> => {
  const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Operation => ({
      ...(operation as Omit<Operation, "method" | "path">),
      method,
      path,
    })),
  )
}

const document = openApiDocument(Api)
const documentV1 = openApiDocument(ApiV1)

const components: Readonly<Record<string, JsonSchema>> = {
  ...documentV1.components.schemas,
  ...document.components.schemas,
}

/** Every operation of both documents. */
export const operations: ReadonlyArray<Operation> = [
  ...operationsOf(document),
  ...operationsOf(documentV1).filter(({ path }) => path.startsWith("/api/v1/")),
]

/** Whether a value is valid against a schema of the documents, which can refer to their components. */
export const validatorOf = (schema: object): ValidateFunction => {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify({ ...schema, $defs: components })
  const validator = ajv.compile(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")) as object)
  validators.set(schema, validator)
  return validator
}

const validators = new WeakMap<object, ValidateFunction>()

const ajv = addFormats.default(
  new Ajv2020({ strict: false, discriminator: false, allErrors: true, unicodeRegExp: true }),
)

/** The schema that a reference is to. */
export const resolveSchema = (schema: JsonSchema): JsonSchema =>
  schema.$ref === undefined ? schema : (components[schema.$ref.replace("#/components/schemas/", "")] ?? {})
