import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { resources } from "@tocsin/api"
import openapiTs, { astToString, type OpenAPI3 } from "openapi-typescript"

/**
 * Generates the types of the console's API client from the server's OpenAPI document.
 *
 * Only the paths and schemas that the console's sources name are included, with successful responses. Comments and the
 * headers that the client sets on every request are left out.
 */
export const apiTypes = async (document: object, consoleFolder: string): Promise<string> => {
  const { openapi, info, paths, components } = JSON.parse(
    JSON.stringify(document, (name, value) =>
      typeof value === "string" && (name === "description" || name === "summary") ? undefined : value,
    ),
  ) as Document
  const sources = sourcesOf(consoleFolder)
  const used = namedIn(sources, /(?<=[(,]\s*")\/api\/[^"?]+(?=")/g)
  const calls = Object.fromEntries(Object.entries(paths).filter(([path]) => used.has(path)))
  for (const item of Object.values(calls)) {
    for (const [method, { operationId = "" }] of Object.entries(item)) {
      if (declared.has(operationId)) delete (item as Record<string, Operation>)[method]
    }
  }
  for (const operation of Object.values(calls).flatMap((item) => Object.values(item))) {
    // Without an ID the operation is written in place.
    delete operation.operationId
    operation.parameters = (operation.parameters ?? []).filter(({ name }) => !commonHeaders.has(name))
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).flatMap(([status, { content }]) =>
        status.startsWith("2") ? [[status, content === undefined ? {} : { content }]] : [],
      ),
    )
  }
  const schemas = reachable(components.schemas, calls, namedIn(sources, /(?<=Schemas\[")\w+/g))
  const nodes = await openapiTs({ openapi, info, paths: calls, components: { schemas } } as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
  })
  const text = astToString(nodes)
    .replaceAll(/\/\*\*[^]*?\*\//g, "")
    .replaceAll(/ *\w+\??: never;\n/g, "")
    .replaceAll(/headers: \{\s*\[name: string\]: unknown;\s*\};/g, "")
    .replaceAll(/parameters: \{\s*\};/g, "")
    .replaceAll(/export type \$?\w+ = Record<string, never>;\n/g, "")
    .replaceAll(/\s+/g, " ")
  return `// Generated from the server's OpenAPI document by \`npm run console:types\`. Do not edit.\n\n${text}`
}

/** What is read of an OpenAPI document. */
interface Document extends Pick<OpenAPI3, "openapi" | "info"> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Schemas }
}

interface Operation {
  operationId?: string
  parameters?: ReadonlyArray<{ readonly name: string }>
  responses: Readonly<Record<string, { readonly content?: object }>>
}

type Schemas = Readonly<Record<string, object>>

/** The operations whose types are those of `@tocsin/api`. */
const declared = new Set(Object.values(resources).flatMap(({ operations }) => Object.keys(operations)))

const commonHeaders = new Set(["organization", "x-tocsin-console"])

const sourcesOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith("ApiTypes.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n")

const namedIn = (sources: string, pattern: RegExp): ReadonlySet<string> => new Set(sources.match(pattern))

/** The schemas that the calls and the sources name, and those that these refer to. */
const reachable = (schemas: Schemas, calls: object, names: ReadonlySet<string>): Schemas => {
  const found: Record<string, object> = {}
  const visit = (value: object): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([\w.-]+)"/g)) {
      const schema = schemas[name]
      if (found[name] !== undefined || schema === undefined) continue
      found[name] = schema
      visit(schema)
    }
  }
  visit(calls)
  visit([...names].map((name) => `#/components/schemas/${name}`))
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
