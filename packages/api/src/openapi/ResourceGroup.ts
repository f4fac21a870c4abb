import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import type { Access, ErrorStatus, Operation, Resource, Response } from "../operation/Operation.ts"
import { isNoContent, PageParams, pageSchema } from "../operation/Fields.ts"
import * as errors from "./ErrorResponses.ts"
import { endpoint, type OperationExample, rateLimited } from "./OpenApiDocument.ts"
import { BearerAccess, ClientAccess, ClientCredentials, OrganizationHeader } from "./Security.ts"

/** Describes the operations of a resource, with an example of each. */
export const resourceGroup = (
  name: string,
  { title, description, operations }: Resource,
  examples: Readonly<Record<string, OperationExample>>,
): HttpApiGroup.Constraint => {
  // A group has a type for each of its endpoints, and what they are is known by the operations alone.
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  const endpoints: ReadonlyArray<any> = Object.entries(operations).map(([id, operation]) =>
    describe(id, operation, examples[id] ?? {}),
  )
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  const group: any = HttpApiGroup.make(name)
  return group
    .add(...endpoints)
    .annotate(OpenApi.Title, title)
    .pipe((each: typeof group) =>
      description === undefined ? each : each.annotate(OpenApi.Description, description),
    )
}

const describe = (id: string, operation: Operation, example: OperationExample) => {
  const { method, path, access = "token", role, policy, params = {}, body, summary } = operation
  const { isBodyOptional, isYaml, responseHeaders = [], deprecated } = operation
  // oxlint-disable-next-line typescript/no-explicit-any -- as in `resourceGroup`
  const make: any = endpoint[method.toLowerCase() as Lowercase<typeof method>]
  const names = [...path.matchAll(/:(\w+)/g)].map(([, param = ""]) => param)
  const query = { ...("page" in operation.success && PageParams.fields), ...operation.query }
  const headers = { ...organizationHeaders[access], ...operation.headers }
  const roleText = role === undefined ? undefined : `Requires the \`${role}\` role.`
  const described = [operation.description, roleText].filter((part) => part !== undefined).join(" ")
  const endpointOf = make(id, path, {
    ...(names.length > 0 && {
      params: Schema.Struct(Object.fromEntries(names.map((name) => [name, params[name] ?? Schema.String]))),
    }),
    ...(Object.keys(headers).length > 0 && { headers: Schema.Struct(headers) }),
    ...(Object.keys(query).length > 0 && { query: Schema.Struct(query) }),
    ...(body !== undefined && { payload: body.schema() }),
    success: successOf(operation),
    error: errorsOf(operation),
    summary,
    ...(described !== "" && { description: described }),
    isBodyOptional,
    isYaml,
    responseHeaders: policy === undefined ? responseHeaders : [...rateLimited, ...responseHeaders],
    deprecated,
    example,
  })
  const security = securityOf[access]
  return security === undefined ? endpointOf : endpointOf.middleware(security)
}

const organizationHeaders: Partial<Readonly<Record<Access, Schema.Struct.Fields>>> = {
  token: OrganizationHeader.fields,
  client: { organization: Schema.optionalKey(Schema.String) },
  credentials: OrganizationHeader.fields,
}

const securityOf: Partial<Readonly<Record<Access, unknown>>> = {
  token: BearerAccess,
  client: ClientAccess,
  credentials: ClientCredentials,
}

const successOf = ({ success }: Operation) => {
  if (Schema.isSchema(success)) return described(200, success)
  if (Array.isArray(success)) return success
  if ("page" in success) return pageSchema(success.page, success.identifier)
  return Object.entries(success)
    .toReversed()
    .map(([status, schema]) => described(Number(status), schema))
}

const described = (status: number, schema: Response) => {
  if (isNoContent(schema)) return HttpApiSchema.NoContent.annotate({ ...schema.ast.annotations })
  return status === 200 ? schema : schema.pipe(HttpApiSchema.status(status))
}

const errorsOf = ({ access = "token", policy, body, errors: declared = [] }: Operation) => {
  const isKnown = access === "token" || access === "client"
  return [
    ...(isKnown ? errors.organizationErrors : [errors.NotAcceptable, ...errors.serverErrors]),
    ...declared.map((status) => errorOf[status]),
    ...(policy === undefined ? [] : [errors.TooManyRequests]),
    ...(body === undefined ? [] : errors.bodyErrors),
  ]
}

const errorOf: Readonly<Record<ErrorStatus, Schema.Top>> = {
  400: errors.BadRequest,
  401: errors.Unauthorized,
  403: errors.Forbidden,
  404: errors.NotFound,
  408: errors.RequestTimeout,
  409: errors.Conflict,
  410: errors.Gone,
  412: errors.PreconditionFailed,
  413: errors.ContentTooLarge,
  415: errors.UnsupportedMediaType,
  429: errors.TooManyRequests,
}
